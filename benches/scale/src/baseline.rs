//! The same words in SQLite's own full-text index (FTS5), in the same run.

use crate::made::{self, Numbers};
use crate::percentile::at;
use anyhow::Result;
use api::memory::WriteEntry;
use rusqlite::Connection;
use std::time::Instant;

/// Milliseconds of each question, smallest first.
///
/// # Errors
/// When SQLite fails.
pub fn words(entries: usize, questions: usize) -> Result<Vec<f64>> {
    let folder = tempfile::tempdir()?;
    let mut connection = Connection::open(folder.path().join("fts5.db"))?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         CREATE VIRTUAL TABLE entries USING fts5 (name, description, corpus, tokenize = porter);",
    )?;
    let mut numbers = Numbers::new(1);
    let all = connection.transaction()?;
    for number in 0..entries {
        let entry = made::entry(&mut numbers, number);
        if let WriteEntry::Memory {
            name,
            description,
            corpus,
            ..
        } = entry.entry
        {
            all.prepare_cached("INSERT INTO entries VALUES (?1, ?2, ?3)")?
                .execute((name, description, corpus))?;
        }
    }
    all.commit()?;
    let mut numbers = Numbers::new(2 << 32);
    let mut times = Vec::with_capacity(questions);
    for _ in 0..questions.min(100) {
        let wanted = numbers.words(6).replace(' ', " OR ");
        let began = Instant::now();
        let found: Vec<i64> = connection
            .prepare_cached(
                "SELECT rowid FROM entries WHERE entries MATCH ?1 ORDER BY rank LIMIT 10",
            )?
            .query_map([wanted], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        anyhow::ensure!(!found.is_empty(), "a question found nothing");
    }
    times.sort_by(f64::total_cmp);
    anyhow::ensure!(at(&times, 50).is_finite(), "no question was asked");
    Ok(times)
}
