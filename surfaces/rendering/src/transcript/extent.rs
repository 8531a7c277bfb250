//! How much of a session a document holds.

use text::escape::prose;
use text::markdown::{Place, disarmed};

/// How much a document holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What one reads on a screen: results of tools by their outcome, sub-agents by their reports.
    Overview,
    /// Everything: results in their words, each sub-agent with all it did.
    Whole,
}

/// A text as a block quote goes on with it.
pub(super) fn quoted(text: &str) -> String {
    shown(text).trim_end().replace('\n', "\n> ")
}

/// What others than the user wrote, amid what is ours: nothing hides in it and nothing acts.
pub(super) fn shown(text: &str) -> String {
    disarmed(&prose(text), Place::Within, |_| false)
}

/// As [`shown`], on one line.
pub(super) fn shown_line(text: &str) -> String {
    shown(text).replace('\n', " ")
}
