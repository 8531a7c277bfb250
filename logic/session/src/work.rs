//! What is at work in a session right now: calls without a result, and what the root agent's model
//! last said of itself.

use domain::Timestamp;
use domain::decision::Verdict;
use domain::event::{ConfirmationAnswer, Event, EventBody};
use domain::id::{AgentId, CallId, QueryId};
use domain::model::{ModelRef, Usage};

/// Most calls that are followed at one time; the oldest is forgotten first.
const FOLLOWED_CALLS: usize = 256;

/// A call that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
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
    /// How far it has come.
    pub stage: CallStage,
    /// What it last said that it does, and how much is done, percent.
    pub progress: Option<(String, Option<u8>)>,
}

/// How far a call has come that has no result yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStage {
    /// It is judged, waits to be, or ends without having run.
    Requested,
    /// It waits for the user's yes, whether its question stands already or another one before it.
    Asked,
    /// It may run, and does so once it is its turn.
    Cleared,
}

/// Calls without a result and the model in use: a fold over a session's events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtWork {
    calls: Vec<OpenCall>,
    model: Option<ModelRef>,
    reason: String,
    context_tokens: u32,
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
                self.calls.push(OpenCall {
                    call_id,
                    agent_id: event.agent_id,
                    query_id: event.query_id,
                    tool: tool.clone(),
                    since: event.time,
                    stage: CallStage::Requested,
                    progress: None,
                });
            }
            EventBody::BrokerDecision { verdict, .. } => match verdict {
                Verdict::Allow => self.reaches(event, CallStage::Cleared),
                Verdict::Confirm => self.reaches(event, CallStage::Asked),
                Verdict::Deny => {}
            },
            EventBody::ConfirmationAnswered { answer, .. } => match answer {
                ConfirmationAnswer::Once | ConfirmationAnswer::Session => {
                    self.reaches(event, CallStage::Cleared);
                }
                ConfirmationAnswer::Deny { .. } => self.reaches(event, CallStage::Requested),
            },
            EventBody::ToolProgress { message, percent } => {
                if let Some(call) = self.call_of(event) {
                    call.progress = Some((message.clone(), *percent));
                }
            }
            EventBody::ToolResult { .. } => {
                self.calls.retain(|one| Some(one.call_id) != event.call_id);
            }
            EventBody::QueryFinished { .. } => {
                self.calls.retain(|one| one.query_id != event.query_id);
            }
            EventBody::SessionResumed { .. } => self.calls.clear(),
            EventBody::ModelChosen {
                model,
                reason,
                context_tokens,
            } if is_root => {
                self.model = Some(model.clone());
                self.reason.clone_from(reason);
                self.context_tokens = *context_tokens;
            }
            EventBody::ModelAnswered { usage, aside, .. } if is_root && !aside => {
                self.last = Some(*usage);
            }
            _ => {}
        }
    }

    fn call_of(&mut self, event: &Event) -> Option<&mut OpenCall> {
        let mut calls = self.calls.iter_mut();
        calls.find(|one| Some(one.call_id) == event.call_id)
    }

    fn reaches(&mut self, event: &Event, stage: CallStage) {
        if let Some(call) = self.call_of(event) {
            call.stage = stage;
        }
    }

    /// The calls that may run and have no result yet, oldest first.
    pub fn running(&self) -> impl Iterator<Item = &OpenCall> {
        self.calls
            .iter()
            .filter(|call| call.stage == CallStage::Cleared)
    }

    /// How many calls wait for the user's yes.
    #[must_use]
    pub fn asked(&self) -> usize {
        let asked = |call: &&OpenCall| call.stage == CallStage::Asked;
        self.calls.iter().filter(asked).count()
    }

    /// The calls that have no result yet, oldest first.
    #[must_use]
    pub fn calls(&self) -> &[OpenCall] {
        &self.calls
    }

    /// The context that the last request of the root agent is worked on in, tokens; `None`: not told.
    #[must_use]
    pub const fn context_tokens(&self) -> Option<u32> {
        match self.context_tokens {
            0 => None,
            tokens => Some(tokens),
        }
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
