//! Calls written as tags: `<function=name><parameter=key>value</parameter></function>`,
//! `<invoke name="name">…</invoke>`, and the key and value tags of GLM.

use super::found::LeakedCall;
use super::input::{Input, Match};
use super::json;
use super::offered::Offered;

/// Ways to open a function; the name follows.
const OPENERS: [(&str, &str); 4] = [
    ("<function=", "</function>"),
    ("<function name=", "</function>"),
    ("<invoke name=", "</invoke>"),
    ("<tool_call name=", "</tool_call>"),
];
/// How they close.
pub(super) const CLOSES: [&str; 2] = ["</function>", "</invoke>"];
/// Ways to open a parameter; the key follows.
const PARAMETERS: [&str; 2] = ["<parameter=", "<parameter name="];
const PARAMETER_END: &str = "</parameter>";
/// Longest name or key, bytes.
const NAME_BYTES: usize = 80;

/// One call written as a function tag.
pub(super) fn function(input: Input<'_>, offered: &Offered) -> Match<LeakedCall> {
    let mut more = false;
    for (open, close) in OPENERS {
        match input.literal(open) {
            Match::Yes((), bytes) => return named(input, bytes, close, offered),
            Match::More => more = true,
            Match::No => {}
        }
    }
    if more { Match::More } else { Match::No }
}

/// The name in a function tag that stands here, as far as it is written.
pub(super) fn begun(text: &str) -> Option<&str> {
    let named = OPENERS.iter().find_map(|(open, _)| text.strip_prefix(open));
    let name = named?.split(['>', '\n']).next().unwrap_or_default();
    Some(name.trim().trim_matches(['"', '\'']).trim())
}

fn named(input: Input<'_>, at: usize, close: &str, offered: &Offered) -> Match<LeakedCall> {
    let (name, taken) = match attribute(input.after(at)) {
        Match::Yes(name, bytes) => (name, at + bytes),
        Match::More => return Match::More,
        Match::No => return Match::No,
    };
    if !offered.has(&name) {
        return Match::No;
    }
    let rest = input.after(taken);
    let (call, bytes) = match json::object(rest) {
        Match::Yes(arguments, bytes) => (offered.call(&name, arguments), bytes),
        Match::More => return Match::More,
        Match::No => match parameters(rest) {
            Match::Yes(texts, bytes) => (offered.call_from_texts(&name, texts), bytes),
            Match::More => return Match::More,
            Match::No => return Match::No,
        },
    };
    let Some(call) = call else {
        return Match::No;
    };
    let taken = taken + bytes;
    let rest = input.after(taken);
    match rest.after(rest.space()).literal(close) {
        Match::Yes((), bytes) => Match::Yes(call, taken + rest.space() + bytes),
        Match::More => Match::More,
        // A model may leave the closing tag out.
        Match::No => Match::Yes(call, taken),
    }
}

/// A name in or without quotes, and the `>` that ends the tag.
fn attribute(input: Input<'_>) -> Match<String> {
    let Some(end) = input.text.find('>') else {
        return if input.text.len() > NAME_BYTES {
            Match::No
        } else {
            input.more()
        };
    };
    let name = input.text.get(..end).unwrap_or_default();
    if end > NAME_BYTES || name.contains('\n') {
        return Match::No;
    }
    let name = name.trim().trim_matches(['"', '\'']).trim();
    Match::Yes(name.to_owned(), end + 1)
}

/// Parameters until something else comes; none is fine.
fn parameters(input: Input<'_>) -> Match<Vec<(String, String)>> {
    let mut all = Vec::new();
    let mut taken = 0;
    loop {
        let rest = input.after(taken);
        let gap = rest.space();
        let rest = rest.after(gap);
        let open = match rest.any_literal(&PARAMETERS) {
            Match::Yes(_, bytes) => bytes,
            Match::More => return Match::More,
            Match::No => return Match::Yes(all, taken),
        };
        let (key, bytes) = match attribute(rest.after(open)) {
            Match::Yes(key, bytes) => (key, open + bytes),
            Match::More => return Match::More,
            Match::No => return Match::No,
        };
        let (value, used) = match until(rest.after(bytes), PARAMETER_END) {
            Match::Yes(value, used) => (value, used),
            Match::More => return Match::More,
            Match::No => return Match::No,
        };
        all.push((key, value));
        taken += gap + bytes + used;
    }
}

/// Text up to a closing tag, without the line breaks that set it off.
fn until(input: Input<'_>, close: &str) -> Match<String> {
    let Some(end) = input.text.find(close) else {
        return input.more();
    };
    let text = input.text.get(..end).unwrap_or_default();
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    Match::Yes(text.to_owned(), end + close.len())
}

/// `name`, then `<arg_key>key</arg_key><arg_value>value</arg_value>` any number of times.
pub(super) fn keys_and_values(input: Input<'_>, offered: &Offered) -> Match<LeakedCall> {
    let gap = input.space();
    let rest = input.after(gap);
    let Some(name) = offered.name_at(rest.text) else {
        let may_grow = rest.text.len() < NAME_BYTES
            && rest
                .text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        return if may_grow { input.more() } else { Match::No };
    };
    let mut taken = gap + name.len();
    let mut texts = Vec::new();
    loop {
        let rest = input.after(taken);
        let gap = rest.space();
        let rest = rest.after(gap);
        match rest.literal("<arg_key>") {
            Match::Yes((), bytes) => {
                let (key, key_bytes) = match until(rest.after(bytes), "</arg_key>") {
                    Match::Yes(key, used) => (key, bytes + used),
                    Match::More => return Match::More,
                    Match::No => return Match::No,
                };
                let rest = rest.after(key_bytes);
                let space = rest.space();
                let rest = rest.after(space);
                let open = match rest.literal("<arg_value>") {
                    Match::Yes((), bytes) => bytes,
                    Match::More => return Match::More,
                    Match::No => return Match::No,
                };
                match until(rest.after(open), "</arg_value>") {
                    Match::Yes(value, used) => {
                        texts.push((key, value));
                        taken += gap + key_bytes + space + open + used;
                    }
                    Match::More => return Match::More,
                    Match::No => return Match::No,
                }
            }
            Match::More => return Match::More,
            Match::No => break,
        }
    }
    if texts.is_empty() {
        return Match::No;
    }
    match offered.call_from_texts(name, texts) {
        Some(call) => Match::Yes(call, taken),
        None => Match::No,
    }
}
