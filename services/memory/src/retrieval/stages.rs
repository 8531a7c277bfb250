//! What is told of a stage: its best candidates, how many there were, how long it took.

use crate::index::Indexes;
use api::memory::{Candidate, STAGE_CANDIDATES, Stage};
use retrieval::fusion::Hit;
use std::time::Duration;

/// A stage over hits, best first.
pub(super) fn of_hits(
    indexes: &Indexes,
    name: &str,
    hits: &[Hit],
    seen: u64,
    duration: Duration,
    note: String,
) -> Stage {
    let candidates = indexes.directory(|directory| {
        let best = hits.iter().take(STAGE_CANDIDATES);
        best.filter_map(|hit| {
            Some(Candidate {
                id: directory.id(small(hit.number))?,
                score: hit.score,
            })
        })
        .collect()
    });
    of(name, candidates, seen, duration, note)
}

/// A stage over candidates, best first.
pub(super) fn of(
    name: &str,
    mut candidates: Vec<Candidate>,
    seen: u64,
    duration: Duration,
    note: String,
) -> Stage {
    candidates.truncate(STAGE_CANDIDATES);
    Stage {
        name: name.to_owned(),
        candidates,
        seen,
        duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
        note,
    }
}

/// A number as indexes keep it.
pub(super) fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
