//! The events that close what a dead process left open.

use domain::event::{EventBody, QueryStatus};
use domain::fault::{Fault, PROCESS_ENDED_CODE};
use domain::id::{AgentId, CallId, QueryId};

/// An event that closes what a dead process left open.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    /// The request.
    pub query_id: QueryId,
    /// The agent, as far as an event has said so.
    pub agent_id: Option<AgentId>,
    /// The call, where it closes one.
    pub call_id: Option<CallId>,
    /// What happened.
    pub body: EventBody,
}

/// Whether what is closed ends its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It does: nobody works on the request any more.
    Request,
    /// It does not: the request is another agent's.
    Nothing,
}

/// The end of a request whose process died.
#[must_use]
pub fn stopped() -> EventBody {
    EventBody::QueryFinished {
        status: QueryStatus::Interrupted,
        artifacts: Vec::new(),
        duration_ms: 0,
        error: Some(Fault {
            code: PROCESS_ENDED_CODE.to_owned(),
            message: "Housecarl stopped before this request was finished.".to_owned(),
            hint: "Send it again to have it done.".to_owned(),
        }),
    }
}
