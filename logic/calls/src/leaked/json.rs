//! JSON that means a call: `{"name": …, "arguments": {…}}` in its many spellings.

use super::found::LeakedCall;
use super::input::{Input, Match};
use super::offered::Offered;
use super::python;
use domain::tool::ToolName;
use serde_json::{Map, Value};

/// Keys that hold the tool's name.
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "action"];
/// Keys that hold the arguments.
const ARGUMENTS: [&str; 6] = [
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "action_input",
];
/// Keys that may stand beside them.
const BESIDE: [&str; 5] = ["id", "type", "index", "call_id", "tool_call_id"];
/// Keys that wrap one call or a list of them.
const WRAPPERS: [&str; 4] = ["function", "function_call", "tool_call", "tool_calls"];
/// What `type` may say.
const TYPES: [&str; 4] = ["function", "function_call", "tool_call", "tool_use"];

/// Names and arguments of the plainest forms, which are taken for a call whatever is on offer.
const PLAIN_NAMES: [&str; 4] = ["name", "function", "tool", "tool_name"];
const PLAIN_ARGUMENTS: [&str; 2] = ["arguments", "parameters"];
/// Of these, the names that nothing but a call has.
const CALL_NAMES: [&str; 2] = ["tool", "tool_name"];

/// Brackets and white space before the first object that are looked through, bytes.
const MARGIN: usize = 256;

/// How sure the place makes us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Inside a tag or after a token that is only used for calls.
    Marked,
    /// At the beginning of a line: arguments must be there, unless a tool on offer is all that is
    /// named, and must not be placeholders.
    Open,
    /// Among words: as at the beginning of a line, and arguments must be there.
    Words,
}

/// One or more JSON values in a row that are all calls, separated by white space, `,` or `;`.
pub(super) fn calls(input: Input<'_>, place: Place, offered: &Offered) -> Match<Vec<LeakedCall>> {
    let mut found = Vec::new();
    let mut taken = 0;
    loop {
        let rest = input.after(taken);
        let gap = separator(rest, !found.is_empty());
        let rest = rest.after(gap);
        // What follows may be another call, or the reason why this one is none.
        if rest.text.is_empty() && !rest.is_last {
            return Match::More;
        }
        let is_value = rest.text.starts_with(['{', '[']);
        if !is_value {
            break;
        }
        if place != Place::Marked && is_ordinary(rest.text, offered) {
            break;
        }
        match value(rest) {
            Match::Yes(value, bytes) => match read(&value, place, offered) {
                Some(calls) => {
                    found.extend(calls);
                    taken += gap + bytes;
                }
                None => break,
            },
            Match::More => return Match::More,
            Match::No => break,
        }
    }
    if found.is_empty() {
        Match::No
    } else {
        Match::Yes(found, taken)
    }
}

/// Bytes between two values.
fn separator(input: Input<'_>, between: bool) -> usize {
    let spaced = input.text.trim_start();
    let spaced = if between {
        spaced.strip_prefix([',', ';']).unwrap_or(spaced)
    } else {
        spaced
    };
    input.text.len() - spaced.trim_start().len()
}

/// Whether a value's first characters already show that it is no call, so that ordinary JSON is
/// not held back.
fn is_ordinary(text: &str, offered: &Offered) -> bool {
    // Deeper nesting than any call has is left to the parser, which has a limit of its own.
    let depth = text
        .char_indices()
        .take(MARGIN)
        .find(|(_, c)| *c != '[' && !c.is_whitespace())
        .map_or(text.len().min(MARGIN), |(at, _)| at);
    let inside = text.get(depth..).unwrap_or_default();
    let Some(inside) = inside.strip_prefix('{') else {
        return !inside.is_empty();
    };
    let inside = inside.trim_start();
    let Some(key) = inside.strip_prefix(['"', '\'']) else {
        return !inside.is_empty();
    };
    let known = NAMES
        .iter()
        .chain(&ARGUMENTS)
        .chain(&BESIDE)
        .chain(&WRAPPERS);
    match key.find(['"', '\'']) {
        Some(end) => {
            let key = key.get(..end).unwrap_or_default();
            !known.into_iter().any(|one| *one == key) && !offered.offers(key)
        }
        None => !known.into_iter().any(|one| one.starts_with(key)) && !offered.begins(key),
    }
}

/// One JSON value, or the Python literal that a model wrote in its place.
pub(super) fn value(input: Input<'_>) -> Match<Value> {
    let mut values = serde_json::Deserializer::from_str(input.text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Match::Yes(value, values.byte_offset()),
        Some(Err(error)) if error.is_eof() => input.more(),
        Some(Err(_)) => python::literal(input),
        None => input.more(),
    }
}

/// One JSON object.
pub(super) fn object(input: Input<'_>) -> Match<Value> {
    let gap = input.space();
    let rest = input.after(gap);
    if rest.text.is_empty() {
        return input.more();
    }
    if !rest.text.starts_with('{') {
        return Match::No;
    }
    match value(rest) {
        Match::Yes(value, bytes) => Match::Yes(value, gap + bytes),
        other => other,
    }
}

/// Every call that a value means; `None` when any part of it means something else.
fn read(value: &Value, place: Place, offered: &Offered) -> Option<Vec<LeakedCall>> {
    match value {
        Value::Array(all) if !all.is_empty() => {
            let mut calls = Vec::new();
            for one in all {
                calls.extend(read(one, place, offered)?);
            }
            Some(calls)
        }
        Value::Object(fields) => read_object(fields, place, offered),
        _ => None,
    }
}

fn read_object(
    fields: &Map<String, Value>,
    place: Place,
    offered: &Offered,
) -> Option<Vec<LeakedCall>> {
    for wrapper in WRAPPERS {
        if let Some(inside @ (Value::Object(_) | Value::Array(_))) = fields.get(wrapper) {
            let alone = fields
                .keys()
                .all(|key| key == wrapper || BESIDE.contains(&key.as_str()));
            return if alone {
                read(inside, place, offered)
            } else {
                None
            };
        }
    }
    if let Some(call) = by_its_key(fields, offered).or_else(|| flat(fields, offered)) {
        return Some(vec![call]);
    }
    let is_known = |key: &String| {
        let key = key.as_str();
        NAMES.contains(&key) || ARGUMENTS.contains(&key) || BESIDE.contains(&key)
    };
    if !fields.keys().all(is_known) {
        return None;
    }
    if let Some(kind) = fields.get("type")
        && !TYPES.contains(&kind.as_str()?)
    {
        return None;
    }
    let mut names = NAMES
        .iter()
        .filter_map(|key| Some((*key, fields.get(*key)?.as_str()?)));
    let mut arguments = ARGUMENTS
        .iter()
        .filter_map(|key| fields.get_key_value(*key));
    let ((name_key, name), given) = (names.next()?, arguments.next());
    if names.next().is_some() || arguments.next().is_some() {
        return None;
    }
    let values = given.map(|(_, values)| values);
    if place != Place::Marked {
        // Of a tool on offer, the name alone is a call without arguments.
        let is_name_alone = place == Place::Open && fields.len() == 1 && offered.offers(name);
        if values.map_or(!is_name_alone, has_placeholder) {
            return None;
        }
        // A name that is on offer tells a call; any other may be anything's.
        let is_plain = PLAIN_NAMES.contains(&name_key)
            && given.is_some_and(|(key, values)| {
                let is_key = PLAIN_ARGUMENTS.contains(&key.as_str());
                (is_key || CALL_NAMES.contains(&name_key)) && is_object(values)
            });
        if !offered.offers(name) && !is_plain {
            return None;
        }
    }
    let call = offered.call(name, values.cloned().unwrap_or_default())?;
    Some(vec![call])
}

/// `{"name": {…}}`, of a tool on offer.
fn by_its_key(fields: &Map<String, Value>, offered: &Offered) -> Option<LeakedCall> {
    let (name, arguments) = fields.iter().next().filter(|_| fields.len() == 1)?;
    let given = arguments.as_object().filter(|given| !given.is_empty())?;
    let is_call = given.keys().all(|argument| offered.takes(name, argument));
    (is_call && !has_placeholder(arguments)).then(|| offered.call(name, arguments.clone()))?
}

/// `{"tool": "name", …}` with the arguments beside the name, each of which the tool on offer takes.
fn flat(fields: &Map<String, Value>, offered: &Offered) -> Option<LeakedCall> {
    let key = CALL_NAMES.iter().find(|key| fields.contains_key(**key))?;
    let name = fields.get(*key)?.as_str()?;
    let mut arguments = fields.clone();
    arguments.remove(*key);
    let is_taken = |argument: &String| offered.takes(name, argument);
    let is_call = !arguments.is_empty() && arguments.keys().all(is_taken);
    let arguments = Value::Object(arguments);
    (is_call && !has_placeholder(&arguments)).then(|| offered.call(name, arguments))?
}

/// The name, as far as it is written, in a call that is begun and not whole: its key, and before or
/// after it that of its arguments. Only a call has the key `tool`, so there the name is enough; so it
/// is in a place that is only used for calls, and where one on offer is begun.
pub(super) fn begun<'a>(text: &'a str, place: Place, offered: &Offered) -> Option<&'a str> {
    let mut rest = opened(text)?;
    let mut has_arguments = false;
    loop {
        let key = quoted(rest)?;
        let value = key.rest.trim_start().strip_prefix(':')?.trim_start();
        if PLAIN_NAMES.contains(&key.text)
            && let Some(name) = quoted(value)
        {
            let is_enough =
                place == Place::Marked || CALL_NAMES.contains(&key.text) || has_arguments;
            return name.is_call(is_enough, offered).then_some(name.text);
        }
        if WRAPPERS.contains(&key.text) && value.starts_with(['{', '[']) {
            rest = opened(value)?;
            has_arguments = false;
            continue;
        }
        let is_arguments = PLAIN_ARGUMENTS.contains(&key.text);
        if !is_arguments && !BESIDE.contains(&key.text) {
            return None;
        }
        let whole = self::value(Input {
            text: value,
            is_last: false,
        });
        let Match::Yes(_, bytes) = whole else {
            return None;
        };
        has_arguments |= is_arguments;
        let after = value.get(bytes..).unwrap_or_default();
        rest = after.trim_start().strip_prefix(',')?;
    }
}

/// What is inside the first object of a value.
fn opened(text: &str) -> Option<&str> {
    let is_before = |c: char| c == '[' || c.is_whitespace();
    text.trim_start_matches(is_before).strip_prefix('{')
}

/// A string without escapes, and what follows it; nothing does where it is not whole.
struct Quoted<'a> {
    text: &'a str,
    rest: &'a str,
    is_whole: bool,
}

impl Quoted<'_> {
    /// Whether this names the tool of a call that ends too early.
    fn is_call(&self, is_enough: bool, offered: &Offered) -> bool {
        if !self.is_whole {
            return is_enough || offered.begins(self.text);
        }
        let next = self.rest.trim_start().strip_prefix(',').and_then(quoted);
        let has_arguments = next.is_some_and(|key| {
            let is_key = |known: &&str| known.starts_with(key.text) && !key.text.is_empty();
            match key.is_whole {
                true => PLAIN_ARGUMENTS.contains(&key.text),
                false => PLAIN_ARGUMENTS.iter().any(is_key),
            }
        });
        (is_enough || has_arguments) && ToolName::new(self.text).is_ok()
    }
}

/// A string that stands here.
fn quoted(text: &str) -> Option<Quoted<'_>> {
    let text = text.trim_start();
    let mark = text.chars().next().filter(|c| "\"'".contains(*c))?;
    let inside = text.get(1..).unwrap_or_default();
    Some(match inside.split_once(mark) {
        Some((text, rest)) => Quoted {
            text,
            rest,
            is_whole: true,
        },
        None => Quoted {
            text: inside,
            rest: "",
            is_whole: false,
        },
    })
}

/// Whether arguments are an object, or the text of one.
fn is_object(arguments: &Value) -> bool {
    let inside = arguments.as_str().map(serde_json::from_str::<Value>);
    arguments.is_object() || inside.is_some_and(|read| read.is_ok_and(|read| read.is_object()))
}

/// Whether an argument is a blank to fill in, as in documentation: `...` or `<path>`.
fn has_placeholder(arguments: &Value) -> bool {
    let Some(fields) = arguments.as_object() else {
        return false;
    };
    fields.values().filter_map(Value::as_str).any(|text| {
        matches!(text, "..." | "…")
            || (text.starts_with('<') && text.ends_with('>') && !text.contains(['/', '\n']))
    })
}
