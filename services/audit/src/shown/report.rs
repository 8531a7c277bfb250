//! What the check of a log found, in words and as JSON.

use crate::verify::{Anchor, KeySource, Problem, Report};
use serde_json::{Value, json};

/// How good a verdict is, for who colours it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// All is well.
    Good,
    /// Nobody knows.
    Doubtful,
    /// Something is wrong.
    Bad,
}

/// So many of a thing.
fn counted(number: u64, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", grouped(number))
}

/// A number that a person can read.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The first so many records.
fn first_records(size: u64) -> String {
    match size {
        1 => "the first record is".to_owned(),
        _ => format!("the first {} records are", grouped(size)),
    }
}

/// So many whole ones are there.
fn whole_ones(records: u64) -> String {
    match records {
        0 => "none is there".to_owned(),
        1 => "1 whole one is there".to_owned(),
        _ => format!("{} whole ones are there", grouped(records)),
    }
}

/// In words; `paint` colours the two verdicts.
pub fn as_text(report: &Report, paint: impl Fn(Tone, &str) -> String) -> String {
    let bytes = report.bytes as f64;
    let size = match report.bytes {
        0..1_000_000 => format!("{:.1} kB", bytes / 1e3),
        _ => format!("{:.1} MB", bytes / 1e6),
    };
    let mut out = format!(
        "Log           {}\nRecords       {} in {}, {size}\n",
        report.origin,
        grouped(report.records),
        counted(report.segments, "segment")
    );
    out.push_str(&format!("Key           {}\n", key_in_words(report)));
    let (verdict, rest) = integrity(report);
    let tone = match report.is_whole() {
        true => Tone::Good,
        false => Tone::Bad,
    };
    let verdict = paint(tone, &verdict);
    out.push_str(&format!("\nIntegrity     {verdict}\n"));
    rest.iter()
        .for_each(|line| out.push_str(&format!("              {line}\n")));
    let (verdict, rest) = completeness(report);
    let tone = match (report.is_incomplete(), report.anchored()) {
        (true, _) => Tone::Bad,
        (false, 0) => Tone::Doubtful,
        (false, _) => Tone::Good,
    };
    let verdict = paint(tone, &verdict);
    out.push_str(&format!("\nCompleteness  {verdict}\n"));
    rest.iter()
        .for_each(|line| out.push_str(&format!("              {line}\n")));
    out
}

fn key_in_words(report: &Report) -> String {
    match &report.key {
        None => "none: no signature can be checked".to_owned(),
        Some((_, KeySource::Given)) => "the one you gave".to_owned(),
        Some((_, KeySource::Own)) => "this machine's own".to_owned(),
        Some((_, KeySource::Beside)) => {
            "the one that lies beside the log, where it can be changed with it".to_owned()
        }
    }
}

fn integrity(report: &Report) -> (String, Vec<String>) {
    let mut rest = Vec::new();
    let verdict = match (&report.problem, &report.anchor) {
        (Some(Problem::Record(damage)), _) => {
            rest.push(format!("Record {}: {}.", damage.sequence, damage.what));
            rest.push(format!(
                "It stands at byte {} of {}.",
                damage.offset,
                damage.segment.display()
            ));
            rest.push("Nothing after it was checked.".to_owned());
            format!("BROKEN at record {}", grouped(damage.sequence))
        }
        (
            Some(Problem::Segment {
                path,
                sequence,
                what,
            }),
            _,
        ) => {
            rest.push(format!("{}: {what}.", path.display()));
            rest.push("Nothing from there on was checked.".to_owned());
            format!("BROKEN from record {} on", grouped(*sequence))
        }
        (None, Some(Anchor::Other { size })) => {
            rest.push("They follow from one another, so the whole chain was rebuilt.".to_owned());
            format!(
                "BROKEN: {} not what the anchor vouches for",
                first_records(*size)
            )
        }
        (None, _) if report.is_gone() => "not known: no record is left to be checked".to_owned(),
        (None, _) if report.checkpoints.wrong.is_some() => {
            "DOUBTFUL: the records follow from one another, a checkpoint says otherwise".to_owned()
        }
        (None, _) if report.checkpoints.are_unsigned => {
            "UNSIGNED: the records follow from one another, and no key is there".to_owned()
        }
        (None, _) => "whole: every record is as it was written and in its place".to_owned(),
    };
    let checkpoints = &report.checkpoints;
    if checkpoints.are_unsigned {
        rest.push("Whoever can write its files could have written all of it anew.".to_owned());
    }
    rest.push(match checkpoints.good {
        0 => "No checkpoint of its own fits, because there is none yet or none is left.".to_owned(),
        good => format!(
            "{} of its own fit, the newest at record {}.",
            counted(good, "checkpoint"),
            grouped(checkpoints.covered)
        ),
    });
    if let Some((at, why)) = &checkpoints.wrong {
        rest.push(format!(
            "The checkpoint at byte {at} of its file does not fit: {why}."
        ));
    }
    rest.extend(unfinished(report));
    (verdict, rest)
}

/// What is said of an end that is being written, or was when a crash came.
fn unfinished(report: &Report) -> Vec<String> {
    let mut rest = Vec::new();
    if report.unfinished_bytes > 0 {
        rest.push(format!(
            "{} bytes at the end are no whole record: one is being written now, or a crash",
            report.unfinished_bytes
        ));
        rest.push(
            "left them; then the next start cuts them off and puts that on record.".to_owned(),
        );
    }
    if report.checkpoints.is_unfinished {
        rest.push("The last checkpoint is not finished, for the same reasons.".to_owned());
    }
    rest
}

/// What nothing on this machine can show.
const BLIND: [&str; 5] = [
    "Without an anchor this cannot be seen:",
    "- records cut off at the end together with their checkpoints;",
    "- the whole log deleted, or another put in its place;",
    "- the log rebuilt by someone who can read its private key.",
    "Keep one elsewhere: carl audit anchor > FILE, then verify --anchor FILE.",
];

/// What to say of the records after those that an anchor vouches for.
fn after(size: u64, records: u64) -> Vec<String> {
    let (which, them) = match records.saturating_sub(size) {
        0 => return Vec::new(),
        1 => (format!("Record {}", grouped(records)), "it"),
        _ => {
            let (from, to) = (grouped(size + 1), grouped(records));
            (format!("Records {from} to {to}"), "them")
        }
    };
    vec![
        format!("{which} came after it: nothing outside this machine vouches for"),
        format!("{them}. Keep a newer one: carl audit anchor"),
    ]
}

fn completeness(report: &Report) -> (String, Vec<String>) {
    let mut rest = Vec::new();
    let records = report.records;
    let verdict = match &report.anchor {
        Some(Anchor::Holds { size }) => {
            rest.extend(after(*size, records));
            match size {
                1 => "record 1 is there: the anchor vouches for it".to_owned(),
                _ => format!(
                    "records 1 to {} are all there: the anchor vouches for them",
                    grouped(*size)
                ),
            }
        }
        Some(Anchor::Missing { size }) => format!(
            "MISSING: the anchor vouches for {}, {}",
            counted(*size, "record"),
            whole_ones(records)
        ),
        Some(Anchor::Other { .. }) => {
            "not known: the records are not those of the anchor".to_owned()
        }
        Some(Anchor::OtherLog { origin }) => {
            rest.push(format!(
                "The anchor is of {}.",
                text::escape::visible(origin)
            ));
            rest.push(
                "This log was put in its place, or the anchor is another machine's.".to_owned(),
            );
            "MISSING: this is not the log of the anchor".to_owned()
        }
        Some(Anchor::Unproven { why }) => {
            rest.push(format!("The anchor proves nothing: {why}."));
            "not known: the anchor cannot be used".to_owned()
        }
        None if report.is_incomplete() => String::new(),
        None => {
            rest.extend(BLIND.map(str::to_owned));
            "not known: no anchor was given".to_owned()
        }
    };
    let claimed = report.checkpoints.claimed;
    if claimed <= records {
        let gone = "MISSING: its checkpoints are there, and no segment is".to_owned();
        return (if verdict.is_empty() { gone } else { verdict }, rest);
    }
    let own = format!(
        "its own checkpoints cover {}, {}",
        counted(claimed, "record"),
        whole_ones(records)
    );
    if verdict.is_empty() {
        (format!("MISSING: {own}"), rest)
    } else {
        rest.insert(0, format!("Also, {own}."));
        (verdict, rest)
    }
}

fn problem_json(problem: &Problem) -> Value {
    match problem {
        Problem::Record(damage) => json!({
            "record": damage.sequence,
            "segment": damage.segment,
            "offset": damage.offset,
            "what": damage.what.to_string(),
        }),
        Problem::Segment {
            path,
            sequence,
            what,
        } => json!({ "record": sequence, "segment": path, "what": what }),
    }
}

/// As JSON.
#[must_use]
pub fn as_json(report: &Report) -> Value {
    let problem = report.problem.as_ref().map(problem_json);
    let anchor = report.anchor.as_ref().map(|anchor| match anchor {
        Anchor::Holds { size } => json!({ "says": "holds", "records": size }),
        Anchor::Missing { size } => json!({ "says": "missing", "records": size }),
        Anchor::Other { size } => json!({ "says": "other_records", "records": size }),
        Anchor::OtherLog { origin } => json!({ "says": "other_log", "origin": origin }),
        Anchor::Unproven { why } => json!({ "says": "unproven", "why": why.to_string() }),
    });
    let completeness = match (report.is_incomplete(), &report.anchor) {
        (true, _) => json!(false),
        (false, Some(Anchor::Holds { .. })) => json!(true),
        (false, _) => Value::Null,
    };
    // Of a log without a record nothing can be said, unless something is wrong with what is left.
    let whole = match (report.is_whole(), report.is_gone()) {
        (true, true) => Value::Null,
        (whole, _) => json!(whole),
    };
    let after = match report.anchor {
        Some(Anchor::Holds { size }) => json!(report.records.saturating_sub(size)),
        _ => Value::Null,
    };
    let checkpoints = &report.checkpoints;
    json!({
        "origin": report.origin,
        "records": report.records,
        "segments": report.segments,
        "bytes": report.bytes,
        "integrity": whole,
        "problem": problem,
        "unfinished_bytes": report.unfinished_bytes,
        "checkpoints": {
            "good": checkpoints.good,
            "covered": checkpoints.covered,
            "claimed": checkpoints.claimed,
            "wrong": checkpoints.wrong.as_ref().map(|(at, why)| json!({ "offset": at, "why": why })),
        },
        "key": report.key.as_ref().map(|(key, _)| key.to_string()),
        "completeness": completeness,
        "anchored_records": report.anchored(),
        "records_after_anchor": after,
        "anchor": anchor,
    })
}
