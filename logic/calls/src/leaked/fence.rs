//! Code blocks: the ones that hold nothing but calls, and where the others end.

use super::json::{self, Place};
use super::offered::Offered;
use super::{Input, LeakedCall, Match, forms, python};

const FENCE: &str = "```";
/// Longest first line of a block, bytes.
const INFO_BYTES: usize = 80;

/// A block that holds nothing but calls. An open block at the very end counts as closed.
pub(super) fn calls(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let (info, head) = match opening(input) {
        Match::Yes(info, bytes) => (info, bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let body = input.after(head);
    let inside = match info.as_str() {
        "" | "json" | "jsonc" | "tool_call" | "tool_calls" | "tool" | "function_call" => {
            either(json::calls(body, Place::Open, offered), || {
                forms::tagged(body.after(body.space()), offered)
                    .map(|found| found.calls)
                    .after(body.space())
            })
        }
        "tool_code" => either(python::statements(body, offered), || {
            python::list(body.after(body.space()), offered).after(body.space())
        }),
        "xml" => forms::tagged(body.after(body.space()), offered)
            .map(|found| found.calls)
            .after(body.space()),
        _ => Match::No,
    };
    let (calls, bytes) = match inside {
        Match::Yes(calls, bytes) => (calls, bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let rest = body.after(bytes);
    let gap = rest.space();
    let end = rest.after(gap);
    if end.text.is_empty() && end.is_last {
        return Match::Yes(calls, head + bytes);
    }
    match end.literal(FENCE) {
        Match::Yes((), fence) => Match::Yes(calls, head + bytes + gap + fence),
        Match::More => Match::More,
        Match::No => Match::No,
    }
}

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

/// The second where the first is certainly not there.
fn either<T>(first: Match<T>, second: impl FnOnce() -> Match<T>) -> Match<T> {
    match first {
        Match::Yes(..) => first,
        Match::More => match second() {
            found @ Match::Yes(..) => found,
            Match::More | Match::No => Match::More,
        },
        Match::No => second(),
    }
}

impl<T> Match<T> {
    /// The same, found so many bytes further on.
    pub(super) fn after(self, gap: usize) -> Self {
        match self {
            Self::Yes(found, bytes) => Self::Yes(found, gap + bytes),
            other => other,
        }
    }
}
