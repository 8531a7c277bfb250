//! How far a plan is, from its approval to its end.

use crate::{ended, of, resumed, view};
use domain::event::{CallStatus, Event, EventBody};
use domain::hash::Digest;
use domain::plan::{Action, Plan};
use session::{SessionView, StepState};

fn proposed(request: u128) -> Event {
    let step = |path: &str| Action::ReadFile {
        path: path.to_owned(),
    };
    let plan = Plan {
        intent: "look".to_owned(),
        actions: vec![step("a"), step("b"), step("c")],
    };
    let hash = Digest::of(b"plan");
    of(request, EventBody::PlanProposed { plan, hash })
}

fn approved(request: u128) -> Event {
    let (hash, by) = (Digest::of(b"plan"), "user".to_owned());
    of(request, EventBody::PlanApproved { hash, by })
}

fn step(request: u128, index: u32, status: CallStatus) -> Event {
    let text = String::new();
    let body = EventBody::PlanStep {
        index,
        status,
        text,
    };
    of(request, body)
}

fn states(view: &SessionView) -> Option<Vec<StepState>> {
    let plan = view.plan_at_work()?;
    Some(plan.steps().iter().map(|(_, state)| *state).collect())
}

#[test]
fn a_plan_is_at_work_from_its_approval_until_a_step_fails() {
    use StepState::{AtWork, Ended, Left};
    let done = Ended(CallStatus::Ok);
    let begun = vec![proposed(1), approved(1)];
    let after = |events: &[Event]| [&begun[..], events].concat();
    let first = step(1, 0, CallStatus::Ok);
    let rows: [(Vec<Event>, Option<Vec<StepState>>); 8] = [
        (vec![proposed(1)], None),
        (begun.clone(), Some(vec![AtWork, Left, Left])),
        (
            after(std::slice::from_ref(&first)),
            Some(vec![done, AtWork, Left]),
        ),
        // Of another request.
        (
            after(&[step(2, 0, CallStatus::Ok)]),
            Some(vec![AtWork, Left, Left]),
        ),
        (
            after(&[first.clone(), step(1, 1, CallStatus::Failed)]),
            None,
        ),
        (
            after(&[
                first.clone(),
                step(1, 1, CallStatus::Ok),
                step(1, 2, CallStatus::Ok),
            ]),
            None,
        ),
        (after(&[first.clone(), ended(1, None)]), None),
        (after(&[first, resumed()]), None),
    ];
    for (number, (events, expected)) in rows.into_iter().enumerate() {
        assert_eq!(states(&view(events)), expected, "row {number}");
    }
}
