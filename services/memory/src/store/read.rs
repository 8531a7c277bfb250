//! What is asked of the entries. Every answer is in the order of numbers unless it says otherwise.

use crate::entry::Entry;
use crate::record;
use api::memory::{Kind, Scope};
use domain::id::MemoryId;
use rusqlite::{Connection, OptionalExtension as _};

/// Most entries that one statement asks for.
pub(crate) const PAGE: usize = 1_000;

/// These entries, in the order asked for; those that are gone are left out.
pub(crate) fn entries(from: &Connection, numbers: &[u64]) -> rusqlite::Result<Vec<Entry>> {
    let sql = format!("SELECT {} FROM entries WHERE number = ?1", record::COLUMNS);
    let mut one = from.prepare_cached(&sql)?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        found.extend(
            one.query_row([number], |row| record::entry(from, row))
                .optional()?,
        );
    }
    Ok(found)
}

/// These entries, in the order asked for; unknown ids are left out.
pub(crate) fn by_ids(from: &Connection, ids: &[MemoryId]) -> rusqlite::Result<Vec<Entry>> {
    let sql = format!("SELECT {} FROM entries WHERE id = ?1", record::COLUMNS);
    let mut one = from.prepare_cached(&sql)?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(
            one.query_row([id.as_uuid().as_bytes()], |row| record::entry(from, row))
                .optional()?,
        );
    }
    Ok(found)
}

/// Entries of a kind, corrected ones included, from after a number, at most [`PAGE`] looked at;
/// and the last number looked at, if there may be more.
pub(crate) fn page(
    from: &Connection,
    after: u64,
    scope: &Scope,
    kind: Option<Kind>,
) -> rusqlite::Result<(Vec<Entry>, Option<u64>)> {
    let sql = format!(
        "SELECT {} FROM entries WHERE number > ?1 ORDER BY number LIMIT {PAGE}",
        record::COLUMNS
    );
    let mut statement = from.prepare_cached(&sql)?;
    let mut rows = statement.query([after])?;
    let (mut found, mut last, mut seen) = (Vec::new(), after, 0);
    while let Some(row) = rows.next()? {
        let entry = record::entry(from, row)?;
        last = entry.number;
        seen += 1;
        let is_wanted = kind.is_none_or(|kind| entry.stored.entry.kind() == kind);
        if is_wanted && scope.contains(&entry.stored.namespace) {
            found.push(entry);
        }
    }
    Ok((found, (seen == PAGE).then_some(last)))
}

/// Pairs of the given entries and those that hold and belong with them, whichever of the two says
/// so, in no order. A pair may come twice.
pub(crate) fn correlated(from: &Connection, numbers: &[u64]) -> rusqlite::Result<Vec<(u64, u64)>> {
    let mut named = from.prepare_cached(
        "SELECT e.number FROM correlations c JOIN entries e ON e.id = c.other \
         WHERE c.number = ?1 AND e.valid_until IS NULL",
    )?;
    let mut naming = from.prepare_cached(
        "SELECT e.number FROM entries a JOIN correlations c ON c.other = a.id \
         JOIN entries e ON e.number = c.number \
         WHERE a.number = ?1 AND e.valid_until IS NULL",
    )?;
    let mut pairs = Vec::new();
    for number in numbers {
        for statement in [&mut named, &mut naming] {
            let others = statement.query_map([number], |row| row.get::<_, u64>(0))?;
            for other in others {
                pairs.push((*number, other?));
            }
        }
    }
    Ok(pairs)
}

/// How many entries there are: curated ones that hold, captured ones, corrected ones.
pub(crate) fn counts(from: &Connection) -> rusqlite::Result<(u64, u64, u64)> {
    from.query_row(
        "SELECT count(*) FILTER (WHERE kind = 'memory' AND valid_until IS NULL), \
         count(*) FILTER (WHERE kind = 'engram'), \
         count(*) FILTER (WHERE valid_until IS NOT NULL) FROM entries",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// How many entries each namespace has.
pub(crate) fn namespaces(from: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    from.prepare_cached("SELECT namespace, count(*) FROM entries GROUP BY namespace ORDER BY 1")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
