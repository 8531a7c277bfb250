//! Faults: what went wrong, in the words of the person who has to act on it.

use serde::{Deserialize, Serialize};

/// The code of the fault with which a request ends whose process ended before it.
pub const PROCESS_ENDED_CODE: &str = "agents.stopped";

/// An error as people and programs see it: a stable code, what happened, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Stable reason code such as `models.unreachable`, listed in docs/errors.md.
    pub code: String,
    /// What happened, where and why, in one or two sentences.
    pub message: String,
    /// What to do about it; empty when there is nothing to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// Errors that people see. Every service error implements this.
pub trait Coded {
    /// The stable reason code, `service.reason`, listed in docs/errors.md.
    fn code(&self) -> &'static str;

    /// What happened, where and why, for the user. Never holds a secret.
    fn message(&self) -> String;

    /// What to do about it; empty when there is nothing to do.
    fn hint(&self) -> String;

    /// All three together.
    fn fault(&self) -> Fault {
        Fault {
            code: self.code().to_owned(),
            message: self.message(),
            hint: self.hint(),
        }
    }
}
