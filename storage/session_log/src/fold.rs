//! What a log comes to, which whoever keeps the log says.

use domain::event::{Event, EventBody};
use domain::id::{AgentId, CallId, QueryId};

/// What an event belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scope {
    /// The request.
    pub query_id: Option<QueryId>,
    /// The agent.
    pub agent_id: Option<AgentId>,
    /// The tool call.
    pub call_id: Option<CallId>,
}

/// What is folded from a log: while it is written, and again when it is read.
pub trait Fold: Default {
    /// Takes the next event of the log.
    fn apply(&mut self, event: &Event);

    /// The events that end what is open, in order, for a log that nobody goes on with. Empty: nothing
    /// is open.
    fn endings(&self) -> Vec<(Scope, EventBody)>;
}
