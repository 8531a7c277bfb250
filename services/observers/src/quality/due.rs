//! What is to be done about answers, and why something is not.

use domain::event::{Event, EventBody};
use domain::fault::Fault;
use domain::id::{QueryId, SessionId};

/// What is to be done about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// It is to be graded.
    Grade,
    /// A second answer is to be given, and both are to be compared.
    Second,
}

/// An answer about which something is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) session_id: SessionId,
    pub(super) query_id: QueryId,
    pub(super) task: Task,
    /// The event that says so.
    pub(super) seq: u64,
    /// Whether the user asked for it.
    pub(super) is_asked: bool,
}

impl Due {
    /// Whether it speaks of the answer that stood before the user took a second one over by this event.
    pub(super) fn is_before(&self, event: &Event) -> bool {
        let is_taken = matches!(event.body, EventBody::SecondTaken { .. });
        is_taken && event.query_id == Some(self.query_id) && event.seq > self.seq
    }
}

/// Why there is no grade, for the user.
pub(super) fn fault(code: &str, message: impl Into<String>, hint: &str) -> Fault {
    Fault {
        code: code.to_owned(),
        message: message.into(),
        hint: hint.to_owned(),
    }
}

/// Why there is nothing to grade or to compare.
pub(super) fn no_answer() -> Fault {
    let message = "There is no answer to a message of yours: the request ended without one, or the session took \
                   that turn by itself.";
    fault("quality.no_answer", message, "")
}
