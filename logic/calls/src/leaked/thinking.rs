//! Tags around thinking.

use super::input::{Input, Match};

/// How thinking opens, and how it may close.
const TAGS: [(&str, &[&str]); 10] = [
    ("<think>", &["</think>"]),
    ("<thinking>", &["</thinking>"]),
    ("<thought>", &["</thought>"]),
    ("<reasoning>", &["</reasoning>"]),
    ("<reflection>", &["</reflection>"]),
    ("<seed:think>", &["</seed:think>"]),
    (
        "<|think|>",
        &["<|/think|>", "</|think|>", "<|end_think|>", "</think>"],
    ),
    ("<|START_THINKING|>", &["<|END_THINKING|>"]),
    ("[THINK]", &["[/THINK]"]),
    ("◁think▷", &["◁/think▷"]),
];

/// Marks that close thinking whose beginning was part of the prompt.
const CLOSES: [&str; 7] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "<|/think|>",
    "[/THINK]",
    "◁/think▷",
];

/// The way thinking closes that opens here.
pub(super) fn opens(input: Input<'_>) -> Match<&'static [&'static str]> {
    let mut more = false;
    for (open, closes) in TAGS {
        match input.literal(open) {
            Match::Yes((), bytes) => return Match::Yes(closes, bytes),
            Match::More => more = true,
            Match::No => {}
        }
    }
    if more { Match::More } else { Match::No }
}

/// Whether a closing mark stands here.
pub(super) fn closes(input: Input<'_>) -> Match<()> {
    input.any_literal(&CLOSES).map(|_| ())
}

/// Where thinking ends: the bytes before the mark, and the mark's own.
pub(super) fn end(text: &str, closes: &[&str]) -> Option<(usize, usize)> {
    closes
        .iter()
        .filter_map(|close| text.find(close).map(|at| (at, close.len())))
        .min()
}

/// How many bytes at the end of a text may be the beginning of a mark.
pub(super) fn partial(text: &str, closes: &[&str]) -> usize {
    let longest = closes.iter().map(|close| close.len()).max().unwrap_or(0);
    (1..longest.min(text.len() + 1))
        .rev()
        .find(|length| {
            let tail = text.get(text.len() - length..);
            tail.is_some_and(|tail| closes.iter().any(|close| close.starts_with(tail)))
        })
        .unwrap_or(0)
}
