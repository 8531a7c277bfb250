//! A result's leaves: where each stands, and which label the tool table gives it.

use crate::flow::normal::number;
use domain::label::{Integrity, Label};
use domain::limits::JSON_DEPTH;
use domain::tool::{Format, ResultField, ToolSpec};
use serde_json::Value;

/// Most letters of an identifier that are not ASCII.
const FOREIGN_LETTERS: usize = 12;

/// The last part of a field rule's path that means the keys of a map themselves. No JSON pointer
/// has it: there, `~` is written `~0`.
const KEY: &str = "~";

/// Every text and number in a value, with its JSON pointer. Keys are texts, too: some results
/// are maps from what outsiders wrote.
pub(super) fn collect(
    value: &Value,
    pointer: &mut String,
    depth: usize,
    leaves: &mut Vec<(String, String)>,
) {
    let length = pointer.len();
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => leaves.push((pointer.clone(), text.clone())),
        Value::Number(value) => leaves.push((pointer.clone(), number(value))),
        // Deeper than anything is read: one leaf, under the tool's own label.
        _ if depth > JSON_DEPTH => leaves.push((pointer.clone(), value.to_string())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                collect(item, pointer, depth + 1, leaves);
                pointer.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                leaves.push((format!("{pointer}/{KEY}"), key.clone()));
                pointer.push('/');
                pointer.push_str(&escaped(key));
                collect(field, pointer, depth + 1, leaves);
                pointer.truncate(length);
            }
        }
    }
}

pub(super) fn is_key(pointer: &str) -> bool {
    pointer.rsplit('/').next() == Some(KEY)
}

/// The first field rule whose path and format fit a leaf.
fn rule_for<'a>(spec: &'a ToolSpec, pointer: &str, text: &str) -> Option<&'a ResultField> {
    spec.result_fields.iter().find(|field| {
        fits_path(&field.path, pointer)
            && field.format.as_ref().is_none_or(|f| fits_format(f, text))
    })
}

/// Whether a platform sets a leaf, and in this format.
pub(super) fn has_format(spec: &ToolSpec, pointer: &str, text: &str, format: &Format) -> bool {
    let rule = rule_for(spec, pointer, text);
    rule.is_some_and(|field| {
        field.label.integrity == Integrity::Endorsed && field.format.as_ref() == Some(format)
    })
}

/// The label of a leaf: that of the first field rule whose path and format fit, else the tool's.
pub(super) fn leaf_label(spec: &ToolSpec, base: &Label, pointer: &str, text: &str) -> Label {
    rule_for(spec, pointer, text).map_or_else(
        || base.clone(),
        |field: &ResultField| {
            let mut label = field.label.clone();
            label.origins.extend(base.origins.iter().cloned());
            label
        },
    )
}

/// Whether a rule's path means the leaf.
pub(super) fn fits_path(pattern: &str, pointer: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some("**"), _) => return true,
            (Some("*"), Some(_)) => {}
            (Some(want), Some(part)) if want == part => {}
            _ => return false,
        }
    }
}

/// Whether a text has a form too narrow to carry an instruction.
fn fits_format(format: &Format, text: &str) -> bool {
    match format {
        Format::Number => text.len() <= 40 && text.parse::<f64>().is_ok_and(f64::is_finite),
        Format::Boolean => matches!(text, "true" | "false" | "True" | "False"),
        Format::Date => is_date(text),
        Format::Identifier => {
            let is_part = |c: char| c.is_alphanumeric() || "_-.@+:".contains(c);
            let foreign = text.chars().filter(|c| !c.is_ascii()).count();
            // A sentence fits into few signs of some scripts.
            (1..=64).contains(&text.chars().count())
                && foreign <= FOREIGN_LETTERS
                && text.chars().all(is_part)
        }
        Format::Enum(words) => words.contains(text),
    }
}

/// Digits and the marks of dates, with at most the letters of `T`, `Z` and a zone.
pub(crate) fn is_date(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_part = |c: char| c.is_ascii_digit() || "-:./+ TZ".contains(c);
    (4..=40).contains(&text.len()) && digits >= 4 && text.chars().all(is_part)
}

pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
