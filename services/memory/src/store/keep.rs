//! What changes entries: each in one transaction, each leaving its mark on the log of changes.

use super::change::{ChangeKind, note};
use super::read;
use crate::record;
use api::memory::{Annotation, Kind, Source, Stored, WriteEntry};
use domain::id::{MemoryId, QueryId};
use domain::label::Integrity;
use rusqlite::{Connection, OptionalExtension as _};
use uuid::Uuid;

/// Longest chain of corrections that is followed.
const CORRECTIONS: usize = 10_000;

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is there.
    Stored,
    /// This one says the same.
    Duplicate(MemoryId),
    /// There is no such entry to correct in its namespace.
    NothingToCorrect,
    /// What it would correct is more trusted.
    LessTrusted,
    /// The user forgot it.
    Forgotten,
}

/// What became of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remarked {
    /// It is kept.
    Done,
    /// There is no such entry.
    Unknown,
    /// It is no engram.
    NoEngram,
}

/// Keeps a new entry, and marks what it corrects.
pub(crate) fn keep(
    to: &Connection,
    stored: &Stored,
    likeness: &[u8; 16],
    supersedes: Option<MemoryId>,
) -> rusqlite::Result<Kept> {
    if is_forgotten(to, &stored.entry)? {
        return Ok(Kept::Forgotten);
    }
    let corrected = match supersedes {
        Some(id) => match newest_version(to, id)? {
            Some(entry) if entry.stored.namespace == stored.namespace => {
                // Of trusted words, only the user's correct the user's.
                let is_the_users = entry.stored.source == Source::User;
                if entry.stored.label.integrity < stored.label.integrity
                    || is_the_users && stored.source != Source::User
                {
                    return Ok(Kept::LessTrusted);
                }
                Some(entry)
            }
            Some(_) | None => return Ok(Kept::NothingToCorrect),
        },
        None => None,
    };
    let alike = alike(to, &stored.entry, likeness)?;
    let is_as_trusted = |integrity: Integrity| integrity <= stored.label.integrity;
    let same = alike
        .iter()
        .find(|(_, _, integrity)| is_as_trusted(*integrity));
    if let Some((_, id, _)) = same {
        if let Some(corrected) = corrected.filter(|entry| entry.stored.id != *id) {
            supersede(to, corrected.number, *id, stored)?;
        }
        return Ok(Kept::Duplicate(*id));
    }
    let number = record::insert(to, stored, likeness)?;
    note(to, number, ChangeKind::Put)?;
    // What said the same and was less trusted is of no more use.
    let older = alike.into_iter().map(|(number, _, _)| number);
    let older: std::collections::BTreeSet<u64> =
        older.chain(corrected.map(|entry| entry.number)).collect();
    for number in older {
        supersede(to, number, stored.id, stored)?;
    }
    Ok(Kept::Stored)
}

/// The entry, or the last of those that corrected it.
fn newest_version(
    from: &Connection,
    id: MemoryId,
) -> rusqlite::Result<Option<crate::entry::Entry>> {
    let mut wanted = id;
    let mut found = None;
    for _ in 0..CORRECTIONS {
        let Some(entry) = read::by_ids(from, &[wanted])?.pop() else {
            break;
        };
        let next = entry.stored.superseded_by;
        found = Some(entry);
        match next {
            Some(next) => wanted = next,
            None => break,
        }
    }
    Ok(found)
}

/// Memories that hold and say the same.
const ALIKE: &str = "SELECT number FROM entries WHERE likeness = ?1 AND kind = 'memory' \
                     AND valid_until IS NULL ORDER BY number";
/// The engram of a query and a respondent.
const ASKED: &str = "SELECT number FROM entries WHERE kind = 'engram' AND query = ?1 \
                     AND respondent = ?2 ORDER BY number";

/// Whether an engram of this query and respondent was forgotten.
const GONE: &str = "SELECT 1 FROM forgotten_queries WHERE query = ?1 AND respondent = ?2";

fn is_forgotten(from: &Connection, entry: &WriteEntry) -> rusqlite::Result<bool> {
    let WriteEntry::Engram {
        query_id,
        respondent,
        ..
    } = entry
    else {
        return Ok(false);
    };
    from.prepare_cached(GONE)?
        .exists((query_id.as_uuid().as_bytes(), respondent))
}

/// Entries that say the same: number, id and trust.
fn alike(
    from: &Connection,
    entry: &WriteEntry,
    likeness: &[u8; 16],
) -> rusqlite::Result<Vec<(u64, MemoryId, Integrity)>> {
    let numbers: Vec<u64> = match entry {
        WriteEntry::Memory { .. } => from
            .prepare_cached(ALIKE)?
            .query_map([likeness], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?,
        WriteEntry::Engram {
            query_id,
            respondent,
            ..
        } => from
            .prepare_cached(ASKED)?
            .query_map((query_id.as_uuid().as_bytes(), respondent), |row| {
                row.get(0)
            })?
            .collect::<rusqlite::Result<_>>()?,
    };
    let entries = read::entries(from, &numbers)?;
    let parts = |entry: crate::entry::Entry| {
        // Of one query and respondent there is one engram, however trusted.
        let integrity = match entry.stored.entry.kind() {
            Kind::Memory => entry.stored.label.integrity,
            Kind::Engram => Integrity::Trusted,
        };
        (entry.number, entry.stored.id, integrity)
    };
    Ok(entries.into_iter().map(parts).collect())
}

fn supersede(
    to: &Connection,
    number: u64,
    by: MemoryId,
    correction: &Stored,
) -> rusqlite::Result<()> {
    let marked = to
        .prepare_cached(
            "UPDATE entries SET valid_until = ?2, superseded_by = ?3 \
             WHERE number = ?1 AND valid_until IS NULL",
        )?
        .execute((
            number,
            correction.created_at.as_microsecond(),
            by.as_uuid().as_bytes(),
        ))?;
    match marked {
        0 => Ok(()),
        _ => note(to, number, ChangeKind::Remove),
    }
}

/// Keeps an exported entry as it is.
pub(crate) fn restore(
    to: &Connection,
    stored: &Stored,
    likeness: &[u8; 16],
) -> rusqlite::Result<Kept> {
    if let Some(known) = read::by_ids(to, &[stored.id])?.pop() {
        return Ok(Kept::Duplicate(known.stored.id));
    }
    if stored.entry.kind() == Kind::Engram
        && let Some((_, id, _)) = alike(to, &stored.entry, likeness)?.pop()
    {
        return Ok(Kept::Duplicate(id));
    }
    let number = record::insert(to, stored, likeness)?;
    if stored.valid_until.is_none() {
        note(to, number, ChangeKind::Put)?;
    }
    Ok(Kept::Stored)
}

/// The engram of a query and a respondent.
pub(crate) fn engram_of(
    from: &Connection,
    query_id: QueryId,
    respondent: &str,
) -> rusqlite::Result<Option<MemoryId>> {
    let number = from
        .prepare_cached(ASKED)?
        .query_row((query_id.as_uuid().as_bytes(), respondent), |row| {
            row.get::<_, u64>(0)
        })
        .optional()?;
    let entries = read::entries(from, &number.into_iter().collect::<Vec<_>>())?;
    Ok(entries.into_iter().next().map(|entry| entry.stored.id))
}

/// Keeps a remark on an engram.
pub(crate) fn annotate(
    to: &Connection,
    id: MemoryId,
    annotation: &Annotation,
) -> rusqlite::Result<Remarked> {
    let Some(entry) = read::by_ids(to, &[id])?.pop() else {
        return Ok(Remarked::Unknown);
    };
    if !matches!(entry.stored.entry, WriteEntry::Engram { .. }) {
        return Ok(Remarked::NoEngram);
    }
    let number = entry.number;
    // What was found here before, and how high, is no longer so.
    if entry.stored.valid_until.is_none() {
        note(to, number, ChangeKind::Put)?;
    }
    match annotation {
        Annotation::Score(score) => {
            let sql = "UPDATE entries SET critic_score = ?2 WHERE number = ?1";
            to.execute(sql, (number, score))?;
        }
        Annotation::Winner(winner) => {
            let sql = "UPDATE entries SET winner = ?2 WHERE number = ?1";
            to.execute(sql, (number, winner.as_str()))?;
        }
        Annotation::Feedback(feedback) => {
            let sql = "UPDATE entries SET feedback = ?2 WHERE number = ?1";
            to.execute(sql, (number, feedback))?;
        }
        Annotation::Understood { intent, entities } => {
            let sql = "UPDATE entries SET intent = ?2, entities = ?3 WHERE number = ?1";
            to.execute(sql, (number, intent, record::json(entities)?))?;
        }
    }
    Ok(Remarked::Done)
}

/// The entry and every one that it corrected, directly or not.
pub(crate) fn with_corrected(from: &Connection, id: MemoryId) -> rusqlite::Result<Vec<u64>> {
    from.prepare_cached(
        "WITH RECURSIVE versions(number, id) AS (
             SELECT number, id FROM entries WHERE id = ?1
             UNION
             SELECT e.number, e.id FROM entries e JOIN versions v ON e.superseded_by = v.id
         ) SELECT number FROM versions ORDER BY number",
    )?
    .query_map([id.as_uuid().as_bytes()], |row| row.get(0))?
    .collect()
}

/// Removes entries and every mention of them, and gives how many there were. They stay marked as
/// [`forgotten`] until [`cleaned`] says that no file has their text.
pub(crate) fn remove(to: &Connection, numbers: &[u64]) -> rusqlite::Result<u64> {
    let mut removed = 0;
    for number in numbers {
        let id: Option<[u8; 16]> = to
            .prepare_cached("SELECT id FROM entries WHERE number = ?1")?
            .query_row([number], |row| row.get(0))
            .optional()?;
        let Some(id) = id else {
            continue;
        };
        let id = Uuid::from_bytes(id);
        to.execute(
            "DELETE FROM correlations WHERE number = ?1 OR other = ?2",
            (number, id.as_bytes()),
        )?;
        to.execute(
            "UPDATE entries SET superseded_by = NULL WHERE superseded_by = ?1",
            [id.as_bytes()],
        )?;
        to.execute(
            "INSERT OR IGNORE INTO forgotten_queries
             SELECT query, respondent FROM entries WHERE number = ?1 AND kind = 'engram'",
            [number],
        )?;
        to.execute("DELETE FROM entries WHERE number = ?1", [number])?;
        to.execute("INSERT OR IGNORE INTO forgotten VALUES (?1)", [number])?;
        note(to, *number, ChangeKind::Remove)?;
        removed += 1;
    }
    Ok(removed)
}

/// Entries that are removed and whose text may still be in a file.
pub(crate) fn forgotten(from: &Connection) -> rusqlite::Result<Vec<u64>> {
    from.prepare_cached("SELECT number FROM forgotten ORDER BY number")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// No file has anything of these any more.
pub(crate) fn cleaned(to: &Connection, numbers: &[u64]) -> rusqlite::Result<()> {
    let mut unmark = to.prepare_cached("DELETE FROM forgotten WHERE number = ?1")?;
    for number in numbers {
        unmark.execute([number])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_write_looks_at_every_entry() {
        let store = Connection::open_in_memory().unwrap();
        store.execute_batch(record::SCHEMA).unwrap();
        store.execute_batch(record::FORGOTTEN).unwrap();
        for (sql, index) in [
            (ALIKE, "entries_alike"),
            (ASKED, "entries_asked"),
            (GONE, "PRIMARY KEY"),
        ] {
            let mut plan = store.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let any = rusqlite::params_from_iter(vec![[0_u8; 16]; plan.parameter_count()]);
            let steps = plan.query_map(any, |row| row.get(3)).unwrap();
            let plan: Vec<String> = steps.collect::<rusqlite::Result<_>>().unwrap();
            assert!(plan.iter().all(|step| step.contains(index)), "{plan:?}");
        }
    }
}
