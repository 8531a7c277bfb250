//! The page of plans: each with its steps, how they stand and what came of them, and the question about
//! it, with what each step would change below that step.

use super::{as_told, barred, detail, head, or_nothing, word};
use crate::view::standing_of_step;
use domain::event::{ConfirmationKind, ConfirmationRequest, Event, EventBody};
use ratatui::text::Line;
use rendering::confirm;
use rendering::terminal::step_of_plan;
use session::{PlanProgress, StepState};
use text::escape::visible_line;

/// A plan as it was proposed, and what became of it.
struct Planned {
    head: Vec<Line<'static>>,
    progress: PlanProgress,
    /// What each step showed that has ended.
    results: Vec<(usize, String)>,
    /// What was asked and answered about it.
    below: Vec<Line<'static>>,
}

/// A part of the page.
enum Part {
    Lines(Vec<Line<'static>>),
    Plan(Box<Planned>),
}

/// The plans and tasks as they were proposed, approved and worked on.
#[must_use]
pub fn plan(events: &[Event]) -> Vec<Line<'static>> {
    let mut parts: Vec<Part> = Vec::new();
    for event in events {
        if let Some(progress) = PlanProgress::proposed(event) {
            parts.push(Part::Plan(Box::new(begun(event, progress))));
            continue;
        }
        let mut plans = parts.iter_mut().rev().filter_map(|part| match part {
            Part::Plan(plan) => Some(plan),
            Part::Lines(_) => None,
        });
        // Agents at work at once may each have one.
        let own = plans.find(|plan| plan.progress.is_of(event));
        let lines = match own {
            Some(plan) => {
                plan.take(event);
                continue;
            }
            None => of_tasks(event),
        };
        if !lines.is_empty() {
            parts.push(Part::Lines(lines));
        }
    }
    let lines = parts.into_iter().flat_map(|part| match part {
        Part::Lines(lines) => lines,
        Part::Plan(plan) => plan.lines(),
    });
    or_nothing(lines.collect(), "no plan and no tasks yet")
}

fn begun(event: &Event, progress: PlanProgress) -> Planned {
    let mut lines = Vec::new();
    if let EventBody::PlanProposed { plan, hash } = &event.body {
        let count = plan.actions.len();
        lines.push(head(&format!(
            "#{} plan of {count} steps, {hash}",
            event.seq
        )));
        lines.extend(barred(&plan.intent));
    }
    Planned {
        head: lines,
        progress,
        results: Vec::new(),
        below: Vec::new(),
    }
}

impl Planned {
    fn take(&mut self, event: &Event) {
        self.progress.apply(event);
        match &event.body {
            EventBody::ConfirmationAsked(asked) if asked.kind == ConfirmationKind::Plan => {
                self.below
                    .push(detail(&format!("#{} asked for approval", event.seq)));
                self.below.extend(question(asked));
            }
            EventBody::PlanApproved { by, .. } => {
                let text = format!("approved by {}", visible_line(by));
                self.below.push(detail(&text));
            }
            EventBody::PlanStep { index, text, .. } => {
                let at = usize::try_from(*index).unwrap_or(usize::MAX);
                self.results.push((at, text.clone()));
            }
            _ => {}
        }
    }

    fn lines(self) -> Vec<Line<'static>> {
        let mut lines = self.head;
        for (at, (action, state)) in self.progress.steps().iter().enumerate() {
            let state = match state {
                StepState::Left if !self.progress.is_approved() => "proposed",
                state => standing_of_step(*state),
            };
            let text = visible_line(&step_of_plan(action));
            lines.push(head(&format!("  {}. {text}: {state}", at + 1)));
            let results = self.results.iter().filter(|(step, _)| *step == at);
            lines.extend(results.flat_map(|(_, text)| barred(text.trim_end())));
        }
        lines.extend(self.below);
        lines
    }
}

/// A question about a plan, with what each step would change below it.
fn question(asked: &ConfirmationRequest) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (text, diffs) in confirm::steps(asked) {
        lines.extend(barred(text.trim_end()));
        let diffs = diffs.into_iter();
        lines.extend(diffs.flat_map(|diff| barred(diff.trim_end())));
    }
    let diff = asked.diff.iter();
    lines.extend(diff.flat_map(|diff| barred(diff.trim_end())));
    lines
}

/// What an event says of tasks.
fn of_tasks(event: &Event) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match &event.body {
        EventBody::TasksPlanned { tasks } | EventBody::TasksProposed { tasks, .. } => {
            lines.push(head(&format!("#{} {} tasks", event.seq, tasks.len())));
            for task in tasks {
                let (id, agent) = (visible_line(&task.id), visible_line(&task.agent_type));
                lines.push(detail(&format!("{id}, for {agent}:")));
                lines.extend(barred(&task.goal));
            }
        }
        EventBody::ConfirmationAsked(asked) if asked.kind == ConfirmationKind::Plan => {
            lines.push(head(&format!("#{} asked for approval", event.seq)));
            lines.extend(question(asked));
        }
        EventBody::PlanApproved { by, .. } => {
            lines.push(detail(&format!("approved by {}", visible_line(by))));
        }
        EventBody::PlanStep {
            index,
            status,
            text,
        } => {
            lines.push(detail(&format!("step {}: {}", index + 1, word(*status))));
            lines.extend(barred(text.trim_end()));
        }
        EventBody::TaskMoved { .. } => lines.extend(as_told([event])),
        _ => {}
    }
    lines
}
