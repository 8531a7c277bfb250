//! Failures of tools, worded for the model that has to act on them. A fixed sentence is in our own
//! words. Any other counts as quoting what the tool met: that a file is there, how long it is and
//! where in it something stands was written by whoever wrote the file. One that only repeats the call
//! says so with [`of_call`].

use std::borrow::Cow;

/// What kind of failure a tool met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The path turned out to lead where it must not.
    Refused,
    /// Something the model can mend: no such file, text not found.
    Mendable,
    /// The machine failed: disk full, I/O error.
    Broken,
    /// It took too long.
    Timeout,
}

/// Whose words stand in a failure's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// The tool's own, and what the call itself said: they carry no more than the call did.
    Own,
    /// Also what the tool met: a line of a file, a program's complaint, a server's answer.
    Met,
}

/// Why a tool did not do its work. Written for the model: it names what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// Stable name: `not_found`, `no_match`, `ambiguous_match`, `outside_roots`.
    pub rule: Cow<'static, str>,
    /// What happened and what to do.
    pub message: String,
    /// Whose words these are. When in doubt, [`Words::Met`].
    pub words: Words,
}

impl ToolFailure {
    /// The same failure, whose message quotes what the tool met.
    #[must_use]
    pub fn quoting(self) -> Self {
        Self {
            words: Words::Met,
            ..self
        }
    }
}

/// A message with whose words it is in.
#[derive(Debug)]
pub struct Message {
    text: String,
    words: Words,
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Self {
        Self {
            text: text.to_owned(),
            words: Words::Own,
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self {
            text,
            words: Words::Met,
        }
    }
}

/// A message of fixed words and what the call itself said: no file, folder or program had a part in
/// it.
#[must_use]
pub const fn of_call(text: String) -> Message {
    Message {
        text,
        words: Words::Own,
    }
}

fn failure(kind: FailureKind, rule: &'static str, message: Message) -> ToolFailure {
    ToolFailure {
        kind,
        rule: Cow::Borrowed(rule),
        message: message.text,
        words: message.words,
    }
}

/// Something that the model can mend.
#[must_use]
pub fn mendable(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Mendable, rule, message.into())
}

/// A call that must not be made.
#[must_use]
pub fn refused(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Refused, rule, message.into())
}

/// The machine failed.
#[must_use]
pub fn broken(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Broken, rule, message.into())
}

/// The tool panicked: nothing is known of what it did.
#[must_use]
pub fn panicked() -> ToolFailure {
    broken(
        "panic",
        "The tool broke down. Do not repeat the call; report what you could not do.",
    )
}

/// It took too long.
#[must_use]
pub fn timeout(rule: &'static str, message: impl Into<Message>) -> ToolFailure {
    failure(FailureKind::Timeout, rule, message.into())
}
