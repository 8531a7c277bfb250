//! The planned modes: plan, deterministic and bridge.
//!
//! One pipeline: a planner ([`planner`]) makes a typed plan, the validator and the gate judge its
//! form, the broker pins it and asks the user once ([`approval`]), the executor runs exactly the
//! pinned calls and formats what they show ([`execution`]). Every stage ends the request on its
//! failure; no planner stands in for another.

mod answering;
mod approval;
pub(super) mod elsewhere;
mod execution;
mod having;
mod planner;
mod rules;
mod stage;

use crate::work::{Work, checks};
use api::broker::PlanRequest;
use domain::event::{EventBody, QueryStatus};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::PlanId;
use domain::settings::Mode;
use stage::Stop;
use turn::Outcome;

/// Most plans that one request makes anew, each after a no of the user's with words.
const CORRECTIONS: usize = 5;

/// Works on one request by planning first.
pub(crate) async fn run(work: &Work) -> Outcome {
    let mut outcome = Outcome::of(QueryStatus::Failed);
    let ended = Box::pin(stages(work, &mut outcome)).await;
    match ended {
        Ok(()) => {}
        Err(Stop::Fault(status, fault)) => {
            outcome.status = status;
            outcome.error = Some(fault);
        }
        Err(Stop::Corrected { fault, .. }) => {
            outcome.status = QueryStatus::Denied;
            outcome.error = Some(fault);
        }
        Err(Stop::Said(text)) => {
            outcome.status = QueryStatus::Success;
            outcome.answer = text;
        }
    }
    checks::after_plan(work, &mut outcome).await;
    if work.cancel.is_cancelled() {
        outcome.status = QueryStatus::Interrupted;
    }
    if let Some(fault) = work.log_failure() {
        outcome.status = QueryStatus::Failed;
        outcome.error = Some(fault);
    }
    outcome
}

async fn stages(work: &Work, outcome: &mut Outcome) -> Result<(), Stop> {
    let mut task = work.request.text.clone();
    let mut corrections = 0;
    loop {
        let planned = planner::plan(work, &task, outcome).await?;
        let marks = plan::gate::mark(&planned.plan);
        let calls = plan::compile::plan(&planned.plan);
        match approval::pin(work, &planned.plan, &marks, &calls).await {
            // Rules and a program outside are told the task alone, and would plan the same again.
            Err(Stop::Corrected { words, .. })
                if work.request.mode == Mode::Plan && corrections < CORRECTIONS =>
            {
                corrections += 1;
                task = plan::prompt::corrected(&task, &planned.plan.intent, &words);
            }
            pinned => return execution::run(work, outcome, &planned, &calls, pinned?).await,
        }
    }
}

/// Has a plan approved that no planner of this pipeline made.
///
/// # Errors
/// How the request ends, and why, when it is not.
pub(crate) async fn approved(
    work: &Work,
    request: PlanRequest,
    proposed: &(dyn Fn(Digest) -> EventBody + Sync),
) -> Result<PlanId, (QueryStatus, Fault)> {
    let pinned = approval::pinned(work, request, proposed, &[]).await;
    pinned.map_err(|stop| match stop {
        Stop::Fault(status, fault) => (status, fault),
        Stop::Corrected { fault, .. } => (QueryStatus::Denied, fault),
        Stop::Said(text) => {
            let code = "plan.not_judged".to_owned();
            let hint = String::new();
            (
                QueryStatus::Failed,
                Fault {
                    code,
                    message: text,
                    hint,
                },
            )
        }
    })
}
