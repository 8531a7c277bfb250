//! The disk format of the store: tables, and how an entry becomes a row and a row an entry.
//!
//! Times are microseconds since 1970 UTC, ids 16 bytes, lists JSON. Any program that reads SQLite
//! may read the file.

use crate::entry::Entry;
use api::memory::{Kind, Source, Stored, WriteEntry};
use domain::Timestamp;
use domain::id::{MemoryId, QueryId, SessionId};
use domain::label::Label;
use domain::quality::Winner;
use domain::rights::Namespace;
use domain::tool::ToolName;
use rusqlite::types::Type;
use rusqlite::{Connection, Row, named_params};
use uuid::Uuid;

/// Marks the file as ours: `CRLM`.
pub(crate) const APPLICATION_ID: i32 = 0x4352_4c4d;
/// The version of the tables.
pub(crate) const VERSION: i32 = 1;

/// The tables. `changes` is what indexes catch up by; `mark` tells one history of the store from
/// another, after a copy was put back.
pub(crate) const SCHEMA: &str = "
CREATE TABLE entries (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    kind          TEXT NOT NULL CHECK (kind IN ('memory', 'engram')),
    namespace     TEXT NOT NULL,
    name          TEXT,
    description   TEXT,
    tags          TEXT,
    corpus        TEXT,
    question      TEXT,
    answer        TEXT,
    intent        TEXT,
    entities      TEXT,
    session       BLOB,
    query         BLOB,
    respondent    TEXT,
    tools         TEXT,
    source        TEXT NOT NULL,
    label         TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    valid_from    INTEGER,
    valid_until   INTEGER,
    superseded_by BLOB,
    last_accessed INTEGER,
    access_count  INTEGER NOT NULL DEFAULT 0,
    critic_score  INTEGER,
    winner        TEXT,
    feedback      INTEGER,
    likeness      BLOB NOT NULL
) STRICT;
CREATE INDEX entries_alike ON entries (likeness) WHERE valid_until IS NULL;
CREATE UNIQUE INDEX entries_asked ON entries (query, respondent) WHERE kind = 'engram';
CREATE INDEX entries_corrected ON entries (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE correlations (
    number INTEGER NOT NULL,
    other  BLOB NOT NULL,
    PRIMARY KEY (number, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX correlations_back ON correlations (other);
CREATE TABLE changes (
    epoch  INTEGER PRIMARY KEY AUTOINCREMENT,
    number INTEGER NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN ('put', 'remove')),
    mark   INTEGER NOT NULL
) STRICT;
";

/// Tables that a store made before they were thought of gets when it is opened: entries that are
/// removed, and whose text may still be in a file; and which engrams were forgotten, so that none
/// comes back when a session's log is read again. They hold nothing of what was said.
pub(crate) const FORGOTTEN: &str = "
CREATE TABLE IF NOT EXISTS forgotten (number INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS forgotten_queries (
    query      BLOB NOT NULL,
    respondent TEXT NOT NULL,
    PRIMARY KEY (query, respondent)
) STRICT, WITHOUT ROWID;
";

/// Every column an entry is read from, in the order of [`entry`].
pub(crate) const COLUMNS: &str = "number, id, kind, namespace, name, description, tags, corpus, \
    question, answer, intent, entities, session, query, respondent, tools, source, label, \
    created_at, valid_from, valid_until, superseded_by, last_accessed, access_count, \
    critic_score, winner, feedback";

/// Writes a row and gives its number. What it belongs with goes to a table of its own.
///
/// # Errors
/// What SQLite says, as for an id that is already there.
pub(crate) fn insert(
    to: &Connection,
    stored: &Stored,
    likeness: &[u8; 16],
) -> rusqlite::Result<u64> {
    let columns = Columns::of(&stored.entry)?;
    let label = json(&stored.label)?;
    to.prepare_cached(
        "INSERT INTO entries (id, kind, namespace, name, description, tags, corpus, question, \
         answer, intent, entities, session, query, respondent, tools, source, label, created_at, \
         valid_from, valid_until, superseded_by, last_accessed, access_count, critic_score, \
         winner, feedback, likeness) VALUES (:id, :kind, :namespace, :name, :description, :tags, \
         :corpus, :question, :answer, :intent, :entities, :session, :query, :respondent, :tools, \
         :source, :label, :created_at, :valid_from, :valid_until, :superseded_by, \
         :last_accessed, :access_count, :critic_score, :winner, :feedback, :likeness)",
    )?
    .execute(named_params! {
        ":id": stored.id.as_uuid().as_bytes(),
        ":kind": stored.entry.kind().as_str(),
        ":namespace": stored.namespace.as_str(),
        ":name": columns.name,
        ":description": columns.description,
        ":tags": columns.tags,
        ":corpus": columns.corpus,
        ":question": columns.question,
        ":answer": columns.answer,
        ":intent": columns.intent,
        ":entities": columns.entities,
        ":session": columns.session.as_ref().map(Uuid::as_bytes),
        ":query": columns.query.as_ref().map(Uuid::as_bytes),
        ":respondent": columns.respondent,
        ":tools": columns.tools,
        ":source": stored.source.as_str(),
        ":label": label,
        ":created_at": stored.created_at.as_microsecond(),
        ":valid_from": stored.valid_from.map(Timestamp::as_microsecond),
        ":valid_until": stored.valid_until.map(Timestamp::as_microsecond),
        ":superseded_by": stored.superseded_by.map(|id| *id.as_uuid().as_bytes()),
        ":last_accessed": stored.last_accessed.map(Timestamp::as_microsecond),
        ":access_count": stored.access_count,
        ":critic_score": stored.critic_score,
        ":winner": stored.pairwise_winner.map(Winner::as_str),
        ":feedback": stored.feedback,
        ":likeness": likeness,
    })?;
    let number = to.last_insert_rowid();
    if let WriteEntry::Memory {
        correlating_ids, ..
    } = &stored.entry
    {
        let mut link = to
            .prepare_cached("INSERT OR IGNORE INTO correlations (number, other) VALUES (?1, ?2)")?;
        for other in correlating_ids {
            link.execute((number, other.as_uuid().as_bytes()))?;
        }
    }
    Ok(number.cast_unsigned())
}

/// The columns that depend on the kind.
#[derive(Default)]
struct Columns<'a> {
    name: Option<&'a str>,
    description: Option<&'a str>,
    tags: Option<String>,
    corpus: Option<&'a str>,
    question: Option<&'a str>,
    answer: Option<&'a str>,
    intent: Option<&'a str>,
    entities: Option<String>,
    session: Option<Uuid>,
    query: Option<Uuid>,
    respondent: Option<&'a str>,
    tools: Option<String>,
}

impl<'a> Columns<'a> {
    fn of(entry: &'a WriteEntry) -> rusqlite::Result<Self> {
        Ok(match entry {
            WriteEntry::Memory {
                name,
                description,
                tags,
                corpus,
                ..
            } => Self {
                name: Some(name),
                description: Some(description),
                tags: Some(json(tags)?),
                corpus: Some(corpus),
                ..Self::default()
            },
            WriteEntry::Engram {
                question,
                answer,
                intent,
                entities,
                session_id,
                query_id,
                respondent,
                tools_used,
            } => Self {
                question: Some(question),
                answer: Some(answer),
                intent: Some(intent),
                entities: Some(json(entities)?),
                session: Some(session_id.as_uuid()),
                query: Some(query_id.as_uuid()),
                respondent: Some(respondent),
                tools: Some(json(tools_used)?),
                ..Self::default()
            },
        })
    }
}

/// Reads a row of [`COLUMNS`]. What a memory belongs with is read with it.
///
/// # Errors
/// What SQLite says, or which column holds what no entry has.
pub(crate) fn entry(from: &Connection, row: &Row<'_>) -> rusqlite::Result<Entry> {
    let number: u64 = row.get(0)?;
    let entry = match one_of(row, 2, Kind::ALL, Kind::as_str)? {
        Kind::Memory => WriteEntry::Memory {
            name: row.get(4)?,
            description: row.get(5)?,
            tags: list(row, 6)?,
            correlating_ids: correlating(from, number)?,
            corpus: row.get(7)?,
        },
        Kind::Engram => WriteEntry::Engram {
            question: row.get(8)?,
            answer: row.get(9)?,
            intent: row.get(10)?,
            entities: list(row, 11)?,
            session_id: SessionId::from_uuid(uuid(row, 12)?),
            query_id: QueryId::from_uuid(uuid(row, 13)?),
            respondent: row.get(14)?,
            tools_used: list::<ToolName>(row, 15)?,
        },
    };
    Ok(Entry {
        number,
        stored: Stored {
            id: MemoryId::from_uuid(uuid(row, 1)?),
            namespace: namespace(row, 3)?,
            entry,
            source: one_of(row, 16, Source::ALL, Source::as_str)?,
            label: list_free(row, 17)?,
            created_at: time(row, 18)?,
            valid_from: optional_time(row, 19)?,
            valid_until: optional_time(row, 20)?,
            superseded_by: row
                .get::<_, Option<[u8; 16]>>(21)?
                .map(|bytes| MemoryId::from_uuid(Uuid::from_bytes(bytes))),
            last_accessed: optional_time(row, 22)?,
            access_count: row.get(23)?,
            critic_score: row.get(24)?,
            pairwise_winner: winner(row, 25)?,
            feedback: row.get(26)?,
        },
    })
}

fn correlating(from: &Connection, number: u64) -> rusqlite::Result<Vec<MemoryId>> {
    let mut others: Vec<MemoryId> = from
        .prepare_cached("SELECT other FROM correlations WHERE number = ?1")?
        .query_map([number], |row| {
            Ok(MemoryId::from_uuid(Uuid::from_bytes(row.get(0)?)))
        })?
        .collect::<rusqlite::Result<_>>()?;
    others.sort_unstable();
    Ok(others)
}

/// A list as the columns keep it.
///
/// # Errors
/// When it cannot be written as JSON.
pub(crate) fn json<T: serde::Serialize + ?Sized>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn list<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<T>> {
    parsed(row, column)
}

fn list_free(row: &Row<'_>, column: usize) -> rusqlite::Result<Label> {
    parsed(row, column)
}

fn parsed<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

fn uuid(row: &Row<'_>, column: usize) -> rusqlite::Result<Uuid> {
    row.get(column).map(Uuid::from_bytes)
}

fn namespace(row: &Row<'_>, column: usize) -> rusqlite::Result<Namespace> {
    Namespace::new(row.get::<_, String>(column)?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// The choice whose word stands in a column.
fn one_of<T: Copy, const N: usize>(
    row: &Row<'_>,
    column: usize,
    choices: [T; N],
    word: fn(T) -> &'static str,
) -> rusqlite::Result<T> {
    let found: String = row.get(column)?;
    let mut choices = choices.into_iter();
    choices
        .find(|choice| word(*choice) == found)
        .ok_or_else(|| unknown(column, &found))
}

fn winner(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Winner>> {
    match row.get::<_, Option<String>>(column)? {
        Some(_) => one_of(row, column, Winner::ALL, Winner::as_str).map(Some),
        None => Ok(None),
    }
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(row.get(column)?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error))
    })
}

fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    match row.get::<_, Option<i64>>(column)? {
        Some(_) => time(row, column).map(Some),
        None => Ok(None),
    }
}

/// A word that the format does not know.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no word of this format")]
struct UnknownWord(String);

fn unknown(column: usize, word: &str) -> rusqlite::Error {
    let word = UnknownWord(word.chars().take(40).collect());
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(word))
}
