//! The log of changes: how an index that fell behind catches up, and how it learns that it cannot.

use rusqlite::{Connection, OptionalExtension as _};
use uuid::Uuid;

/// Changes that are kept for indexes that fell behind; one further behind is made anew.
pub(crate) const KEPT: u64 = 100_000;

/// A state of the store. Two states are the same if both parts are: the mark is random, so that a
/// store whose copy was put back cannot be taken for the one that went on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Point {
    /// How many changes led to it; 0 for the empty store.
    pub epoch: u64,
    /// Drawn with the last of them; 0 for the empty store.
    pub mark: i64,
}

/// What happened to an entry, as far as an index cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// It is there, or says something else than before.
    Put,
    /// It is gone, or no longer holds.
    Remove,
}

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// The state it led to.
    pub point: Point,
    /// The entry.
    pub number: u64,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened since a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changes {
    /// This, oldest first; empty when nothing did.
    These(Vec<Change>),
    /// Nobody knows: it is too long ago, or that state is not of this store's history.
    Gap,
}

/// Puts a change on the log.
pub(crate) fn note(to: &Connection, number: u64, kind: ChangeKind) -> rusqlite::Result<()> {
    let word = match kind {
        ChangeKind::Put => "put",
        ChangeKind::Remove => "remove",
    };
    to.prepare_cached("INSERT INTO changes (number, kind, mark) VALUES (?1, ?2, ?3)")?
        .execute((number, word, mark()))?;
    Ok(())
}

fn mark() -> i64 {
    let (high, low) = Uuid::now_v7().as_u64_pair();
    // The low half is random but for two fixed bits; the time in the high half adds to it.
    (high.rotate_left(32) ^ low).cast_signed()
}

/// The newest state.
pub(crate) fn newest(from: &Connection) -> rusqlite::Result<Point> {
    from.prepare_cached("SELECT epoch, mark FROM changes ORDER BY epoch DESC LIMIT 1")?
        .query_row([], |row| {
            Ok(Point {
                epoch: row.get(0)?,
                mark: row.get(1)?,
            })
        })
        .optional()
        .map(Option::unwrap_or_default)
}

/// What happened since `point`, at most `limit` changes.
pub(crate) fn since(from: &Connection, point: Point, limit: usize) -> rusqlite::Result<Changes> {
    if !is_known(from, point)? {
        return Ok(Changes::Gap);
    }
    from.prepare_cached(
        "SELECT epoch, mark, number, kind FROM changes WHERE epoch > ?1 ORDER BY epoch LIMIT ?2",
    )?
    .query_map((point.epoch, limit), |row| {
        Ok(Change {
            point: Point {
                epoch: row.get(0)?,
                mark: row.get(1)?,
            },
            number: row.get(2)?,
            kind: match row.get_ref(3)?.as_str()? {
                "put" => ChangeKind::Put,
                _ => ChangeKind::Remove,
            },
        })
    })?
    .collect::<rusqlite::Result<Vec<_>>>()
    .map(Changes::These)
}

/// Whether a state is of this store's history, as far back as it is kept.
pub(crate) fn is_known(from: &Connection, point: Point) -> rusqlite::Result<bool> {
    if point.epoch == 0 {
        let oldest: Option<u64> = from
            .prepare_cached("SELECT min(epoch) FROM changes")?
            .query_row([], |row| row.get(0))?;
        return Ok(point.mark == 0 && oldest.is_none_or(|epoch| epoch == 1));
    }
    let mark: Option<i64> = from
        .prepare_cached("SELECT mark FROM changes WHERE epoch = ?1")?
        .query_row([point.epoch], |row| row.get(0))
        .optional()?;
    Ok(mark == Some(point.mark))
}

/// Drops changes that are too long ago; the newest stays whatever `kept` says.
pub(crate) fn prune(to: &Connection, kept: u64) -> rusqlite::Result<usize> {
    let newest = newest(to)?.epoch;
    to.execute(
        "DELETE FROM changes WHERE epoch <= ?1",
        [newest.saturating_sub(kept.max(1))],
    )
}
