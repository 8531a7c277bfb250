//! What is at work in a session right now: calls without a result, and what the root agent's model
//! last said of itself.

use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::{AgentId, CallId, QueryId};
use domain::model::{ModelRef, Usage};

/// Most calls that are followed at one time; the oldest is forgotten first.
const FOLLOWED_CALLS: usize = 256;

/// A call that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCall {
    /// Which.
    pub call_id: CallId,
    /// By which agent; `None`: by the root agent.
    pub agent_id: Option<AgentId>,
    /// For which request.
    pub query_id: Option<QueryId>,
    /// The tool asked for.
    pub tool: String,
    /// When it was asked for.
    pub since: Timestamp,
}

/// Calls under way and the model in use: a fold over a session's events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtWork {
    calls: Vec<RunningCall>,
    model: Option<ModelRef>,
    reason: String,
    last: Option<Usage>,
}

impl AtWork {
    /// Takes the next event of the log. `is_root`: whether it is of the root agent.
    pub fn apply(&mut self, event: &Event, is_root: bool) {
        match &event.body {
            EventBody::ToolRequested { tool, .. } => {
                let Some(call_id) = event.call_id else {
                    return;
                };
                if self.calls.len() >= FOLLOWED_CALLS {
                    self.calls.remove(0);
                }
                self.calls.push(RunningCall {
                    call_id,
                    agent_id: event.agent_id,
                    query_id: event.query_id,
                    tool: tool.clone(),
                    since: event.time,
                });
            }
            EventBody::ToolResult { .. } => {
                self.calls.retain(|one| Some(one.call_id) != event.call_id);
            }
            EventBody::QueryFinished { .. } => {
                self.calls.retain(|one| one.query_id != event.query_id);
            }
            EventBody::SessionResumed { .. } => self.calls.clear(),
            EventBody::ModelChosen { model, reason } if is_root => {
                self.model = Some(model.clone());
                self.reason.clone_from(reason);
            }
            EventBody::ModelAnswered { usage, aside, .. } if is_root && !aside => {
                self.last = Some(*usage);
            }
            _ => {}
        }
    }

    /// The calls that have no result yet, oldest first.
    #[must_use]
    pub fn calls(&self) -> &[RunningCall] {
        &self.calls
    }

    /// The model that was last chosen for the root agent.
    #[must_use]
    pub const fn model(&self) -> Option<&ModelRef> {
        self.model.as_ref()
    }

    /// Why it was, in words; empty before one was chosen.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What the root agent's last model call cost: how full the context is.
    #[must_use]
    pub const fn last(&self) -> Option<Usage> {
        self.last
    }
}
