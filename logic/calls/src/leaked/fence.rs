//! Code blocks: how they open.

use super::input::{Input, Match};

pub(super) const FENCE: &str = "```";
/// Longest first line of a block, bytes.
const INFO_BYTES: usize = 80;

/// The first line of a block: what comes after the back-ticks, in lower case.
pub(super) fn opening(input: Input<'_>) -> Match<String> {
    let ticks = match input.literal(FENCE) {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let rest = input.after(ticks);
    let Some(end) = rest.text.find('\n') else {
        return if rest.text.len() > INFO_BYTES {
            Match::No
        } else {
            input.more()
        };
    };
    let info = rest.text.get(..end).unwrap_or_default().trim();
    if end > INFO_BYTES || info.contains('`') {
        return Match::No;
    }
    Match::Yes(info.to_lowercase(), ticks + end + 1)
}
