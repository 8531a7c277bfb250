//! The channels of GPT-OSS, after OpenAI's description of the harmony response format.
//!
//! `<|channel|>analysis<|message|>` is thinking, `commentary to=functions.name` is a call whose
//! body is its arguments, and everything else is visible.

use super::follow;
use super::found::LeakedCall;
use super::input::{Input, Match};
use super::json;
use super::offered::Offered;

const MESSAGE: &str = "<|message|>";
/// Longest header, bytes.
const HEADER_BYTES: usize = 240;

/// Marks that end a message. The last two begin the next one and stay.
pub(super) const ENDS: [&str; 5] = [
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|start|>",
    "<|channel|>",
];

/// What a message is.
pub(super) enum Message {
    /// Thinking; its text follows.
    Thinking,
    /// Visible; its text follows.
    Visible,
    /// A call, whole.
    Call(LeakedCall),
}

/// A message's header, and for a call its body.
pub(super) fn message(input: Input<'_>, offered: &Offered) -> Match<Message> {
    match input.any_literal(&["<|start|>", "<|channel|>"]) {
        Match::Yes(..) => {}
        Match::More => return Match::More,
        Match::No => return Match::No,
    }
    let Some(end) = input.text.find(MESSAGE) else {
        return if input.text.len() > HEADER_BYTES {
            Match::No
        } else {
            input.more()
        };
    };
    if end > HEADER_BYTES {
        return Match::No;
    }
    let header = input.text.get(..end).unwrap_or_default();
    let body = end + MESSAGE.len();
    if let Some(name) = word_after(header, "to=") {
        return match json::object(input.after(body)) {
            Match::Yes(arguments, bytes) => match offered.call(name, arguments) {
                Some(call) => Match::Yes(Message::Call(call), body + bytes),
                None => Match::No,
            },
            Match::More => Match::More,
            Match::No => Match::No,
        };
    }
    match word_after(header, "<|channel|>") {
        Some("analysis") => Match::Yes(Message::Thinking, body),
        _ => Match::Yes(Message::Visible, body),
    }
}

/// Calls that are all that is left of the answer.
pub(super) fn calls(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut calls = Vec::new();
    let mut taken = 0;
    loop {
        let rest = input.after(taken);
        match message(rest.after(rest.space()), offered) {
            Match::Yes(Message::Call(call), bytes) => {
                calls.push(call);
                taken += rest.space() + bytes;
            }
            Match::Yes(..) | Match::No => return Match::No,
            Match::More => return Match::More,
        }
        let after = input.after(taken);
        match follow::end(after) {
            Match::Yes((), more) => return Match::Yes(calls, taken + more),
            Match::More => return Match::More,
            Match::No => {}
        }
        match after.after(after.space()).any_literal(&ENDS[..3]) {
            Match::Yes(_, bytes) => taken += after.space() + bytes,
            Match::More => return Match::More,
            Match::No => {}
        }
    }
}

/// The word that follows a mark.
fn word_after<'a>(header: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(mark)?;
    let end = rest
        .find(|c: char| c.is_whitespace() || c == '<')
        .unwrap_or(rest.len());
    rest.get(..end).filter(|word| !word.is_empty())
}
