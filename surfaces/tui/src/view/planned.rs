//! How far a plan is: its steps where there is room, else the one that runs.

use crate::state::State;
use domain::event::CallStatus;
use rendering::terminal::step_of_plan;
use session::{PlanProgress, StepState};
use text::escape::visible_line;

/// Rows of the terminal for each step that is shown: of fewer, the one that runs is shown alone.
const FOR_EACH: usize = 4;

/// The plan that is worked on, of more than one step.
fn plan(state: &State) -> Option<&PlanProgress> {
    let plan = state.view.plan_at_work();
    plan.filter(|plan| plan.steps().len() > 1)
}

/// Which step is worked on, of how many.
pub(super) fn place(state: &State) -> Option<String> {
    let plan = plan(state)?;
    let at = plan.at_work()?;
    Some(format!("step {} of {}", at + 1, plan.steps().len()))
}

/// The rows of a plan that is worked on.
pub(super) fn rows(state: &State) -> Vec<String> {
    let (Some(plan), Some(place)) = (plan(state), place(state)) else {
        return Vec::new();
    };
    let room = usize::from(state.size.1) / FOR_EACH;
    let is_short = plan.steps().len() > room;
    let steps = plan.steps().iter().zip(1..);
    let shown = steps.filter(|((_, state), _)| !is_short || *state == StepState::AtWork);
    let rows = shown.map(|((action, state), number)| {
        let text = visible_line(&step_of_plan(action));
        match is_short {
            true => format!("  {place}: {text}"),
            false => format!("  {:7} {number}. {text}", word(*state)),
        }
    });
    rows.collect()
}

/// How a step stands, in a word.
pub const fn word(state: StepState) -> &'static str {
    match state {
        StepState::Left => "left",
        StepState::AtWork => "runs",
        StepState::Ended(CallStatus::Ok) => "done",
        StepState::Ended(CallStatus::Failed) => "failed",
        StepState::Ended(CallStatus::Denied) => "denied",
        StepState::Ended(CallStatus::Cancelled) => "stopped",
    }
}
