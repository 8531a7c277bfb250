//! Where the lines stand that a step showed.

use crate::format;
use domain::plan::Action;
use serde_json::Value;
use text::escape::visible;

/// Where a line stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The file.
    pub place: String,
    /// What it says, without the spaces around it.
    pub line: String,
    /// Its number, from 1.
    pub number: u64,
}

/// The numbers of the lines that a step showed, as far as its result has them.
pub(crate) fn numbers(action: &Action, data: &Value) -> Vec<Numbered> {
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(visible);
    let number = |value: &Value, field: &str| value.get(field).and_then(Value::as_u64);
    if let Action::SearchText { .. } = action {
        if format::is_document(data) {
            return Vec::new();
        }
        let matches = data
            .get("matches")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let one = |found: &Value| {
            Some(Numbered {
                place: text(found, "path")?,
                line: text(found, "text")?.trim().to_owned(),
                number: number(found, "line")?,
            })
        };
        return matches.filter_map(one).collect();
    }
    let (Some(place), Some(content), Some(from)) = (
        text(data, "path"),
        text(data, "content"),
        number(data, "from_line"),
    ) else {
        return Vec::new();
    };
    let lines = content.lines().zip(from..);
    lines
        .map(|(line, number)| Numbered {
            place: place.clone(),
            line: line.trim().to_owned(),
            number,
        })
        .collect()
}
