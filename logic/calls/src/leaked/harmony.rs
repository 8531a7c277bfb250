//! The channels of GPT-OSS, after OpenAI's description of the harmony response format.
//!
//! `<|channel|>analysis<|message|>` is thinking, `commentary to=functions.name` is a call whose
//! body is its arguments, and everything else is visible.

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

/// A message's header, and for a call its body. What ends it stays.
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

/// A message that is a call.
pub(super) fn call(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    match message(input, offered) {
        Match::Yes(Message::Call(call), bytes) => Match::Yes(vec![call], bytes),
        Match::Yes(..) | Match::No => Match::No,
        Match::More => Match::More,
    }
}

/// The tool, as far as it is written, of a message that is not whole and can only be a call.
pub(super) fn begun(text: &str) -> Option<&str> {
    let is_message = ["<|start|>", "<|channel|>"]
        .iter()
        .any(|begin| text.starts_with(begin));
    if !is_message {
        return None;
    }
    let (header, has_body) = match text.split_once(MESSAGE) {
        Some((header, _)) => (header, true),
        None => (text, false),
    };
    // What is said in that channel and calls nothing has a body of text.
    let may_call = !has_body && word_after(header, "<|channel|>") == Some("commentary");
    let is_call = header.contains("to=") || may_call;
    is_call.then(|| word_after(header, "to=").unwrap_or_default())
}

/// The word that follows a mark.
fn word_after<'a>(header: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(mark)?;
    let end = rest
        .find(|c: char| c.is_whitespace() || c == '<')
        .unwrap_or(rest.len());
    rest.get(..end).filter(|word| !word.is_empty())
}
