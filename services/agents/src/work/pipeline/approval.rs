//! The safety gate and the approval: the broker judges every call, the user is asked once, and the
//! answer binds the plan's hash.

use super::stage::{Stop, interrupted};
use crate::work::Work;
use api::broker::{PlanApproval, PlanEvent, PlanRequest, PlannedCall};
use domain::decision::Decision;
use domain::event::{ConfirmationAnswer, EventBody, QueryStatus};
use domain::fault::{Coded, Fault};
use domain::hash::Digest;
use domain::id::PlanId;
use domain::plan::Plan;
use futures::StreamExt;
use plan::compile::Call;
use plan::gate::Marked;

/// Has the plan pinned. `None` when there is nothing to pin: the plan only answers.
pub(super) async fn pin(
    work: &Work,
    plan: &Plan,
    marks: &[Marked],
    calls: &[Vec<Call>],
) -> Result<Option<PlanId>, Stop> {
    let calls: Vec<PlannedCall> = calls
        .iter()
        .flatten()
        .map(|call| PlannedCall {
            tool: call.tool.to_owned(),
            arguments: call.arguments.clone(),
        })
        .collect();
    if calls.is_empty() {
        // A plan holds strings and numbers only, which always serialise.
        let hash = Digest::of_json(&serde_json::to_value(plan).unwrap_or_default());
        work.emit(
            EventBody::PlanProposed {
                plan: plan.clone(),
                hash,
            },
            None,
        )
        .await;
        return Ok(None);
    }
    let request = PlanRequest {
        context: work.agent.caller.clone(),
        intent: plan.intent.clone(),
        calls,
        approval: PlanApproval::Changes,
    };
    let proposed = |hash| EventBody::PlanProposed {
        plan: plan.clone(),
        hash,
    };
    pinned(work, request, &proposed, marks).await.map(Some)
}

/// Has the broker judge a plan and ask the user. `proposed` is the event that shows it.
pub(super) async fn pinned(
    work: &Work,
    request: PlanRequest,
    proposed: &(dyn Fn(Digest) -> EventBody + Sync),
    marks: &[Marked],
) -> Result<PlanId, Stop> {
    tokio::select! {
        biased;
        () = work.cancel.cancelled() => Err(interrupted()),
        pinned = judged(work, request, proposed, marks) => pinned,
    }
}

async fn judged(
    work: &Work,
    request: PlanRequest,
    proposed: &(dyn Fn(Digest) -> EventBody + Sync),
    marks: &[Marked],
) -> Result<PlanId, Stop> {
    let broker_failed = |error: api::broker::Error| Stop::failed(error.fault());
    let mut events = work
        .services
        .broker
        .pin_plan(request)
        .await
        .map_err(broker_failed)?;
    let mut words = String::new();
    let mut by_user = false;
    while let Some(event) = events.next().await {
        let body = match event.map_err(broker_failed)? {
            PlanEvent::Proposed { hash, .. } => proposed(hash),
            PlanEvent::ConfirmationAsked(request) => EventBody::ConfirmationAsked(request),
            PlanEvent::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                token,
            } => {
                if let ConfirmationAnswer::Deny { message } = &answer {
                    words.clone_from(message);
                    by_user = by == "user";
                }
                EventBody::ConfirmationAnswered {
                    confirmation_id,
                    answer,
                    by,
                    token,
                }
            }
            PlanEvent::Pinned { plan_id, hash, by } => {
                check_marks(marks, &by)?;
                work.emit(EventBody::PlanApproved { hash, by }, None).await;
                return Ok(plan_id);
            }
            PlanEvent::Refused { decision } => {
                let (status, mut fault) = refused(&decision);
                if by_user {
                    fault = declined(&decision);
                }
                return Err(match words.is_empty() {
                    true => Stop::Fault(status, fault),
                    false => Stop::Corrected { words, fault },
                });
            }
        };
        work.emit(body, None).await;
    }
    Err(Stop::failed(Fault {
        code: "plan.not_judged".to_owned(),
        message: "The broker ended without judging the plan, so nothing was run.".to_owned(),
        hint: String::new(),
    }))
}

/// A plan that would have failed was not forbidden, and is told apart for programs.
fn refused(decision: &Decision) -> (QueryStatus, Fault) {
    let would_fail = decision.rule == "would_fail";
    let code = if would_fail {
        "plan.would_fail"
    } else {
        "plan.refused"
    };
    let (status, head) = match would_fail {
        true => (QueryStatus::Failed, "The plan would fail"),
        false => (QueryStatus::Denied, "The plan was refused"),
    };
    let fault = Fault {
        code: code.to_owned(),
        message: format!("{head}: {}", decision.user_reason),
        hint: "Nothing was run.".to_owned(),
    };
    (status, fault)
}

/// A plan that the user said no to: a choice, and nothing that went wrong.
fn declined(decision: &Decision) -> Fault {
    Fault {
        code: "plan.declined".to_owned(),
        message: decision.user_reason.clone(),
        hint: "Nothing was run.".to_owned(),
    }
}

/// A plan that the gate marked is never run as one that only reads, whatever the broker said.
fn check_marks(marks: &[Marked], by: &str) -> Result<(), Stop> {
    let marked = marks.iter().position(|mark| mark.confirmation_required);
    match marked {
        Some(index) if by == "read_only" => Err(Stop::Fault(
            QueryStatus::Denied,
            Fault {
                code: "plan.gate".to_owned(),
                message: format!(
                    "Step {} changes something, but the plan was taken for one that only reads; nothing was run.",
                    index + 1
                ),
                hint: String::new(),
            },
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::decision::{Finding, Layer, Verdict};

    #[test]
    fn what_would_fail_is_no_refusal_and_that_nothing_ran_is_said_once() {
        for (rule, status, code) in [
            ("would_fail", QueryStatus::Failed, "plan.would_fail"),
            ("outside_roots", QueryStatus::Denied, "plan.refused"),
        ] {
            let decision = Decision::strictest(vec![Finding {
                layer: Layer::Path,
                verdict: Verdict::Deny,
                rule: rule.to_owned(),
                model_reason: "for the model".to_owned(),
                user_reason: "There is no `a`.".to_owned(),
            }]);
            let (ended, fault) = refused(&decision);
            assert_eq!((ended, fault.code.as_str()), (status, code));
            assert!(fault.message.ends_with(": There is no `a`."), "{fault:?}");
            assert_eq!(fault.hint, "Nothing was run.");
        }
    }
}
