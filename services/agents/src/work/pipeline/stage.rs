//! What the stages of the pipeline share: how it ends early, a plan that passed, one call.

use crate::work::Work;
use crate::work::ask::AskError;
use domain::event::{CallStatus, QueryStatus};
use domain::fault::Fault;
use domain::id::{CallId, PlanId};
use domain::message::ToolCall;
use domain::model::Reach;
use plan::compile::Call;
use turn::{CallRecord, Outcome};
use uuid::Uuid;

/// Why the pipeline ends before its last stage.
pub(super) enum Stop {
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
    pub(super) fn failed(fault: Fault) -> Self {
        Self::Fault(QueryStatus::Failed, fault)
    }

    /// The same, with what to do where nothing is said of that.
    pub(super) fn with_hint(self, hint: String) -> Self {
        match self {
            Self::Fault(QueryStatus::Failed, fault) if fault.hint.is_empty() => {
                Self::Fault(QueryStatus::Failed, Fault { hint, ..fault })
            }
            stop => stop,
        }
    }
}

pub(super) fn interrupted() -> Stop {
    Stop::Fault(QueryStatus::Interrupted, AskError::Interrupted.fault())
}

/// A plan that passed the validator.
pub(super) struct Planned {
    pub(super) plan: domain::plan::Plan,
    /// How capable the model is that may be asked about it.
    pub(super) reach: Reach,
    /// The documents (PDF, docx, odt) of the workspace, where the planner had a list of it.
    pub(super) documents: Vec<String>,
}

impl Planned {
    /// A plan that was made without a list of the workspace.
    pub(super) const fn new(plan: domain::plan::Plan, reach: Reach) -> Self {
        Self {
            plan,
            reach,
            documents: Vec::new(),
        }
    }
}

/// Runs one call of ours and takes it into account.
pub(super) async fn call_tool(
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

/// A step that did not succeed.
pub(super) struct Failed {
    pub(super) status: CallStatus,
    pub(super) text: String,
    /// What is wrong, when it is more than the text.
    pub(super) fault: Option<Fault>,
}
