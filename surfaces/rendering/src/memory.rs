//! Memory for people: results, stages, entries, counts.

mod explained;

use super::Paint;
use anyhow::Result;
use api::memory::{HeldBy, Kind, Recall, Source, Stage, Stats, Stored, WriteEntry};
use domain::id::MemoryId;
use domain::label::{Integrity, Label, Readers};
use serde_json::json;
use std::fmt::Write;
use text::escape::{visible, visible_json, visible_line};
use unicode_width::UnicodeWidthStr;

pub use explained::explained;

/// Candidates of a stage that are printed.
const CANDIDATES: usize = 5;
/// Origins of an entry that its line in a list names.
const ORIGINS: usize = 2;
/// Widest name in a table, columns.
const NAME_COLUMNS: usize = 44;
/// Least of a name that a line of a list shows, columns.
const LEAST_OF_NAME: usize = 12;
/// A relevance below this is shown as 0.00.
const LEAST_SHOWN: f32 = 0.005;

/// What was found, best first.
#[must_use]
pub fn results(recalls: &[Recall], paint: Paint) -> String {
    // What has nothing to do with the question fills the list where little has.
    let fitting = recalls.iter().filter(|one| one.relevance >= LEAST_SHOWN);
    let mut out = String::new();
    for (place, recall) in fitting.enumerate() {
        let name = paint.strong(&visible_line(&recall.name));
        let about = format!(
            "{} · {} · {} · {}",
            recall.id,
            word(recall.kind),
            visible_line(recall.namespace.as_str()),
            recall.created_at.strftime("%Y-%m-%d"),
        );
        // Writing into a text cannot fail.
        let _ = writeln!(out, "{}. {name}{}", place + 1, trust(&recall.label, paint));
        let _ = writeln!(out, "   {}", paint.faint(&about));
        // A conversation's description is the names in it, folded for the index.
        let description = match recall.kind {
            Kind::Memory => recall.description.as_str(),
            Kind::Engram => "",
        };
        for text in [description, recall.segment.as_str()] {
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let _ = writeln!(out, "   {}", visible(line));
            }
        }
    }
    match out.is_empty() {
        true => "Nothing was found.\n".to_owned(),
        false => out,
    }
}

/// A warning behind what is not to be trusted.
fn trust(label: &Label, paint: Paint) -> String {
    match label.integrity {
        Integrity::Trusted => String::new(),
        Integrity::Endorsed | Integrity::Untrusted => {
            let shown = label.origins.iter().take(ORIGINS).map(String::as_str);
            let shown: Vec<&str> = shown.collect();
            let more = match label.origins.len().saturating_sub(ORIGINS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let said = format!(" (untrusted: {}{more})", visible_line(&shown.join(", ")));
            paint.warn(&said)
        }
    }
}

/// What a search may have missed, or what was made anew: one line for each, none for nothing. That
/// there is no embedding model is no news.
#[must_use]
pub fn missed(stages: &[Stage]) -> String {
    let notes = stages.iter().filter_map(|stage| {
        let is_news = match stage.name.as_str() {
            Stage::LEXICAL => !stage.note.is_empty(),
            Stage::VECTOR => {
                !stage.note.is_empty() && !stage.note.starts_with("no embedding model")
            }
            _ => false,
        };
        let index = match stage.name.as_str() {
            Stage::LEXICAL => "words",
            _ => "vectors",
        };
        let remedy = match stage.note.ends_with("no vector yet") {
            true => "; each search makes more, `carl memory reindex` all",
            false => "",
        };
        let note = visible_line(&stage.note);
        is_news.then(|| format!("The index of {index}: {note}{remedy}.\n"))
    });
    notes.collect()
}

/// What each stage saw, as a table.
#[must_use]
pub fn stages(stages: &[Stage], recalls: &[Recall], paint: Paint) -> String {
    let name = |id: MemoryId| {
        let known = recalls.iter().find(|recall| recall.id == id);
        known.map_or_else(
            || short(id),
            |recall| format!("{} {}", short(id), visible_line(&recall.name)),
        )
    };
    let head = ["stage", "seen", "time", "score", "best"].map(str::to_owned);
    let mut rows = vec![head];
    for stage in stages {
        let mut best = stage.candidates.iter().take(CANDIDATES);
        let (score, first) = best.next().map_or_else(
            || (String::new(), String::new()),
            |candidate| (format!("{:.3}", candidate.score), name(candidate.id)),
        );
        rows.push([
            visible_line(&stage.name),
            stage.seen.to_string(),
            time(stage.duration_us),
            score,
            first,
        ]);
        for candidate in best {
            let empty = String::new;
            let score = format!("{:.3}", candidate.score);
            rows.push([empty(), empty(), empty(), score, name(candidate.id)]);
        }
        if !stage.note.is_empty() {
            let note = format!("({})", visible_line(&stage.note));
            rows.push([
                String::new(),
                String::new(),
                String::new(),
                String::new(),
                note,
            ]);
        }
    }
    format!("\n{}", table(&rows, paint))
}

/// Rows of one head and columns, the middle three to the right.
fn table(rows: &[[String; 5]], paint: Paint) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2), width(3)];
    let mut out = String::new();
    for (place, row) in rows.iter().enumerate() {
        let mut line = padded(&row[0], widths[0]);
        for column in 1..4 {
            let gap = widths[column].saturating_sub(row[column].width());
            line.push_str(&format!("  {}{}", " ".repeat(gap), row[column]));
        }
        line.push_str(&format!("  {}", cut(&row[4])));
        let line = line.trim_end();
        out.push_str(&match place {
            0 => paint.faint(line),
            _ => line.to_owned(),
        });
        out.push('\n');
    }
    out
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn cut(text: &str) -> String {
    match text.chars().count() {
        0..=100 => text.to_owned(),
        _ => text.chars().take(99).chain(['…']).collect(),
    }
}

fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        _ => format!("{:.1} ms", us as f64 / 1_000.0),
    }
}

/// The end of an id: its beginning is a time, and alike for entries made together.
fn short(id: MemoryId) -> String {
    let id = id.to_string();
    format!("…{}", id.get(24..).unwrap_or(&id))
}

/// One line of a list. In a terminal of so many columns it fits: there an id is its end, by which the
/// entry is found as well, and a name that is too long is cut.
#[must_use]
pub fn line(stored: &Stored, paint: Paint, columns: Option<usize>) -> String {
    let ended = match stored.valid_until {
        Some(_) => paint.faint(" (corrected)"),
        None => String::new(),
    };
    // An agent may have been told to by a model server: the user knows what they wrote themselves.
    let by = match (stored.source, stored.entry.kind()) {
        (Source::Agent, Kind::Memory) => paint.faint(" (by an agent)"),
        _ => String::new(),
    };
    let id = match columns {
        Some(_) => short(stored.id),
        None => stored.id.to_string(),
    };
    let before = format!(
        "{id}  {}  {}  {}  ",
        word(stored.entry.kind()),
        stored.created_at.strftime("%Y-%m-%d"),
        visible_line(stored.namespace.as_str()),
    );
    let suspect = match (stored.label.integrity, columns) {
        (Integrity::Trusted, _) => String::new(),
        (_, Some(_)) => paint.warn(" (untrusted)"),
        (_, None) => trust(&stored.label, paint),
    };
    let after = format!("{ended}{by}{suspect}");
    let room = columns.map_or(NAME_COLUMNS, |columns| {
        let taken = before.width() + crate::fit::shown_width(&after);
        columns
            .saturating_sub(taken)
            .clamp(LEAST_OF_NAME, NAME_COLUMNS)
    });
    let name = visible_line(&named(&stored.entry));
    let name: String = match name.chars().count() {
        count if count <= room => name,
        _ => name.chars().take(room - 1).chain(['…']).collect(),
    };
    format!("{before}{name}{after}\n")
}

/// The first line of an entry's name, and of the text under it where that says something else.
fn named(entry: &WriteEntry) -> String {
    let first = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    let name = first(entry.title());
    match entry {
        WriteEntry::Memory { corpus, .. } => {
            let text = first(corpus);
            match text.starts_with(name.trim_end_matches('…')) {
                true => name,
                false => format!("{name}: {text}"),
            }
        }
        WriteEntry::Engram { .. } => name,
    }
}

/// An entry with everything that is kept of it.
#[must_use]
pub fn entry(stored: &Stored, paint: Paint) -> String {
    let mut fields: Vec<(&str, String)> = vec![
        ("id", stored.id.to_string()),
        ("kind", word(stored.entry.kind()).to_owned()),
        ("namespace", stored.namespace.to_string()),
        ("source", stored.source.as_str().to_owned()),
        ("trust", trusted(&stored.label)),
        ("readers", readers(&stored.label)),
        ("created", stored.created_at.to_string()),
    ];
    let mut maybe = |name: &'static str, value: Option<String>| {
        fields.extend(value.map(|value| (name, value)));
    };
    maybe("valid from", stored.valid_from.map(|time| time.to_string()));
    maybe(
        "valid until",
        stored.valid_until.map(|time| time.to_string()),
    );
    maybe(
        "corrected by",
        stored.superseded_by.map(|id| id.to_string()),
    );
    maybe(
        "critic's score",
        stored.critic_score.map(|score| score.to_string()),
    );
    maybe(
        "compared",
        stored
            .pairwise_winner
            .map(|winner| winner.as_str().to_owned()),
    );
    maybe(
        "feedback",
        stored.feedback.map(|feedback| feedback.to_string()),
    );
    let recalled = match (stored.access_count, stored.last_accessed) {
        (0, _) => "never".to_owned(),
        (1, Some(last)) => format!("once, {last}"),
        (1, None) => "once".to_owned(),
        (times, Some(last)) => format!("{times} times, last {last}"),
        (times, None) => format!("{times} times"),
    };
    maybe("recalled", Some(recalled));
    let (more, texts) = parts(&stored.entry);
    fields.extend(more);
    let widest = fields
        .iter()
        .map(|(name, _)| name.width())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for (name, value) in fields {
        let name = paint.faint(&padded(name, widest));
        out.push_str(&format!("{name}  {}\n", visible_line(&value)));
    }
    for (heading, text) in texts {
        out.push_str(&format!("\n{}\n", paint.strong(heading)));
        for line in text.lines() {
            // Set in, so that no text can look like the fields above it.
            out.push_str(&format!("  {}\n", visible(line)));
        }
    }
    out
}

type Parts<'a> = (Vec<(&'static str, String)>, Vec<(&'static str, &'a str)>);

/// What people are told that an entry is.
pub(crate) const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Memory => "memory",
        Kind::Engram => "conversation",
    }
}

/// What depends on the kind: short fields, and texts.
fn parts(entry: &WriteEntry) -> Parts<'_> {
    match entry {
        WriteEntry::Memory {
            name,
            description,
            tags,
            correlating_ids,
            corpus,
        } => {
            let ids: Vec<String> = correlating_ids.iter().map(ToString::to_string).collect();
            let fields = [
                ("name", name.clone()),
                ("description", description.clone()),
                ("tags", tags.join(", ")),
                ("belongs with", ids.join(" ")),
            ];
            let fields = fields.into_iter().filter(|(_, value)| !value.is_empty());
            (fields.collect(), vec![("Text", corpus)])
        }
        WriteEntry::Engram {
            question,
            answer,
            intent,
            entities,
            session_id,
            query_id,
            respondent,
            tools_used,
        } => {
            let tools: Vec<&str> = tools_used.iter().map(|tool| tool.as_str()).collect();
            let fields = [
                ("intent", intent.clone()),
                ("entities", entities.join(", ")),
                ("session", session_id.to_string()),
                ("query", query_id.to_string()),
                ("respondent", respondent.clone()),
                ("tools", tools.join(", ")),
            ];
            let fields = fields.into_iter().filter(|(_, value)| !value.is_empty());
            (
                fields.collect(),
                vec![("Question", question), ("Answer", answer)],
            )
        }
    }
}

fn trusted(label: &Label) -> String {
    let word = label.integrity.as_str();
    let origins: Vec<&str> = label.origins.iter().map(String::as_str).collect();
    format!("{word} (from {})", origins.join(", "))
}

/// Who may learn it, in words.
#[must_use]
pub fn readers(label: &Label) -> String {
    match &label.readers {
        Readers::Public => "anyone".to_owned(),
        Readers::Nobody => "no one else".to_owned(),
        Readers::Only(names) => names.iter().cloned().collect::<Vec<_>>().join(", "),
    }
}

/// What memory holds.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn stats(stats: &Stats, as_json: bool) -> Result<String> {
    if as_json {
        let namespaces: serde_json::Map<String, serde_json::Value> = stats
            .namespaces
            .iter()
            .map(|(name, count)| (name.to_string(), json!(count)))
            .collect();
        let index = |index: &api::memory::IndexState| json!({"name": index.name, "entries": index.entries, "of": index.of, "note": index.note});
        let all = json!({
            "memories": stats.memories,
            "engrams": stats.engrams,
            "superseded": stats.superseded,
            "namespaces": namespaces,
            "disk_bytes": stats.disk_bytes,
            "embedder": stats.embedder,
            "indexes": stats.indexes.iter().map(index).collect::<serde_json::Value>(),
            "refused": stats.refused.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "cache_hits": stats.cache_hits,
            "cache_lookups": stats.cache_lookups,
        });
        let json = format!("{}\n", serde_json::to_string_pretty(&all)?);
        return Ok(visible_json(&json));
    }
    let mut out = format!(
        "{} and {}{}; {} on disk\n",
        counted(stats.memories, "memory", "memories"),
        counted(stats.engrams, "conversation", "conversations"),
        match stats.superseded {
            0 => String::new(),
            1 => ", and 1 entry that was corrected".to_owned(),
            more => format!(", and {more} entries that were corrected"),
        },
        bytes(stats.disk_bytes)
    );
    for (name, count) in &stats.namespaces {
        out.push_str(&format!("  {count:>8}  {}\n", visible_line(name.as_str())));
    }
    if !stats.embedder.is_empty() {
        out.push_str(&match stats.embedder.strip_prefix("none: ") {
            Some(why) => format!("Vectors: none ({})\n", visible_line(why)),
            None => format!("Vectors: {}\n", visible_line(&stats.embedder)),
        });
    }
    for index in &stats.indexes {
        let note = match index.note.as_str() {
            "" => String::new(),
            note => format!(" ({})", visible_line(note)),
        };
        let in_part = match index.name == Stage::VECTOR {
            true => in_part(stats),
            false => String::new(),
        };
        out.push_str(&format!(
            "Index {}: {} of {}{in_part}{note}\n",
            visible_line(&index.name),
            index.entries,
            counted(index.of, "entry", "entries")
        ));
    }
    out.push_str(&lacking(stats));
    out.push_str(&refused(&stats.refused));
    if stats.cache_lookups > 0 {
        out.push_str(&format!(
            "Cache: {} of {} questions since the start\n",
            stats.cache_hits, stats.cache_lookups
        ));
    }
    Ok(out)
}

/// How many of the entries with a vector have another text that the model refuses. Those without any
/// vector are not among the entries that are to have one.
fn in_part(stats: &Stats) -> String {
    let of = |name: &str| {
        let index = stats.indexes.iter().find(|index| index.name == name);
        index.map_or(0, |index| index.of)
    };
    let without = of(Stage::LEXICAL).saturating_sub(of(Stage::VECTOR));
    match (stats.refused.len() as u64).saturating_sub(without) {
        0 => String::new(),
        some => format!(", {some} of them in part"),
    }
}

/// What the indexes still lack of what is kept; empty for nothing. That there is no embedding model
/// is no news.
#[must_use]
pub fn lacking(stats: &Stats) -> String {
    let missing = |name: &str| {
        let index = stats.indexes.iter().find(|index| index.name == name);
        index.map_or(0, |index| index.of.saturating_sub(index.entries))
    };
    let goes_on =
        "each search and each session goes on with it, `carl memory reindex` waits for all";
    let mut said = match missing(Stage::LEXICAL) {
        0 => String::new(),
        count => format!(
            "{} not indexed yet: {goes_on}.\n",
            counted(count, "entry is", "entries are")
        ),
    };
    let vectors = missing(Stage::VECTOR);
    if vectors > 0 && !stats.embedder.starts_with("none: ") {
        said.push_str(&format!(
            "{} no vector yet and may be found by words alone: {goes_on}.\n",
            counted(vectors, "entry has", "entries have")
        ));
    }
    said
}

/// The entries with a text that the embedding model refuses; empty for none.
fn refused(ids: &[MemoryId]) -> String {
    const SHOWN: usize = 5;
    if ids.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "{} a text that the embedding model refuses, found by words alone:\n",
        counted(ids.len() as u64, "entry has", "entries have")
    );
    for id in ids.iter().take(SHOWN) {
        out.push_str(&format!("  {id}\n"));
    }
    if ids.len() > SHOWN {
        let more = ids.len() - SHOWN;
        out.push_str(&format!("  and {more} more: `carl memory stats --json`\n"));
    }
    out.push_str("  After a change of the model's settings, `carl memory reindex` asks again.\n");
    out
}

/// That the indexes still lack something of what was imported; empty for nothing. The making goes on
/// meanwhile, so that no number is said.
#[must_use]
pub fn going_on(stats: &Stats) -> String {
    if lacking(stats).is_empty() {
        return String::new();
    }
    "Not every entry is in every index yet, and some may be found by words alone: `carl memory \
     stats` tells how far it is, each search and each session goes on with it, `carl memory \
     reindex` waits for all.\n"
        .to_owned()
}

/// Entries that hold what was forgotten with another, each with the command that removes it.
#[must_use]
pub fn holding(held_by: &HeldBy) -> String {
    let count = counted(
        held_by.entries,
        "entry holds the same words and stays until you forget it",
        "entries hold the same words and stay until you forget them",
    );
    let mut out = format!("{count} as well:\n");
    for one in &held_by.named {
        out.push_str(&format!(
            "  carl memory forget --yes {}  # {}: {}\n",
            one.id,
            word(one.kind),
            visible_line(&one.title)
        ));
    }
    let more = held_by.entries.saturating_sub(held_by.named.len() as u64);
    if more > 0 {
        out.push_str(&format!("  and {more} more, as `carl memory list` shows\n"));
    }
    out
}

/// A number with its word.
#[must_use]
pub fn counted(count: u64, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {more}"),
    }
}

/// A size for people.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} B"),
        1_024..1_048_576 => format!("{:.1} KiB", count as f64 / 1_024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests;
