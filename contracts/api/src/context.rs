//! What every call carries.

use domain::id::{AgentToken, SessionId, TraceId};

/// Who calls, for which session, in which chain of work. The lineage is not here: the broker looks
/// it up from the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallContext {
    /// The session.
    pub session_id: SessionId,
    /// Proof of being a registered agent.
    pub agent_token: AgentToken,
    /// The chain of work.
    pub trace_id: TraceId,
}
