//! Opening the store: one process at a time, our file, our version, nothing made anew in place of
//! what is damaged.

use crate::error::{broken, sqlite, unavailable};
use crate::record;
use api::memory::Error;
use disk::private;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest a statement waits for another connection of this process.
const BUSY: Duration = Duration::from_secs(5);
/// Pages of the file that one reader keeps in memory, kibibytes.
const READER_PAGES_KIB: i64 = 8 << 10;
/// Most of the file's size that the write-ahead log keeps between checkpoints, bytes.
const LOG_BYTES: i64 = 16 << 20;

/// The file with the entries.
pub(crate) fn entries_file(folder: &Path) -> PathBuf {
    folder.join("memory.db")
}

/// Makes the folder, for the user alone, and keeps other processes away for as long as the file
/// lives.
///
/// # Errors
/// [`Error::InUse`] when another process has it; [`Error::Unavailable`] when it cannot be made.
pub(crate) fn lock(folder: &Path) -> Result<File, Error> {
    private::folder(folder)
        .map_err(|e| unavailable(format!("{} cannot be made", folder.display()), e))?;
    let path = folder.join("lock");
    match private::lock(&path) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(Error::InUse {
            folder: folder.display().to_string(),
        }),
        Err(e) => Err(unavailable(
            format!("{} cannot be locked", path.display()),
            e,
        )),
    }
}

/// Opens or makes a file that the user alone may read. SQLite gives its other files the same rights.
///
/// # Errors
/// [`Error::Unavailable`].
pub(crate) fn private(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private::open(path, &mut options).map_err(|e| {
        unavailable(
            format!("{} cannot be opened for writing", path.display()),
            e,
        )
    })
}

/// The one connection that writes entries; the tables are made in an empty file.
///
/// # Errors
/// [`Error::Unavailable`] for a file that is not ours, newer than this program, or damaged.
pub(crate) fn writer(path: &Path) -> Result<Connection, Error> {
    not_emptied(path)?;
    drop(private(path)?);
    let of = |e| sqlite(path, e);
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(of)?;
    check(&connection, path)?;
    settle(&connection).map_err(of)?;
    prepare(&mut connection).map_err(of)?;
    Ok(connection)
}

/// Refuses a file without a byte in it beside vectors of what was in it: a fault of the disk or of a
/// copy leaves one, and to begin anew in it would have what is left thrown away as well.
fn not_emptied(path: &Path) -> Result<(), Error> {
    let length = |path: &Path| path.metadata().map_or(None, |facts| Some(facts.len()));
    let has_vectors = length(&path.with_file_name("vectors.db")).is_some_and(|bytes| bytes > 0);
    if length(path) != Some(0) || !has_vectors {
        return Ok(());
    }
    Err(Error::Damaged {
        detail: format!(
            "{} is empty, and what was made of it is still there; nothing was changed: put a copy \
             of it back, or move it away and import the newest export",
            path.display()
        ),
    })
}

/// A connection that reads.
///
/// # Errors
/// [`Error::Unavailable`].
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    let of = |e| sqlite(path, e);
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(of)?;
    connection.busy_timeout(BUSY).map_err(of)?;
    connection
        .pragma_update(None, "query_only", true)
        .map_err(of)?;
    connection
        .pragma_update(None, "temp_store", "MEMORY")
        .map_err(of)?;
    connection
        .pragma_update(None, "cache_size", -READER_PAGES_KIB)
        .map_err(of)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn check(connection: &Connection, path: &Path) -> Result<(), Error> {
    let of = |e| sqlite(path, e);
    let name = path.display();
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let application: i32 = number("application_id").map_err(of)?;
    let version: i32 = number("user_version").map_err(of)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(of)?;
    match (application, version) {
        (0, 0) if tables == 0 => Ok(()),
        (record::APPLICATION_ID, record::VERSION) => Ok(()),
        (record::APPLICATION_ID, newer) if newer > record::VERSION => Err(broken(format!(
            "{name} was written by a newer version of this program (format {newer}, this one \
             knows {}); update it",
            record::VERSION
        ))),
        (record::APPLICATION_ID, other) => Err(broken(format!(
            "{name} says that it has format {other}, which never was; put a copy of it back"
        ))),
        _ => Err(broken(format!(
            "{name} is another program's file; move it away"
        ))),
    }
}

/// How the writing connection keeps its promises: a commit is on the disk, and what is deleted is
/// overwritten.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    // Read back, since a file system without shared memory keeps the old mode without an error.
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        tracing::warn!(
            mode,
            "the store has no write-ahead log here: reading waits for writing"
        );
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    let made = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i32 = made.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        made.execute_batch(record::SCHEMA)?;
        made.pragma_update(None, "application_id", record::APPLICATION_ID)?;
        made.pragma_update(None, "user_version", record::VERSION)?;
    }
    made.execute_batch(record::FORGOTTEN)?;
    made.commit()
}
