//! What may come after calls that are the whole answer: nothing, tokens that end a reply, or what is
//! left over of the calls' own spelling.

use super::input::{Input, Match};
use super::tags::TAGS;
use super::{deepseek, fence, xml};

/// Tokens that end a reply in some template. After calls they are part of the leak.
const STOPS: [&str; 12] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_turn>",
    "<turn|>",
    "</s>",
];

/// Brackets that close. One too many takes nothing from the call before it.
pub(super) const CLOSING: [char; 3] = ['}', ']', ')'];

/// Longest closing tag or token that is left over, bytes.
const TAG_BYTES: usize = 40;

/// What is no call, and says nothing either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOver {
    /// Closes something once more: the calls are what they would be without it.
    Closing,
    /// Anything else without a word: a value may have ended too early, or another call was to come.
    Other,
}

/// Whether the answer ends here, and how many bytes of it are left.
pub(super) fn end(after: Input<'_>) -> Match<()> {
    let mut taken = 0;
    loop {
        let rest = after.after(taken);
        let space = rest.space();
        let next = rest.after(space);
        if next.text.is_empty() {
            return if next.is_last {
                Match::Yes((), taken)
            } else {
                Match::More
            };
        }
        match next.any_literal(&STOPS) {
            Match::Yes(_, bytes) => taken += space + bytes,
            Match::More => return Match::More,
            Match::No => return Match::No,
        }
    }
}

/// One thing left over: a bracket, a mark, or a tag or token that closes.
pub(super) fn left_over(rest: Input<'_>) -> Match<LeftOver> {
    let closes = TAGS.iter().flat_map(|(_, closes)| *closes);
    let closes = closes.chain(&xml::CLOSES).chain(&STOPS);
    let closes: Vec<&str> = closes.copied().chain([fence::FENCE]).collect();
    let known = match rest.any_literal(&closes) {
        Match::Yes(_, bytes) => return Match::Yes(LeftOver::Closing, bytes),
        other => other,
    };
    match deepseek::closes(rest) {
        Match::Yes((), bytes) => return Match::Yes(LeftOver::Closing, bytes),
        Match::More => return Match::More,
        Match::No if known == Match::More => return Match::More,
        Match::No => {}
    }
    match rest.text.chars().next() {
        None => rest.more(),
        Some('<') => tag(rest),
        Some(c) if CLOSING.contains(&c) => Match::Yes(LeftOver::Closing, c.len_utf8()),
        // These begin something, and a word says something.
        Some('{' | '[') => Match::No,
        Some(c) if c.is_alphanumeric() => Match::No,
        Some(c) => Match::Yes(LeftOver::Other, c.len_utf8()),
    }
}

/// A closing tag or a token of no form that is known here.
fn tag(rest: Input<'_>) -> Match<LeftOver> {
    match rest.text.chars().nth(1) {
        None => return rest.more(),
        Some('/' | '|' | '｜') => {}
        Some(_) => return Match::No,
    }
    match rest.text.find('>') {
        Some(end) if end < TAG_BYTES => Match::Yes(LeftOver::Other, end + 1),
        None if rest.text.len() < TAG_BYTES => rest.more(),
        Some(_) | None => Match::No,
    }
}
