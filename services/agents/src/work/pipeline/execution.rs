//! The executor and the formatter: exactly the pinned calls, in order, until one does not succeed.

use super::answering;
use super::stage::{Failed, Planned, Stop, call_tool};
use crate::work::Work;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::PlanId;
use domain::model::Reach;
use domain::plan::Action;
use plan::compile::{self, Call};
use plan::given;
use plan::shown::Shown;
use serde_json::Value;
use text::escape::{visible, visible_line};
use turn::Outcome;

/// Most files that are named as changed, or as not.
const NAMED_FILES: usize = 6;

/// The data that came with the request: a small model is shown what the steps read, and nothing else.
fn data_given(work: &Work, reach: Reach) -> Option<Shown> {
    if reach != Reach::Small {
        return None;
    }
    let input = work.with_state(|state| state.conversation.view.input().to_owned());
    // The first line says what it is.
    let (_, data) = input.split_once('\n')?;
    // The fence around it is for models alone.
    let data = text::fence::body(data.trim()).trim_end();
    Some(Shown {
        text: data.to_owned(),
        contents: vec![(given::PLACE.to_owned(), data.to_owned())],
        ..Shown::default()
    })
}

/// Runs the steps, composes the answer and sets the status.
pub(super) async fn run(
    work: &Work,
    outcome: &mut Outcome,
    planned: &Planned,
    calls: &[Vec<Call>],
    plan_id: Option<PlanId>,
) -> Result<(), Stop> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut answers: Vec<String> = Vec::new();
    for (index, (action, calls)) in planned.plan.actions.iter().zip(calls).enumerate() {
        let step = match action {
            Action::Answer { question } => {
                let data = data_given(work, planned.reach).into_iter();
                let read: Vec<Shown> = data.chain(shown.iter().cloned()).collect();
                let answered = answering::answer(work, outcome, question, &read, planned);
                match answered.await {
                    Ok(text) => {
                        answers.push(text.clone());
                        Ok(Shown {
                            text,
                            ..Shown::default()
                        })
                    }
                    Err(failed) => Err(failed),
                }
            }
            _ => run_calls(work, outcome, action, calls, plan_id).await,
        };
        let (status, text) = match &step {
            Ok(shown) => (CallStatus::Ok, shown.text.clone()),
            Err(failed) => (failed.status, failed.text.clone()),
        };
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        work.emit(
            EventBody::PlanStep {
                index: number,
                status,
                text,
            },
            None,
        )
        .await;
        match step {
            Ok(step) => shown.push(step),
            Err(failed) => return Err(stopped(outcome, planned, &shown, index, failed)),
        }
    }
    outcome.status = QueryStatus::Success;
    outcome.answer = if answers.is_empty() {
        joined(&shown)
    } else {
        answers.join("\n\n")
    };
    Ok(())
}

async fn run_calls(
    work: &Work,
    outcome: &mut Outcome,
    action: &Action,
    calls: &[Call],
    plan_id: Option<PlanId>,
) -> Result<Shown, Failed> {
    let mut results: Vec<Value> = Vec::new();
    for call in calls {
        let record = call_tool(work, outcome, call, plan_id).await;
        if record.result.status != CallStatus::Ok {
            return Err(Failed {
                status: record.result.status,
                text: record.plain(),
                fault: None,
            });
        }
        results.push(record.result.data);
    }
    Ok(Shown::of(action, &results))
}

fn joined(shown: &[Shown]) -> String {
    let texts: Vec<&str> = shown.iter().map(|step| step.text.as_str()).collect();
    texts.join("\n\n")
}

/// Which files the steps before one changed, and which those from it on would have; empty where that is
/// not one or the other.
fn which_changed(actions: &[Action], index: usize) -> String {
    let of = |actions: &[Action]| -> Vec<String> {
        let mut paths: Vec<String> = actions.iter().flat_map(compile::changed).collect();
        paths.sort();
        paths.dedup();
        paths.truncate(NAMED_FILES);
        paths.iter().map(|path| visible_line(path)).collect()
    };
    let (done, left) = actions.split_at(index.min(actions.len()));
    let (done, mut left) = (of(done), of(left));
    left.retain(|path| !done.contains(path));
    match done.is_empty() || left.is_empty() {
        true => String::new(),
        false => format!(
            " Changed: {}. Not changed: {}.",
            done.join(", "),
            left.join(", ")
        ),
    }
}

/// The end of a plan that did not come to its end: what was done is the answer, what went wrong is
/// the error.
fn stopped(
    outcome: &mut Outcome,
    planned: &Planned,
    shown: &[Shown],
    index: usize,
    failed: Failed,
) -> Stop {
    let steps = planned.plan.actions.len();
    let kind = planned.plan.actions.get(index).map_or("step", Action::kind);
    let how = match failed.status {
        CallStatus::Denied => "was refused",
        CallStatus::Cancelled => "was stopped",
        CallStatus::Failed | CallStatus::Ok => "failed",
    };
    let rest = match steps - index - 1 {
        0 => String::new(),
        1 => " The step after it was not run.".to_owned(),
        more => format!(" The {more} steps after it were not run."),
    };
    let message = format!(
        "Step {} of {steps} ({kind}) {how}: {}{rest}{}",
        index + 1,
        visible(&failed.text),
        which_changed(&planned.plan.actions, index)
    );
    outcome.answer = joined(shown);
    let status = match (index, failed.status) {
        (_, CallStatus::Cancelled) => QueryStatus::Interrupted,
        (0, CallStatus::Denied) => QueryStatus::Denied,
        (0, _) => QueryStatus::Failed,
        _ => QueryStatus::Partial,
    };
    let code = match failed.status {
        CallStatus::Denied => "plan.step_refused",
        _ => "plan.step_failed",
    };
    let hint = "What was done before it stands; `undo` takes back the last change.";
    Stop::Fault(
        status,
        failed.fault.unwrap_or_else(|| Fault {
            code: code.to_owned(),
            message,
            hint: if index > 0 {
                hint.to_owned()
            } else {
                String::new()
            },
        }),
    )
}
