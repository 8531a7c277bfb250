//! What tunes a call: which of it tells nothing, which lets others in, and which the agent chose.

use crate::flow::keys::words;
use crate::flow::knowledge::Flow;
use crate::table::NARROW_VALUES;
use domain::limits::JSON_DEPTH;
use domain::tool::{ArgumentRole, EffectClass};
use serde_json::Value;
use std::collections::BTreeSet;

/// Words in the names of arguments that say who gets in, and how far, without a plural.
const ACCESS: [&str; 12] = [
    "permission",
    "role",
    "public",
    "visibility",
    "acces",
    "access",
    "scope",
    "anyone",
    "everyone",
    "privacy",
    "sharing",
    "acl",
];
/// Values by which nobody gets in, or may only look.
const LEAST_ACCESS: [&str; 13] = [
    "",
    "none",
    "no",
    "false",
    "private",
    "restricted",
    "r",
    "read",
    "reader",
    "read_only",
    "readonly",
    "view",
    "viewer",
];
/// Words in the names of switches that keep others out.
const CLOSING: [&str; 5] = ["private", "privacy", "restricted", "hidden", "internal"];
/// Values by which such a switch keeps everybody out.
const CLOSED: [&str; 4] = ["true", "yes", "private", "restricted"];

/// The numbers of a call that are too narrow to tell anything: whole ones whose schema leaves few
/// values, and no more for all of them together than for one.
pub(super) fn narrow_numbers<'a>(flow: &Flow<'a>, arguments: &Value) -> BTreeSet<&'a str> {
    let mut values = 1_i64;
    let mut narrow = BTreeSet::new();
    for (name, count) in &flow.tool.ranges {
        if arguments.get(name).is_some_and(Value::is_i64) {
            values = values.saturating_mul(*count);
            if values <= NARROW_VALUES {
                narrow.insert(name.as_str());
            }
        }
    }
    narrow
}

/// Whether a knob's value is too narrow to tell anything: a flag, a word that the schema lists, a
/// number in a small range of the schema's, a day or time next to one that is known. Several of
/// them together are not: what a list tells grows with its length.
pub(super) fn is_narrow(value: &Value, flow: &Flow<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(_) => false,
        Value::String(text) => {
            let known = flow.known;
            text.is_empty()
                || flow.tool.words.contains(text)
                || known.provenance.is_narrow_moment(text, known.now)
        }
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Whether an argument lets others in, or lets them do more than look, by the words of its name or of
/// one within it: the least of it, and what the schema says where it is left out, does not.
pub(super) fn widens_access(name: &str, value: &Value, flow: &Flow<'_>) -> bool {
    let has_effect = !matches!(
        flow.tool.spec.effect,
        EffectClass::Read | EffectClass::SelfWrite
    );
    let schema = &flow.tool.spec.definition.parameters["properties"][name];
    has_effect && widens(name, value, schema, 0)
}

fn widens(name: &str, value: &Value, schema: &Value, depth: usize) -> bool {
    if depth > JSON_DEPTH || schema.get("default") == Some(value) {
        return depth > JSON_DEPTH;
    }
    let words = words(name);
    let is_of = |list: &[&str]| {
        let mut words = words.iter();
        words
            .any(|word| list.contains(&word.as_str()) || list.contains(&word.trim_end_matches('s')))
    };
    let text = match value {
        Value::Null => "",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::String(text) => text.trim(),
        Value::Number(_) | Value::Array(_) => "*",
        Value::Object(fields) => {
            let inner = |(key, one): (&String, &Value)| {
                widens(key, one, &schema["properties"][key], depth + 1)
            };
            return is_of(&ACCESS) || fields.iter().any(inner);
        }
    };
    let text = text.to_lowercase();
    let closes = is_of(&CLOSING);
    closes && !CLOSED.contains(&text.as_str())
        || !closes && is_of(&ACCESS) && !LEAST_ACCESS.contains(&text.as_str())
}

/// What the agent set of a call's knobs: everything that is not left out, not the schema's own, and
/// no day, time or number too narrow to tell anything. `None` stands for what nobody can say, such as
/// yes or no.
pub(super) fn chosen_knobs(flow: &Flow<'_>, arguments: &Value) -> Vec<Option<String>> {
    let narrow = narrow_numbers(flow, arguments);
    let schemas = &flow.tool.spec.definition.parameters["properties"];
    let mut found = Vec::new();
    for (name, argument) in &flow.tool.spec.arguments {
        let is_narrow = || narrow.contains(name.as_str());
        let value = arguments.get(name);
        if let Some(value) = value.filter(|_| argument.role == ArgumentRole::Knob && !is_narrow()) {
            choose(value, &schemas[name.as_str()], (flow, 0), &mut found);
        }
    }
    found
}

fn choose(
    value: &Value,
    schema: &Value,
    (flow, depth): (&Flow<'_>, usize),
    found: &mut Vec<Option<String>>,
) {
    let default = schema.get("default");
    if default == Some(value) || value.is_null() && default.is_none() {
        return;
    }
    let known = flow.known;
    match value {
        Value::String(text) if known.provenance.is_narrow_moment(text, known.now) => {}
        Value::String(text) if !text.is_empty() => found.push(Some(text.clone())),
        Value::Number(number) => found.push(Some(number.to_string())),
        Value::Array(items) if depth < JSON_DEPTH && !items.is_empty() => {
            for item in items {
                choose(item, &schema["items"], (flow, depth + 1), found);
            }
        }
        Value::Object(fields) if depth < JSON_DEPTH && !fields.is_empty() => {
            for (key, one) in fields {
                choose(one, &schema["properties"][key], (flow, depth + 1), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            found.push(None)
        }
    }
}
