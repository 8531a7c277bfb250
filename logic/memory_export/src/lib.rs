//! Entries of memory outside the store: one JSON object each, a line each in a file.
//!
//! What it is: the form that `carl memory` exports, prints with `--json` and imports.
//! What it owns: the form, which is a promise: names of fields do not change; and what is refused of a
//! file that claims to be one.
//! What it never does: read a file, or keep an entry.
//! Its errors quote the file as it is: whoever shows them escapes them.
//! Where to start: [`to_json`] for what is written, [`read`] for what is taken back.

mod parquet;

pub use crate::parquet::{TABLE_MARK, Table};

use api::memory::{Kind, Source, Stored, WriteEntry};
use domain::Timestamp;
use domain::arguments::Arguments;
use domain::id::MemoryId;
use domain::label::Label;
use domain::lineage::AgentType;
use domain::quality::Winner;
use domain::rights::Namespace;
use domain::tool::ToolName;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// Most origins that an imported label has.
const ORIGINS: usize = 64;
/// Longest origin that an imported label has, characters.
const ORIGIN_CHARS: usize = 200;

/// Most lines whose faults are told.
const FAULTS: usize = 20;
/// Longest line that is imported, bytes: the longest engram with every letter escaped is shorter.
const LINE_BYTES: usize = 4 << 20;
/// The object.
#[must_use]
pub fn to_json(stored: &Stored) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", shown(&stored.id));
    put("kind", json!(word_of(stored.entry.kind())));
    match &stored.entry {
        WriteEntry::Memory {
            name,
            description,
            tags,
            correlating_ids,
            corpus,
        } => {
            put("name", json!(name));
            put("description", json!(description));
            put("tags", json!(tags));
            put(
                "correlating_ids",
                correlating_ids.iter().map(shown).collect(),
            );
            put("text", json!(corpus));
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
            put("question", json!(question));
            put("answer", json!(answer));
            put("intent", json!(intent));
            put("entities", json!(entities));
            put("session_id", shown(session_id));
            put("query_id", shown(query_id));
            put("respondent", json!(respondent));
            put("tools_used", json!(tools_used));
        }
    }
    put("namespace", json!(stored.namespace.as_str()));
    put("source", json!(stored.source.as_str()));
    put("label", json!(stored.label));
    put("created_at", shown(&stored.created_at));
    put("valid_from", maybe(stored.valid_from.as_ref()));
    put("valid_until", maybe(stored.valid_until.as_ref()));
    put("superseded_by", maybe(stored.superseded_by.as_ref()));
    put("last_accessed", maybe(stored.last_accessed.as_ref()));
    put("access_count", json!(stored.access_count));
    put("critic_score", json!(stored.critic_score));
    put(
        "pairwise_winner",
        json!(stored.pairwise_winner.map(Winner::as_str)),
    );
    put("feedback", json!(stored.feedback));
    Value::Object(object)
}

/// What people call a kind, here as on the screen.
const fn word_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Memory => Kind::Memory.as_str(),
        Kind::Engram => "conversation",
    }
}

fn shown(value: &impl Display) -> Value {
    Value::String(value.to_string())
}

fn maybe(value: Option<&impl Display>) -> Value {
    value.map_or(Value::Null, shown)
}

/// What is wrong with a line, and with which of its fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON object.
    #[error("it is no JSON object: {0}")]
    NoObject(String),
    /// A field is missing.
    #[error("field `{0}`: is missing")]
    Missing(&'static str),
    /// A field cannot be used.
    #[error("field `{field}`: {problem}")]
    Field {
        /// Which.
        field: String,
        /// What is wrong.
        problem: String,
    },
}

fn wrong(field: &str, problem: impl Display) -> Unreadable {
    Unreadable::Field {
        field: field.to_owned(),
        problem: problem.to_string(),
    }
}

/// What is wrong with the lines of a file, a line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Faults(String);

/// Every entry of a file with its line's number, from 1; empty lines are left out.
///
/// # Errors
/// What is wrong with each line, if anything is wrong with any.
pub fn read(bytes: &[u8]) -> Result<Vec<(usize, Stored)>, Faults> {
    // Some editors put a mark of the byte order at the front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let (mut entries, mut faults, mut more) = (Vec::new(), Vec::new(), 0_usize);
    for (at, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let number = at + 1;
        match entry(line) {
            Ok(entry) => entries.push((number, entry)),
            Err(fault) if faults.len() < FAULTS => faults.push(format!("line {number}: {fault}")),
            Err(_one_of_many) => more += 1,
        }
    }
    let alone: Vec<&Stored> = entries.iter().map(|(_, entry)| entry).collect();
    for (place, fault) in in_rings(&alone) {
        match entries.get(place) {
            Some((number, _)) if faults.len() < FAULTS => {
                faults.push(format!("line {number}: {fault}"));
            }
            _ => more += 1,
        }
    }
    if faults.is_empty() {
        return Ok(entries);
    }
    if more > 0 {
        faults.push(format!("and {more} more lines"));
    }
    Err(Faults(faults.join("\n")))
}

/// The entry of a line, or what is wrong with it.
fn entry(line: &[u8]) -> Result<Stored, String> {
    if line.len() > LINE_BYTES {
        return Err(format!("it is longer than {} MiB", LINE_BYTES >> 20));
    }
    let text = str::from_utf8(line).map_err(|error| format!("it is no text: {error}"))?;
    from_line(text).map_err(|error| error.to_string())
}

/// A namespace by its whole name, if it is one that somebody may look into: a project's is a folder
/// from the root on, without detours, and an agent's is a type.
///
/// # Errors
/// What is wrong with the name.
pub fn namespace(name: &str) -> Result<Namespace, String> {
    let namespace = Namespace::new(name).map_err(|error| error.to_string())?;
    if let Some(agent) = name.strip_prefix("agent:") {
        AgentType::new(agent).map_err(|error| error.to_string())?;
    }
    if let Some(folder) = name.strip_prefix("project:") {
        let folder = Path::new(folder);
        let plain: PathBuf = folder.components().collect();
        let has_detours = folder.components().any(|part| part == Component::ParentDir);
        if !folder.is_absolute() || has_detours || plain.as_os_str() != folder.as_os_str() {
            let said = folder.display();
            return Err(format!("`{said}` is not the whole path of a folder"));
        }
    }
    Ok(namespace)
}

/// Reads one line of an export.
///
/// # Errors
/// [`Unreadable`], naming the field.
fn from_line(line: &str) -> Result<Stored, Unreadable> {
    let no_object = |error: serde_json::Error| Unreadable::NoObject(error.to_string());
    let read: Arguments = serde_json::from_str(line).map_err(no_object)?;
    if let Some(twice) = read.twice {
        return Err(wrong(&twice, "is there twice"));
    }
    let Value::Object(object) = read.value else {
        return Err(Unreadable::NoObject("another kind of JSON".to_owned()));
    };
    let mut fields = Fields(object);
    let entry = match fields.kind()? {
        Kind::Memory => WriteEntry::Memory {
            name: fields.string("name")?,
            description: fields.string("description")?,
            tags: fields.strings("tags")?,
            correlating_ids: fields.ids("correlating_ids")?,
            corpus: fields.string("text")?,
        },
        Kind::Engram => WriteEntry::Engram {
            question: fields.string("question")?,
            answer: fields.string("answer")?,
            intent: fields.string("intent")?,
            entities: fields.strings("entities")?,
            session_id: fields.parsed("session_id")?,
            query_id: fields.parsed("query_id")?,
            respondent: fields.string("respondent")?,
            tools_used: fields.tools("tools_used")?,
        },
    };
    let stored = Stored {
        id: fields.parsed("id")?,
        namespace: namespace(&fields.string("namespace")?)
            .map_err(|problem| wrong("namespace", problem))?,
        entry,
        source: fields.one_of("source", Source::ALL, Source::as_str)?,
        label: fields.label("label")?,
        created_at: fields.parsed("created_at")?,
        valid_from: fields.maybe("valid_from")?,
        valid_until: fields.maybe("valid_until")?,
        superseded_by: fields.maybe("superseded_by")?,
        last_accessed: fields.maybe::<Timestamp>("last_accessed")?,
        access_count: fields.count("access_count")?,
        critic_score: fields.small("critic_score", 1, 5)?,
        pairwise_winner: fields.maybe_one_of("pairwise_winner", Winner::ALL, Winner::as_str)?,
        feedback: fields.small("feedback", -100, 100)?,
    };
    possible(&stored)?;
    match fields.0.keys().next() {
        Some(unknown) => Err(wrong(unknown, "is no field of an entry")),
        None => Ok(stored),
    }
}

/// Whether the fields of an entry can be true together.
fn possible(stored: &Stored) -> Result<(), Unreadable> {
    if stored.superseded_by == Some(stored.id) {
        return Err(wrong("superseded_by", "no entry corrects itself"));
    }
    match (stored.valid_from, stored.valid_until) {
        (_, None) if stored.superseded_by.is_some() => {
            let problem = "is missing, although the entry was corrected";
            Err(wrong("valid_until", problem))
        }
        (Some(from), Some(until)) if until < from => {
            Err(wrong("valid_until", "is before `valid_from`"))
        }
        _ => Ok(()),
    }
}

/// Entries of a file that correct each other in a ring, by their place, with what is wrong.
fn in_rings(entries: &[&Stored]) -> Vec<(usize, Unreadable)> {
    let mut places: HashMap<MemoryId, usize> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        // Of two entries with one id the first is kept.
        places.entry(entry.id).or_insert(place);
    }
    let next = |place: usize| {
        let by = entries.get(place)?.superseded_by?;
        places.get(&by).copied()
    };
    // The walk that came by first; each place is walked once.
    let mut walked: Vec<Option<usize>> = vec![None; entries.len()];
    let mut rings = Vec::new();
    for start in 0..entries.len() {
        let mut at = Some(start);
        while let Some(place) = at.filter(|place| walked[*place].is_none()) {
            walked[place] = Some(start);
            at = next(place);
        }
        let Some(first) = at.filter(|place| walked[*place] == Some(start)) else {
            continue;
        };
        let ring = std::iter::successors(Some(first), |place| {
            next(*place).filter(|place| *place != first)
        });
        rings.extend(ring.map(|place| {
            let problem = "it and the entries that correct it correct each other";
            (place, wrong("superseded_by", problem))
        }));
    }
    rings
}

/// The fields of a line, taken one by one; what is left at the end is unknown.
struct Fields(Map<String, Value>);

impl Fields {
    fn take(&mut self, field: &'static str) -> Result<Value, Unreadable> {
        self.0.remove(field).ok_or(Unreadable::Missing(field))
    }

    fn string(&mut self, field: &'static str) -> Result<String, Unreadable> {
        match self.take(field)? {
            Value::String(text) => Ok(text),
            other => Err(wrong(field, format!("expected a text, found {other}"))),
        }
    }

    /// Earlier versions wrote `engram` for a conversation.
    fn kind(&mut self) -> Result<Kind, Unreadable> {
        if self.0.get("kind").and_then(Value::as_str) == Some(Kind::Engram.as_str()) {
            self.0.remove("kind");
            return Ok(Kind::Engram);
        }
        self.one_of("kind", Kind::ALL, word_of)
    }

    fn strings(&mut self, field: &'static str) -> Result<Vec<String>, Unreadable> {
        serde_json::from_value(self.take(field)?)
            .map_err(|error| wrong(field, format!("expected a list of texts: {error}")))
    }

    fn parsed<T>(&mut self, field: &'static str) -> Result<T, Unreadable>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.string(field)?
            .parse()
            .map_err(|error| wrong(field, error))
    }

    fn maybe<T>(&mut self, field: &'static str) -> Result<Option<T>, Unreadable>
    where
        T: FromStr,
        T::Err: Display,
    {
        match self.0.get(field) {
            None | Some(Value::Null) => {
                self.0.remove(field);
                Ok(None)
            }
            Some(_) => self.parsed(field).map(Some),
        }
    }

    fn ids(&mut self, field: &'static str) -> Result<Vec<MemoryId>, Unreadable> {
        let ids = self.strings(field)?;
        ids.iter()
            .map(|id| id.parse().map_err(|error| wrong(field, error)))
            .collect()
    }

    fn tools(&mut self, field: &'static str) -> Result<Vec<ToolName>, Unreadable> {
        let names = self.strings(field)?;
        names
            .into_iter()
            .map(|name| ToolName::new(name).map_err(|error| wrong(field, error)))
            .collect()
    }

    fn label(&mut self, field: &'static str) -> Result<Label, Unreadable> {
        let mut label: Label =
            serde_json::from_value(self.take(field)?).map_err(|error| wrong(field, error))?;
        let is_long = |origin: &String| origin.chars().count() > ORIGIN_CHARS;
        if label.origins.len() > ORIGINS || label.origins.iter().any(is_long) {
            let most = format!("at most {ORIGINS} origins of {ORIGIN_CHARS} characters are kept");
            return Err(wrong(field, most));
        }
        label.trusted_origins = &label.trusted_origins & &label.origins;
        Ok(label)
    }

    fn count(&mut self, field: &'static str) -> Result<u64, Unreadable> {
        let value = self.take(field)?;
        value
            .as_u64()
            .filter(|count| i64::try_from(*count).is_ok())
            .ok_or_else(|| wrong(field, format!("expected a count, found {value}")))
    }

    fn small<T: TryFrom<i64>>(
        &mut self,
        field: &'static str,
        least: i64,
        most: i64,
    ) -> Result<Option<T>, Unreadable> {
        let value = self.0.remove(field).unwrap_or_default();
        if value.is_null() {
            return Ok(None);
        }
        let number = value.as_i64().filter(|n| (least..=most).contains(n));
        match number.map(T::try_from) {
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) | None => Err(wrong(
                field,
                format!("expected {least} to {most}, found {value}"),
            )),
        }
    }

    fn one_of<T: Copy, const N: usize>(
        &mut self,
        field: &'static str,
        choices: [T; N],
        word: fn(T) -> &'static str,
    ) -> Result<T, Unreadable> {
        let found = self.string(field)?;
        let words = choices.map(word).join(", ");
        choices
            .into_iter()
            .find(|choice| word(*choice) == found)
            .ok_or_else(|| wrong(field, format!("`{found}` is none of {words}")))
    }

    fn maybe_one_of<T: Copy, const N: usize>(
        &mut self,
        field: &'static str,
        choices: [T; N],
        word: fn(T) -> &'static str,
    ) -> Result<Option<T>, Unreadable> {
        match self.0.get(field) {
            None | Some(Value::Null) => {
                self.0.remove(field);
                Ok(None)
            }
            Some(_) => self.one_of(field, choices, word).map(Some),
        }
    }
}

#[cfg(test)]
mod tests;
