//! What indexes and ranking read of many entries at once, without their texts.

use api::memory::Source;
use domain::id::MemoryId;
use domain::rights::Namespace;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _};
use std::collections::BTreeSet;
use uuid::Uuid;

/// How much of a text is read to see who speaks in it and whether it asks, characters.
const OPENING_CHARS: u32 = 800;

/// What is known of an entry besides its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Glance {
    /// The entry.
    pub(crate) number: u32,
    /// How its text begins; empty for an engram.
    pub(crate) opening: String,
    /// What was asked; `None` for a curated memory.
    pub(crate) question: Option<String>,
    /// How its answer begins, or a memory's name, description and text; empty where no engram is
    /// among those looked at.
    pub(crate) says: String,
    /// When it was written, microseconds since 1970 UTC.
    pub(crate) created_at: i64,
    /// Whether it came from outside.
    pub(crate) is_external: bool,
    /// A critic's score, 1 to 5.
    pub(crate) critic_score: Option<u8>,
    /// The outcome of a comparison: 1 won, 0 tie, -1 lost.
    pub(crate) outcome: Option<i8>,
    /// The user's feedback, -100 to 100.
    pub(crate) feedback: Option<i8>,
}

/// An entry that holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    /// The entry.
    pub(crate) number: u32,
    /// Its id.
    pub(crate) id: MemoryId,
    /// Where it is kept.
    pub(crate) namespace: Namespace,
}

/// Entries that hold, from after a number.
pub(crate) fn holdings(from: &Connection, after: u32, limit: usize) -> rusqlite::Result<Vec<Held>> {
    from.prepare_cached(
        "SELECT number, id, namespace FROM entries WHERE number > ?1 AND valid_until IS NULL \
         ORDER BY number LIMIT ?2",
    )?
    .query_map((after, limit), |row| {
        let namespace = Namespace::new(row.get::<_, String>(2)?).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(2, Type::Text, Box::new(error))
        })?;
        Ok(Held {
            number: row.get(0)?,
            id: MemoryId::from_uuid(Uuid::from_bytes(row.get(1)?)),
            namespace,
        })
    })?
    .collect()
}

/// Every pair of entries that belong together, whether they hold or not.
pub(crate) fn links(from: &Connection) -> rusqlite::Result<Vec<(u32, u32)>> {
    from.prepare_cached(
        "SELECT c.number, e.number FROM correlations c JOIN entries e ON e.id = c.other",
    )?
    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
    .collect()
}

/// These entries, as far as they hold, in order.
pub(crate) fn glances(from: &Connection, numbers: &BTreeSet<u32>) -> rusqlite::Result<Vec<Glance>> {
    let mut one = from.prepare_cached(&format!(
        "SELECT coalesce(substr(corpus, 1, {OPENING_CHARS}), ''), created_at, source, \
         critic_score, winner, feedback, substr(question, 1, {OPENING_CHARS}) \
         FROM entries WHERE number = ?1 AND valid_until IS NULL"
    ))?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        found.extend(
            one.query_row([number], |row| {
                Ok(Glance {
                    number: *number,
                    opening: row.get(0)?,
                    created_at: row.get(1)?,
                    is_external: row.get_ref(2)?.as_str()? == Source::External.as_str(),
                    critic_score: row.get(3)?,
                    outcome: outcome(row.get_ref(4)?.as_str_or_null()?),
                    feedback: row.get(5)?,
                    question: row.get(6)?,
                    says: String::new(),
                })
            })
            .optional()?,
        );
    }
    // What is said is compared with engrams alone.
    if found.iter().any(|glance| glance.question.is_some()) {
        says(from, &mut found)?;
    }
    Ok(found)
}

fn says(from: &Connection, of: &mut [Glance]) -> rusqlite::Result<()> {
    let mut one = from.prepare_cached(&format!(
        "SELECT substr(coalesce(answer, coalesce(name, '') || ' ' || coalesce(description, '') \
         || ' ' || substr(coalesce(corpus, ''), 1, {OPENING_CHARS})), 1, {OPENING_CHARS}) \
         FROM entries WHERE number = ?1"
    ))?;
    for glance in of {
        let said: Option<String> = one
            .query_row([glance.number], |row| row.get(0))
            .optional()?;
        glance.says = said.unwrap_or_default();
    }
    Ok(())
}

/// What a comparison's outcome counts. An engram is the first of the two that are compared.
fn outcome(word: Option<&str>) -> Option<i8> {
    match word? {
        "A" => Some(1),
        "B" => Some(-1),
        _ => Some(0),
    }
}
