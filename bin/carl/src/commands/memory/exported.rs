//! An entry as one JSON object: what `export`, `list --json` and `show --json` print, and `import`
//! reads. The form is a promise: names of fields do not change.

use super::named;
use api::memory::{Kind, Recall, Source, Stage, Stored, Winner, WriteEntry};
use domain::Timestamp;
use domain::arguments::Arguments;
use domain::id::MemoryId;
use domain::label::Label;
use domain::tool::ToolName;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use terminal::render::memory::readers;

/// Most origins that an imported label has.
const ORIGINS: usize = 64;
/// Longest origin that an imported label has, characters.
const ORIGIN_CHARS: usize = 200;

/// The object.
#[must_use]
pub fn to_json(stored: &Stored) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", text(&stored.id));
    put("kind", json!(stored.entry.kind().as_str()));
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
                correlating_ids.iter().map(text).collect(),
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
            put("session_id", text(session_id));
            put("query_id", text(query_id));
            put("respondent", json!(respondent));
            put("tools_used", json!(tools_used));
        }
    }
    put("namespace", json!(stored.namespace.as_str()));
    put("source", json!(stored.source.as_str()));
    put("label", json!(stored.label));
    put("created_at", text(&stored.created_at));
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

/// Results as JSON, with what each stage saw where that is wanted.
#[must_use]
pub fn found(recalls: &[Recall], stages: Option<&[Stage]>) -> Value {
    let recall = |recall: &Recall| {
        json!({
            "id": recall.id.to_string(),
            "kind": recall.kind.as_str(),
            "namespace": recall.namespace.as_str(),
            "name": recall.name,
            "description": recall.description,
            "segment": recall.segment,
            "byte_range": [recall.byte_range.0, recall.byte_range.1],
            "score": recall.score,
            "relevance": recall.relevance,
            "source": recall.source.as_str(),
            "label": recall.label,
            "readers": readers(&recall.label),
            "created_at": recall.created_at.to_string(),
            "correlating_ids": recall.correlating_ids.iter().map(text).collect::<Value>(),
        })
    };
    let mut found = json!({"results": recalls.iter().map(recall).collect::<Value>()});
    if let Some(stages) = stages {
        let stage = |stage: &Stage| {
            let candidates = stage.candidates.iter();
            let candidates: Value = candidates
                .map(|candidate| json!({"id": candidate.id.to_string(), "score": candidate.score}))
                .collect();
            json!({
                "name": stage.name,
                "seen": stage.seen,
                "candidates": candidates,
                "duration_us": stage.duration_us,
                "note": stage.note,
            })
        };
        found["stages"] = stages.iter().map(stage).collect();
    }
    found
}

fn text(value: &impl Display) -> Value {
    Value::String(value.to_string())
}

fn maybe(value: Option<&impl Display>) -> Value {
    value.map_or(Value::Null, text)
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

/// Reads one line of an export.
///
/// # Errors
/// [`Unreadable`], naming the field.
pub fn from_line(line: &str) -> Result<Stored, Unreadable> {
    let no_object = |error: serde_json::Error| Unreadable::NoObject(error.to_string());
    let read: Arguments = serde_json::from_str(line).map_err(no_object)?;
    if let Some(twice) = read.twice {
        return Err(wrong(&twice, "is there twice"));
    }
    let Value::Object(object) = read.value else {
        return Err(Unreadable::NoObject("another kind of JSON".to_owned()));
    };
    let mut fields = Fields(object);
    let entry = match fields.one_of("kind", Kind::ALL, Kind::as_str)? {
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
        namespace: named(&fields.string("namespace")?)
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
#[must_use]
pub fn in_rings(entries: &[&Stored]) -> Vec<(usize, Unreadable)> {
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
        let label: Label =
            serde_json::from_value(self.take(field)?).map_err(|error| wrong(field, error))?;
        let is_long = |origin: &String| origin.chars().count() > ORIGIN_CHARS;
        if label.origins.len() > ORIGINS || label.origins.iter().any(is_long) {
            let most = format!("at most {ORIGINS} origins of {ORIGIN_CHARS} characters are kept");
            return Err(wrong(field, most));
        }
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
mod tests {
    use super::*;
    use domain::id::{QueryId, SessionId};
    use domain::rights::Namespace;
    use uuid::Uuid;

    fn stored(entry: WriteEntry) -> Stored {
        Stored {
            id: MemoryId::from_uuid(Uuid::from_u128(1)),
            namespace: Namespace::user(),
            entry,
            source: Source::External,
            label: Label::untrusted("web:example.org"),
            created_at: "2026-11-22T08:00:00.000001Z".parse().unwrap(),
            valid_from: None,
            valid_until: Some("2026-11-23T00:00:00Z".parse().unwrap()),
            superseded_by: Some(MemoryId::from_uuid(Uuid::from_u128(2))),
            last_accessed: None,
            access_count: 7,
            critic_score: Some(5),
            pairwise_winner: Some(Winner::Tie),
            feedback: Some(-100),
        }
    }

    fn both() -> [Stored; 2] {
        [
            stored(WriteEntry::Memory {
                name: "n".to_owned(),
                description: String::new(),
                tags: vec!["t".to_owned()],
                correlating_ids: vec![MemoryId::from_uuid(Uuid::from_u128(3))],
                corpus: "line one\nline \"two\" ü".to_owned(),
            }),
            stored(WriteEntry::Engram {
                question: "q".to_owned(),
                answer: "a".to_owned(),
                intent: String::new(),
                entities: vec!["e".to_owned()],
                session_id: SessionId::from_uuid(Uuid::from_u128(4)),
                query_id: QueryId::from_uuid(Uuid::from_u128(5)),
                respondent: "m".to_owned(),
                tools_used: vec![ToolName::new("read_file").unwrap()],
            }),
        ]
    }

    #[test]
    fn what_is_exported_is_read_back_the_same() {
        for stored in both() {
            let line = to_json(&stored).to_string();
            assert!(!line.contains('\n'));
            assert_eq!(from_line(&line), Ok(stored));
        }
    }

    #[test]
    fn the_field_that_is_wrong_is_named() {
        let [memory, _] = both();
        let with = |field: &str, value: Value| {
            let mut object = to_json(&memory);
            object[field] = value;
            from_line(&object.to_string()).unwrap_err().to_string()
        };
        for (field, value) in [
            ("id", json!("no id")),
            ("kind", json!("thing")),
            ("namespace", json!("")),
            ("namespace", json!("project:here")),
            ("namespace", json!("project:/a/../b")),
            ("namespace", json!("agent:Two Words")),
            ("valid_until", Value::Null),
            ("valid_from", json!("2027-01-01T00:00:00Z")),
            ("superseded_by", json!(memory.id.to_string())),
            ("tags", json!("t")),
            ("correlating_ids", json!(["x"])),
            ("text", Value::Null),
            ("source", json!("world")),
            ("label", json!({})),
            ("created_at", json!("yesterday")),
            ("label", json!(Label::trusted("o".repeat(ORIGIN_CHARS + 1)))),
            ("access_count", json!(-1)),
            ("access_count", json!(1_u64 << 63)),
            ("critic_score", json!(6)),
            ("pairwise_winner", json!("C")),
            ("feedback", json!(101)),
            ("surplus", json!(1)),
        ] {
            let said = with(field, value);
            // Of two times that cannot both be true the end is named.
            let field = field.replace("valid_from", "valid_until");
            assert!(said.starts_with(&format!("field `{field}`: ")), "{said}");
        }
        let mut object = to_json(&memory);
        object.as_object_mut().unwrap().remove("text");
        let said = from_line(&object.to_string()).unwrap_err();
        assert_eq!(said, Unreadable::Missing("text"));
        assert!(matches!(from_line("[]"), Err(Unreadable::NoObject(_))));
        assert!(matches!(from_line("{"), Err(Unreadable::NoObject(_))));
    }

    #[test]
    fn a_name_that_is_there_twice_is_no_entry_at_any_depth() {
        let [memory, _] = both();
        let line = to_json(&memory).to_string();
        for (from, to, field) in [
            ("{\"id\"", "{\"source\":\"user\",\"id\"", "source"),
            (
                "\"label\":{",
                "\"label\":{\"integrity\":\"trusted\",",
                "integrity",
            ),
        ] {
            assert!(line.contains(from), "{line}");
            let said = from_line(&line.replacen(from, to, 1)).unwrap_err();
            assert_eq!(said, wrong(field, "is there twice"));
        }
    }

    #[test]
    fn entries_that_correct_each_other_are_all_named_and_a_long_chain_is_none() {
        let [memory, _] = both();
        let id = |number| MemoryId::from_uuid(Uuid::from_u128(number));
        let entry = |number, by| Stored {
            id: id(number),
            superseded_by: Some(id(by)),
            ..memory.clone()
        };
        let chain: Vec<Stored> = (0..1_000).map(|n| entry(n, n + 1)).collect();
        let chain: Vec<&Stored> = chain.iter().rev().collect();
        assert_eq!(in_rings(&chain), []);
        // The first leads into a ring of three and is in none.
        let ring = [entry(1, 2), entry(2, 3), entry(3, 4), entry(4, 2)];
        let found = in_rings(&ring.iter().collect::<Vec<_>>());
        let places: Vec<usize> = found.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [1, 2, 3]);
    }
}
