//! What is to be graded, and why something is not.

use domain::fault::Fault;
use domain::id::{QueryId, SessionId};

/// An answer that is to be graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) session_id: SessionId,
    pub(super) query_id: QueryId,
    /// The event that says so.
    pub(super) seq: u64,
    /// Whether the user asked for it.
    pub(super) is_asked: bool,
}

/// Why there is no grade, for the user.
pub(super) fn fault(code: &str, message: impl Into<String>, hint: &str) -> Fault {
    Fault {
        code: code.to_owned(),
        message: message.into(),
        hint: hint.to_owned(),
    }
}
