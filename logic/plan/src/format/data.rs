//! Reading the data of a result, and the words for numbers and texts.

use serde_json::Value;

pub(super) fn text<'a>(data: &'a Value, field: &str) -> &'a str {
    data.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(data: &Value, field: &str) -> u64 {
    data.get(field).and_then(Value::as_u64).unwrap_or_default()
}

pub(super) fn items<'a>(data: &'a Value, field: &str) -> &'a [Value] {
    data.get(field)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

pub(super) fn is_cut(data: &Value) -> bool {
    data.get("truncated") == Some(&Value::Bool(true))
}

/// `1 file`, `2 files`.
pub(super) fn count(number: u64, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {one}s", grouped(number))
    }
}

/// `12,345`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub(super) fn bytes(number: u64) -> String {
    count(number, "byte")
}

/// A text in quotes, cut when long.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    if text.is_empty() {
        return "nothing".to_owned();
    }
    if text.chars().count() <= MOST {
        return format!("\"{text}\"");
    }
    format!("\"{}…\"", text.chars().take(MOST).collect::<String>())
}
