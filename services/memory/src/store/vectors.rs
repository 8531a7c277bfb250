//! Vectors of entries, in a file of their own: they are derived from the entries by a model, so a
//! damaged or foreign file is begun anew.
//!
//! A vector is little-endian 32-bit floats. The file names the newest state of the store that it
//! knows; where that is not of the store's history, numbers may mean other entries, and all goes.

use super::change::{self, Point};
use super::readers::Readers;
use crate::error::{broken, sqlite, unavailable};
use api::memory::Error;
use rusqlite::{Connection, OptionalExtension as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Marks the file as ours: `CRLV`.
const APPLICATION_ID: i32 = 0x4352_4c56;
/// The version of the tables.
const VERSION: i32 = 1;

const SCHEMA: &str = "
CREATE TABLE models (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE vectors (
    model   INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    field   INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    end     INTEGER NOT NULL,
    vector  BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_of ON vectors (model, number, field, segment);
CREATE TABLE known (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL, mark INTEGER NOT NULL) STRICT;
INSERT INTO known VALUES (1, 0, 0);
";

/// What of an entry a vector is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Field {
    /// Its name.
    Name,
    /// Its description.
    Description,
    /// A segment of its text.
    Corpus,
}

impl Field {
    const ALL: [Self; 3] = [Self::Name, Self::Description, Self::Corpus];

    const fn code(self) -> i64 {
        match self {
            Self::Name => 0,
            Self::Description => 1,
            Self::Corpus => 2,
        }
    }
}

/// One vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VectorRow {
    /// The entry.
    pub number: u64,
    /// What of it.
    pub field: Field,
    /// Which segment of its text, from 0; 0 for the other fields.
    pub segment: u32,
    /// Where the segment stands in the field, bytes.
    pub byte_range: (u64, u64),
    /// The vector.
    pub vector: Vec<f32>,
}

/// What a model made of the texts of some entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Embedded {
    /// The entries that it was asked about.
    pub numbers: Vec<u64>,
    /// Their vectors.
    pub rows: Vec<VectorRow>,
    /// Those of them with a text that the model refuses.
    pub refused: Vec<u64>,
}

impl Embedded {
    /// Leaves only the entries that hold.
    pub(crate) fn retain(&mut self, holds: impl Fn(u64) -> bool) {
        self.numbers.retain(|number| holds(*number));
        self.rows.retain(|row| holds(row.number));
        self.refused.retain(|number| holds(*number));
    }
}

/// An entry with a text that a model refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The entry.
    pub number: u64,
    /// Whether the model made a vector of another text of it.
    pub has_vectors: bool,
}

/// The file of vectors.
#[derive(Debug, Clone)]
pub(crate) struct Vectors {
    file: Arc<PathBuf>,
    connection: Arc<Mutex<Connection>>,
}

/// The file with the vectors.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("vectors.db")
}

impl Vectors {
    /// Opens the file, or begins it anew; the second part says why.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it cannot be written.
    pub(crate) fn open(folder: &Path, store: &Readers) -> Result<(Self, String), Error> {
        let path = file(folder);
        let (connection, note) = match existing(&path, store) {
            Ok(connection) => (connection, String::new()),
            Err(Unfit::Absent) => {
                // A store that holds something had a file: what was derived from it goes too.
                let note = match store.read_here(change::newest)?.epoch {
                    0 => String::new(),
                    _ => "made anew: there was no file".to_owned(),
                };
                (begin(&path)?, note)
            }
            Err(Unfit::Because(why)) => {
                tracing::warn!(file = %path.display(), why, "the vectors are made anew");
                remove(&path)?;
                (begin(&path)?, format!("made anew: {why}"))
            }
        };
        Ok((
            Self {
                file: Arc::new(path),
                connection: Arc::new(Mutex::new(connection)),
            },
            note,
        ))
    }

    /// Does something with the file on a thread that may wait for the disk.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let vectors = self.clone();
        let running = tokio::task::spawn_blocking(move || vectors.run_here(work));
        match running.await {
            Ok(result) => result,
            Err(error) => Err(broken(format!("work on the vectors broke off: {error}"))),
        }
    }

    /// The same on the caller's thread.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) fn run_here<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let mut connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|error| sqlite(&self.file, error))
    }
}

/// Why a file is not used.
enum Unfit {
    Absent,
    Because(String),
}

fn existing(path: &Path, store: &Readers) -> Result<Connection, Unfit> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(Unfit::Because("it is a folder".to_owned())),
        Ok(_) => match std::fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            // Opening a pipe would wait for ever.
            Ok(_) | Err(_) => return Err(Unfit::Because("it is no file".to_owned())),
        },
        Err(_gone) => return Err(Unfit::Absent),
    }
    let because = |error: rusqlite::Error| Unfit::Because(format!("damaged: {error}"));
    let connection = Connection::open(path).map_err(because)?;
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let application: i32 = number("application_id").map_err(because)?;
    let version: i32 = number("user_version").map_err(because)?;
    if (application, version) != (APPLICATION_ID, VERSION) {
        return Err(Unfit::Because("of another version".to_owned()));
    }
    settle(&connection).map_err(because)?;
    let known = connection
        .query_row("SELECT epoch, mark FROM known", [], |row| {
            Ok(Point {
                epoch: row.get(0)?,
                mark: row.get(1)?,
            })
        })
        .map_err(because)?;
    match store.read_here(|from| change::is_known(from, known)) {
        Ok(true) => Ok(connection),
        Ok(false) => Err(Unfit::Because("of another state of the store".to_owned())),
        Err(error) => Err(Unfit::Because(error.to_string())),
    }
}

fn begin(path: &Path) -> Result<Connection, Error> {
    let of = |error| sqlite(path, error);
    drop(super::open::private(path)?);
    let connection = Connection::open(path).map_err(of)?;
    settle(&connection).map_err(of)?;
    connection.execute_batch(SCHEMA).map_err(of)?;
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .and_then(|()| connection.pragma_update(None, "user_version", VERSION))
        .map_err(of)?;
    Ok(connection)
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Not a part of the version: a file of before would have to make every vector anew for it.
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS refused \
         (model INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (model, number)) \
         STRICT, WITHOUT ROWID;",
    )
}

/// Removes the file, or whatever stands in its place, and what SQLite keeps beside it.
fn remove(path: &Path) -> Result<(), Error> {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let name = Path::new(&name);
        crate::folder::clear(name)
            .map_err(|error| unavailable(format!("{} cannot be removed", name.display()), error))?;
    }
    Ok(())
}

fn model(of: &Connection, key: &str) -> rusqlite::Result<Option<i64>> {
    of.prepare_cached("SELECT number FROM models WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Adds or replaces what one model made; `point` is the newest state of the store.
pub(crate) fn put(
    to: &mut Connection,
    key: &str,
    embedded: &Embedded,
    point: Point,
) -> rusqlite::Result<()> {
    let all = to.transaction()?;
    all.prepare_cached("INSERT OR IGNORE INTO models (key) VALUES (?1)")?
        .execute([key])?;
    let model = model(&all, key)?;
    {
        let mut put = all.prepare_cached(
            "INSERT OR REPLACE INTO vectors (model, number, field, segment, start, end, vector) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for row in &embedded.rows {
            let bytes: Vec<u8> = row.vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            let (start, end) = row.byte_range;
            put.execute((
                model,
                row.number,
                row.field.code(),
                row.segment,
                start,
                end,
                bytes,
            ))?;
        }
    }
    {
        let mut clear =
            all.prepare_cached("DELETE FROM refused WHERE model = ?1 AND number = ?2")?;
        for number in &embedded.numbers {
            clear.execute((model, number))?;
        }
        let mut put = all.prepare_cached("INSERT INTO refused (model, number) VALUES (?1, ?2)")?;
        for number in &embedded.refused {
            put.execute((model, number))?;
        }
    }
    all.prepare_cached("UPDATE known SET epoch = ?1, mark = ?2")?
        .execute((point.epoch, point.mark))?;
    all.commit()
}

/// Vectors of one model, of at most `entries` entries after a number, entry by entry.
pub(crate) fn page(
    from: &Connection,
    key: &str,
    after: u64,
    entries: usize,
) -> rusqlite::Result<Vec<VectorRow>> {
    let Some(model) = model(from, key)? else {
        return Ok(Vec::new());
    };
    let last: Option<u64> = from
        .prepare_cached(
            "SELECT max(number) FROM (SELECT DISTINCT number FROM vectors \
             WHERE model = ?1 AND number > ?2 ORDER BY number LIMIT ?3)",
        )?
        .query_row((model, after, entries), |row| row.get(0))?;
    let Some(last) = last else {
        return Ok(Vec::new());
    };
    from.prepare_cached(
        "SELECT number, field, segment, start, end, vector FROM vectors \
         WHERE model = ?1 AND number > ?2 AND number <= ?3 ORDER BY number, field, segment",
    )?
    .query_map((model, after, last), vector)?
    .collect()
}

/// Vectors of one model of these entries, in the order asked for.
pub(crate) fn of(
    from: &Connection,
    key: &str,
    numbers: &[u64],
) -> rusqlite::Result<Vec<VectorRow>> {
    let Some(model) = model(from, key)? else {
        return Ok(Vec::new());
    };
    let mut one = from.prepare_cached(
        "SELECT number, field, segment, start, end, vector FROM vectors \
         WHERE model = ?1 AND number = ?2 ORDER BY field, segment",
    )?;
    let mut found = Vec::new();
    for number in numbers {
        for row in one.query_map((model, number), vector)? {
            found.push(row?);
        }
    }
    Ok(found)
}

fn vector(row: &rusqlite::Row<'_>) -> rusqlite::Result<VectorRow> {
    let code: i64 = row.get(1)?;
    let field = Field::ALL.into_iter().find(|field| field.code() == code);
    let bytes = row.get_ref(5)?.as_blob()?;
    let (floats, _rest) = bytes.as_chunks::<4>();
    Ok(VectorRow {
        number: row.get(0)?,
        field: field.ok_or(rusqlite::Error::IntegralValueOutOfRange(1, code))?,
        segment: row.get(2)?,
        byte_range: (row.get(3)?, row.get(4)?),
        vector: floats.iter().map(|x| f32::from_le_bytes(*x)).collect(),
    })
}

/// The keys of every model that vectors were made by.
pub(crate) fn keys(from: &Connection) -> rusqlite::Result<Vec<String>> {
    from.prepare_cached("SELECT key FROM models ORDER BY number")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The model that most entries have vectors of, and how many.
pub(crate) fn kept(from: &Connection) -> rusqlite::Result<Option<(String, u64)>> {
    from.prepare_cached(
        "SELECT key, (SELECT count(DISTINCT v.number) FROM vectors v WHERE v.model = m.number) \
         AS entries FROM models m ORDER BY entries DESC, m.number DESC LIMIT 1",
    )?
    .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
    .optional()
}

/// The entries with a text that this model refuses, oldest first.
pub(crate) fn refused(from: &Connection, key: &str) -> rusqlite::Result<Vec<Refused>> {
    from.prepare_cached(
        "SELECT r.number, EXISTS (SELECT 1 FROM vectors v \
             WHERE v.model = r.model AND v.number = r.number) \
         FROM refused r JOIN models m ON m.number = r.model WHERE m.key = ?1 ORDER BY r.number",
    )?
    .query_map([key], |row| {
        Ok(Refused {
            number: row.get(0)?,
            has_vectors: row.get(1)?,
        })
    })?
    .collect()
}

/// Removes every vector of these entries, and that a text of them was refused.
pub(crate) fn remove_entries(to: &mut Connection, numbers: &[u64]) -> rusqlite::Result<()> {
    let all = to.transaction()?;
    {
        let models: Vec<i64> = all
            .prepare_cached("SELECT number FROM models")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut one = all.prepare_cached("DELETE FROM vectors WHERE model = ?1 AND number = ?2")?;
        let mut refused = all.prepare_cached("DELETE FROM refused WHERE number = ?1")?;
        for number in numbers {
            for model in &models {
                one.execute((model, number))?;
            }
            refused.execute([number])?;
        }
    }
    all.commit()
}

/// Removes every vector of models other than this one.
pub(crate) fn keep_only(to: &mut Connection, key: &str) -> rusqlite::Result<()> {
    let all = to.transaction()?;
    all.execute(
        "DELETE FROM vectors WHERE model NOT IN (SELECT number FROM models WHERE key = ?1)",
        [key],
    )?;
    all.execute(
        "DELETE FROM refused WHERE model NOT IN (SELECT number FROM models WHERE key = ?1)",
        [key],
    )?;
    all.execute("DELETE FROM models WHERE key <> ?1", [key])?;
    all.commit()
}
