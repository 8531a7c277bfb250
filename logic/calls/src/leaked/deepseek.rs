//! Calls between the special tokens of DeepSeek and Kimi.
//!
//! DeepSeek writes its tokens with a full-width bar and a low block (`<｜tool▁calls▁begin｜>`);
//! servers and fine-tunes also pass them on in ASCII. Both are read.

use super::found::LeakedCall;
use super::input::{Input, Match};
use super::json;
use super::offered::Offered;

const SECTION_BEGINS: [&str; 2] = ["<|tool_calls_begin|>", "<|tool_calls_section_begin|>"];
const SECTION_ENDS: [&str; 2] = ["<|tool_calls_end|>", "<|tool_calls_section_end|>"];
const CALL_BEGIN: &str = "<|tool_call_begin|>";
const CALL_END: &str = "<|tool_call_end|>";
const ARGUMENTS: [&str; 2] = ["<|tool_sep|>", "<|tool_call_argument_begin|>"];
/// Tokens that open a section or a call.
const OPENS: [&str; 3] = [SECTION_BEGINS[0], SECTION_BEGINS[1], CALL_BEGIN];
/// Longest name between two tokens, bytes.
const NAME_BYTES: usize = 120;

/// A section of calls, or calls without their section.
pub(super) fn calls(input: Input<'_>, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut taken = match any_token(input, &SECTION_BEGINS) {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => 0,
    };
    let mut found = Vec::new();
    loop {
        let rest = input.after(taken);
        let gap = rest.space();
        match one(rest.after(gap), offered) {
            Match::Yes(call, bytes) => {
                found.push(call);
                taken += gap + bytes;
            }
            Match::More => return Match::More,
            Match::No => break,
        }
    }
    if found.is_empty() {
        return Match::No;
    }
    let rest = input.after(taken);
    let gap = rest.space();
    match any_token(rest.after(gap), &SECTION_ENDS) {
        Match::Yes((), bytes) => Match::Yes(found, taken + gap + bytes),
        Match::More => Match::More,
        Match::No => Match::Yes(found, taken),
    }
}

/// Whether a text ends in the middle of a token that opens.
pub(super) fn is_opening(text: &str) -> bool {
    let input = Input {
        text,
        is_last: false,
    };
    any_token(input, &OPENS) == Match::More
}

/// What comes after a token that opens a section or a call.
pub(super) fn opened(text: &str) -> Option<&str> {
    let input = Input {
        text,
        is_last: true,
    };
    match any_token(input, &OPENS) {
        Match::Yes((), bytes) => text.get(bytes..),
        Match::More | Match::No => None,
    }
}

/// The tool of a call whose arguments are not whole, after the token that opens it.
pub(super) fn named(text: &str) -> &str {
    let end = text.find('<').unwrap_or(text.len());
    let (before, after) = text.split_at(end);
    let input = Input {
        text: after,
        is_last: true,
    };
    match any_token(input, &ARGUMENTS) {
        Match::Yes((), bytes) if before.trim() == "function" => {
            let rest = after.get(bytes..).unwrap_or_default();
            rest.lines().next().unwrap_or_default()
        }
        Match::Yes(..) | Match::More | Match::No => before.split(':').next().unwrap_or_default(),
    }
}

/// Whether a token stands here that closes a call or a section.
pub(super) fn closes(input: Input<'_>) -> Match<()> {
    any_token(input, &[SECTION_ENDS[0], SECTION_ENDS[1], CALL_END])
}

fn one(input: Input<'_>, offered: &Offered) -> Match<LeakedCall> {
    let begin = match token(input, CALL_BEGIN) {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let head = input.after(begin);
    let Some(end) = head.text.find('<') else {
        return if head.text.len() > NAME_BYTES {
            Match::No
        } else {
            input.more()
        };
    };
    let before = head.text.get(..end).unwrap_or_default().trim();
    let separator = match any_token(head.after(end), &ARGUMENTS) {
        Match::Yes((), bytes) => bytes,
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let body = head.after(end + separator);
    let base = begin + end + separator;
    // Older templates: the kind, the separator, the name on a line of its own, a fenced object.
    if before == "function" && !offered.offers(before) {
        return fenced(input, base, body, offered);
    }
    let (arguments, bytes) = match json::object(body) {
        Match::Yes(arguments, bytes) => (arguments, bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    // Kimi numbers its calls: `functions.name:0`.
    let name = before
        .rsplit_once(':')
        .map_or(before, |(name, _number)| name);
    finish(input, base + bytes, offered.call(name, arguments))
}

fn fenced(input: Input<'_>, base: usize, body: Input<'_>, offered: &Offered) -> Match<LeakedCall> {
    let Some(open) = body.text.find('{') else {
        return if body.text.len() > NAME_BYTES {
            Match::No
        } else {
            input.more()
        };
    };
    let head = body.text.get(..open).unwrap_or_default();
    let name = head.lines().next().unwrap_or_default().trim();
    let rest = head.get(name.len()..).unwrap_or_default();
    if !matches!(rest.trim(), "```json" | "```" | "") {
        return Match::No;
    }
    let (arguments, bytes) = match json::object(body.after(open)) {
        Match::Yes(arguments, bytes) => (arguments, bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    let mut taken = base + open + bytes;
    let after = input.after(taken);
    match after.after(after.space()).literal("```") {
        Match::Yes((), bytes) => taken += after.space() + bytes,
        Match::More => return Match::More,
        Match::No => {}
    }
    finish(input, taken, offered.call(name, arguments))
}

fn finish(input: Input<'_>, taken: usize, call: Option<LeakedCall>) -> Match<LeakedCall> {
    let Some(call) = call else {
        return Match::No;
    };
    let rest = input.after(taken);
    let gap = rest.space();
    match token(rest.after(gap), CALL_END) {
        Match::Yes((), bytes) => Match::Yes(call, taken + gap + bytes),
        Match::More => Match::More,
        Match::No => Match::Yes(call, taken),
    }
}

fn any_token(input: Input<'_>, tokens: &[&str]) -> Match<()> {
    let mut more = false;
    for one in tokens {
        match token(input, one) {
            Match::Yes((), bytes) => return Match::Yes((), bytes),
            Match::More => more = true,
            Match::No => {}
        }
    }
    if more { Match::More } else { Match::No }
}

/// Whether a token stands here, in either spelling.
fn token(input: Input<'_>, ascii: &str) -> Match<()> {
    let mut written = input.text.char_indices();
    for expected in ascii.chars() {
        match written.next().map(|(_, c)| c) {
            None => return input.more(),
            Some('｜') if expected == '|' => {}
            Some('▁') if expected == '_' => {}
            Some(c) if c == expected => {}
            Some(_) => return Match::No,
        }
    }
    Match::Yes((), written.offset())
}
