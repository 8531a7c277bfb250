//! What is said of a command that is not understood.

use domain::fault::Fault;

/// A fault of the line that was typed.
pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault {
        code: "carl.usage".to_owned(),
        message: message.into(),
        hint: hint.into(),
    }
}
