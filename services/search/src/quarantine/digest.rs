//! What is kept of a page: its summary and its claims, cleaned.

use crate::words::{cut, sentences};
use text::firewall;

/// Longest claim, characters.
pub(crate) const CLAIM_CHARS: usize = 400;
/// Longest summary, characters.
pub(crate) const SUMMARY_CHARS: usize = 1_200;

/// What a page says about a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Digested {
    pub(crate) summary: String,
    pub(crate) claims: Vec<Stated>,
}

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    pub(crate) claim: String,
    /// 0 to 1.
    pub(crate) confidence: f32,
}

/// Foreign text as one paragraph of at most `max_chars` characters, without disguises and without
/// what speaks to an AI.
pub(crate) fn clean(text: &str, max_chars: usize) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let (kept, _) = firewall::without_orders(&line.join(" "));
    cut(&firewall::defuse(&kept).text, max_chars)
}

/// The first sentence of a text, for a claim.
pub(crate) fn first_sentence(text: &str) -> &str {
    sentences(text).first().copied().unwrap_or_default()
}
