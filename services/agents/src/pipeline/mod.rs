//! The planned modes: plan, deterministic and bridge.
//!
//! One pipeline: a planner ([`planner`]) makes a typed plan, the validator and the gate judge its
//! form, the broker pins it and asks the user once ([`approval`]), the executor runs exactly the
//! pinned calls and formats what they show ([`execution`]). Every stage ends the request on its
//! failure; no planner stands in for another.

mod answering;
mod approval;
mod bridge;
mod execution;
mod planner;

pub use bridge::{Error as BridgeError, PROTOCOL_VERSION as BRIDGE_VERSION};

pub(crate) use planner::{reach, reach_of_choice};

use crate::work::{CallRecord, Outcome, Work};
use api::broker::PlanRequest;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::{CallId, PlanId};
use domain::message::ToolCall;
use domain::settings::Mode;
use plan::compile::Call;
use plan::schema::Reach;
use uuid::Uuid;

/// Most plans that one request makes anew, each after a no of the user's with words.
const CORRECTIONS: usize = 5;

/// Works on one request by planning first.
pub async fn run(work: &Work) -> Outcome {
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
    if work.cancel.is_cancelled() {
        outcome.status = QueryStatus::Interrupted;
    }
    if let Some(fault) = work.log_failure() {
        outcome.status = QueryStatus::Failed;
        outcome.error = Some(fault);
    }
    outcome
}

/// Why the pipeline ends before its last stage.
enum Stop {
    /// Something went wrong or was refused.
    Fault(QueryStatus, Fault),
    /// The user said no to the plan, and what should be different.
    Corrected {
        /// What the user said.
        words: String,
        /// How the request ends if no other plan is made.
        fault: Fault,
    },
    /// There is nothing to run, only to say.
    Said(String),
}

impl Stop {
    fn failed(fault: Fault) -> Self {
        Self::Fault(QueryStatus::Failed, fault)
    }
}

async fn stages(work: &Work, outcome: &mut Outcome) -> Result<(), Stop> {
    let mut task = work.text.clone();
    let mut corrections = 0;
    loop {
        let planned = planner::plan(work, &task, outcome).await?;
        let marks = plan::gate::mark(&planned.plan);
        let calls = plan::compile::plan(&planned.plan);
        match approval::pin(work, &planned.plan, &marks, &calls).await {
            // Rules and a program outside are told the task alone, and would plan the same again.
            Err(Stop::Corrected { words, .. })
                if work.mode == Mode::Plan && corrections < CORRECTIONS =>
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

/// A plan that passed the validator, and how capable the model is that may be asked about it.
struct Planned {
    plan: domain::plan::Plan,
    reach: Reach,
}

/// Runs one call of ours and takes it into account.
async fn call_tool(
    work: &Work,
    outcome: &mut Outcome,
    call: &Call,
    plan_id: Option<PlanId>,
) -> CallRecord {
    let call = ToolCall {
        call_id: CallId::from_uuid(Uuid::now_v7()),
        name: call.tool.to_owned(),
        arguments: call.arguments.clone(),
    };
    let record = work.call_tool(call, false, plan_id).await;
    outcome.note_call(&record);
    record
}

/// The text of a call that did not succeed, for people: without the fence that models need.
pub(crate) fn plain(record: &CallRecord) -> String {
    if let Some(reason) = &record.refusal {
        return reason.clone();
    }
    let is_fence = |line: &str| {
        let marks = ["[TOOL_RESULT:", "[NOTE ", "[END "];
        marks.iter().any(|mark| line.starts_with(mark)) || line == "[FAILED]"
    };
    let lines: Vec<&str> = record
        .result
        .text
        .lines()
        .filter(|line| !is_fence(line))
        .collect();
    let text = lines
        .join("\n")
        .trim()
        .trim_start_matches("[DENIED]")
        .trim_start_matches("[tool unavailable]")
        .trim()
        .to_owned();
    match (text.is_empty(), record.result.status) {
        (false, _) => text,
        (true, CallStatus::Denied) => "it is not allowed".to_owned(),
        (true, CallStatus::Cancelled) => "it was stopped".to_owned(),
        (true, CallStatus::Failed | CallStatus::Ok) => "it failed".to_owned(),
    }
}
