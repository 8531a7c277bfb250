//! All there is about one record, a field a line.

use crate::read::Placed;
use crate::record::{ModelCallForm, Record};
use domain::label::{Label, Readers};
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use text::escape::visible;

type Row = (&'static str, String);

/// The sheet of a record, with the time of a zone.
#[must_use]
pub fn sheet(placed: &Placed, zone: TimeZone) -> String {
    let record = &placed.record;
    let time = record.time.to_zoned(zone);
    let mut rows: Vec<Row> = vec![
        ("record", placed.sequence.to_string()),
        (
            "time",
            time.strftime("%Y-%m-%d %H:%M:%S%.f %:z").to_string(),
        ),
        ("since boot", since_boot(placed.monotonic_ns)),
        ("action", visible(&record.action)),
    ];
    rows.extend(who(record));
    rows.extend(what(record));
    rows.extend(record.model_call.as_ref().map(model).into_iter().flatten());
    if !record.detail.is_empty() {
        rows.push(("detail", visible(&record.detail)));
    }
    let place = format!("{} at byte {}", placed.segment.display(), placed.offset);
    rows.push(("hash", placed.hash.to_string()));
    rows.push(("after", placed.previous.to_string()));
    rows.push(("stands in", place));
    let lines = rows
        .iter()
        .map(|(name, value)| format!("{name:<11} {value}\n"));
    lines.collect()
}

fn since_boot(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    format!("{seconds}.{:06} s", nanoseconds % 1_000_000_000 / 1_000)
}

fn who(record: &Record) -> Vec<Row> {
    let ancestors: Vec<String> = record
        .lineage
        .iter()
        .map(|a| format!("{} {}", visible(a.agent_type.as_str()), a.agent_id))
        .collect();
    let kind = record.agent_type.as_ref();
    let rows = [
        ("session", record.session_id.map(|id| id.to_string())),
        ("agent", record.agent_id.map(|id| id.to_string())),
        ("agent type", kind.map(|kind| visible(kind.as_str()))),
        (
            "lineage",
            Some(ancestors.join(" > ")).filter(|text| !text.is_empty()),
        ),
    ];
    present(rows)
}

fn what(record: &Record) -> Vec<Row> {
    let layer = record
        .layer
        .map(|layer| format!(", by {layer}"))
        .unwrap_or_default();
    let verdict = record
        .verdict
        .map(|verdict| format!("{}{layer}", verdict.as_str()));
    let rows = [
        ("call", record.call_id.map(|id| id.to_string())),
        (
            "tool",
            record.tool.as_ref().map(|tool| visible(tool.as_str())),
        ),
        (
            "arguments",
            record.params_hash.map(|hash| format!("digest {hash}")),
        ),
        ("decision", verdict),
        ("label", record.label.as_ref().map(label)),
        (
            "status",
            record
                .status
                .map(|status| format!("{status:?}").to_lowercase()),
        ),
        (
            "took",
            record.duration_ms.map(|duration| format!("{duration} ms")),
        ),
    ];
    present(rows)
}

fn present<const N: usize>(rows: [(&'static str, Option<String>); N]) -> Vec<Row> {
    let rows = rows
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, value)));
    rows.collect()
}

fn model(call: &ModelCallForm) -> [Row; 4] {
    let (prompt, answer) = (call.prompt_tokens, call.completion_tokens);
    [
        ("model", visible(&call.model)),
        (
            "tokens",
            format!("{prompt} of the prompt, {answer} of the answer"),
        ),
        ("prompt", format!("digest {}", call.prompt_hash)),
        ("answer", format!("digest {}", call.answer_hash)),
    ]
}

fn label(label: &Label) -> String {
    let list = |names: &BTreeSet<String>| {
        names
            .iter()
            .map(|name| visible(name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let readers = match &label.readers {
        Readers::Public => "anyone".to_owned(),
        Readers::Only(names) => list(names),
        Readers::Nobody => "nobody outside".to_owned(),
    };
    let integrity = format!("{:?}", label.integrity).to_lowercase();
    format!(
        "{integrity}; readers: {readers}; from: {}",
        list(&label.origins)
    )
}
