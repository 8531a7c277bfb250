//! Records as a table for other programs.

use crate::read::Placed;
use text::escape::visible;

const COLUMNS: [&str; 24] = [
    "sequence",
    "time",
    "monotonic_ns",
    "session_id",
    "agent_id",
    "agent_type",
    "lineage",
    "action",
    "call_id",
    "tool",
    "params_hash",
    "verdict",
    "layer",
    "label",
    "status",
    "duration_ms",
    "model",
    "prompt_tokens",
    "completion_tokens",
    "prompt_hash",
    "answer_hash",
    "detail",
    "hash",
    "previous",
];

/// The row of names above all others.
#[must_use]
pub fn head() -> String {
    format!("{}\r\n", COLUMNS.join(","))
}

/// A row as RFC 4180 has it: what a record has on disk, a field a cell. Lineage and label are JSON
/// there as they are on disk.
///
/// # Errors
/// When one of these has no JSON form.
pub fn row(placed: &Placed) -> Result<String, serde_json::Error> {
    let record = &placed.record;
    let lineage = match record.lineage.is_empty() {
        true => None,
        false => Some(serde_json::to_string(&record.lineage)?),
    };
    let label = record
        .label
        .as_ref()
        .map(serde_json::to_string)
        .transpose()?;
    let model = record.model_call.as_ref();
    let text = |value: Option<String>| value.unwrap_or_default();
    let cells = [
        placed.sequence.to_string(),
        record.time.to_string(),
        placed.monotonic_ns.to_string(),
        text(record.session_id.map(|id| id.to_string())),
        text(record.agent_id.map(|id| id.to_string())),
        text(record.agent_type.as_ref().map(ToString::to_string)),
        text(lineage),
        record.action.clone(),
        text(record.call_id.map(|id| id.to_string())),
        text(record.tool.as_ref().map(ToString::to_string)),
        text(record.params_hash.map(|hash| hash.to_string())),
        text(record.verdict.map(|verdict| verdict.as_str().to_owned())),
        text(record.layer.map(|layer| layer.to_string())),
        text(label),
        text(
            record
                .status
                .map(|status| format!("{status:?}").to_lowercase()),
        ),
        text(record.duration_ms.map(|duration| duration.to_string())),
        text(model.map(|call| call.model.clone())),
        text(model.map(|call| call.prompt_tokens.to_string())),
        text(model.map(|call| call.completion_tokens.to_string())),
        text(model.map(|call| call.prompt_hash.to_string())),
        text(model.map(|call| call.answer_hash.to_string())),
        record.detail.clone(),
        placed.hash.to_string(),
        placed.previous.to_string(),
    ];
    let cells: Vec<String> = cells.iter().map(|cell| quoted(&visible(cell))).collect();
    Ok(format!("{}\r\n", cells.join(",")))
}

/// A cell that neither ends early nor is taken for a formula by a spreadsheet.
fn quoted(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@']);
    if is_formula || cell.contains([',', '"', '\n', '\r']) {
        let guard = if is_formula { "'" } else { "" };
        format!("\"{guard}{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_cell_neither_ends_early_nor_becomes_a_formula() {
        for (cell, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""),
        ] {
            assert_eq!(quoted(cell), expected);
        }
    }
}
