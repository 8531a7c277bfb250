//! How much of a session a document holds.

use text::escape::visible;

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
    visible(text).trim_end().replace('\n', "\n> ")
}
