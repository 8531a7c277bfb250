//! The store: entries in SQLite, the truth, and the vectors derived from them.
//!
//! One process, one thread that writes, a few connections that read. What [`Store::write`] has
//! answered survives `kill -9` and a power cut. Indexes follow by [`Store::changes_since`], and
//! never the other way round.

mod change;
pub(crate) mod keep;
mod open;
pub(crate) mod read;
mod readers;
mod vectors;
mod writer;

pub(crate) use change::{Change, ChangeKind, Changes, Point};
pub(crate) use vectors::{Embedded, Field, Refused, VectorRow};

use crate::entry::Entry;
use crate::error::broken;
use api::memory::{Error, Kind, Scope};
use domain::Timestamp;
use domain::id::MemoryId;
use readers::Readers;
use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use vectors::Vectors;
use writer::Writer;

/// A cheap handle; the store is closed with the last one.
#[derive(Debug, Clone)]
pub(crate) struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    newest: watch::Receiver<Point>,
    readers: Readers,
    vectors: Vectors,
    vectors_note: String,
    writer: Writer,
    /// Keeps other processes away; released after the writer has ended.
    _lock: File,
}

impl Store {
    /// Opens the store of a folder, or makes it. Waits for the disk.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when another process has it, for a file that is not ours, newer than
    /// this program or damaged, and when it cannot be written.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let lock = open::lock(folder)?;
        let file = open::entries_file(folder);
        let connection = open::writer(&file)?;
        let of = |error| crate::error::sqlite(&file, error);
        change::prune(&connection, change::KEPT).map_err(of)?;
        let (tell, newest) = watch::channel(change::newest(&connection).map_err(of)?);
        let readers = Readers::new(file.clone());
        let (vectors, vectors_note) = Vectors::open(folder, &readers)?;
        Ok(Self(Arc::new(Inner {
            folder: folder.to_path_buf(),
            newest,
            readers,
            vectors,
            vectors_note,
            writer: Writer::start(connection, file, tell)?,
            _lock: lock,
        })))
    }

    /// The folder it is in.
    pub(crate) fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// The newest state.
    pub(crate) fn point(&self) -> Point {
        *self.0.newest.borrow()
    }

    /// Tells of every state, before whoever led to it is answered; some are skipped under load.
    pub(crate) fn points(&self) -> watch::Receiver<Point> {
        self.0.newest.clone()
    }

    /// What happened since a state, oldest first, at most `limit` changes.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn changes_since(&self, point: Point, limit: usize) -> Result<Changes, Error> {
        self.read(move |from| change::since(from, point, limit))
            .await
    }

    /// These entries, corrected ones included, in the order asked for; those that are gone are
    /// left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn entries(&self, numbers: Vec<u64>) -> Result<Vec<Entry>, Error> {
        self.read(move |from| read::entries(from, &numbers)).await
    }

    /// These entries, corrected ones included, in the order asked for; unknown ids are left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn by_ids(&self, ids: Vec<MemoryId>) -> Result<Vec<Entry>, Error> {
        self.read(move |from| read::by_ids(from, &ids)).await
    }

    /// Pairs of the given entries and those that hold and belong with them, whichever of the two
    /// says so. A pair may come twice.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn correlated(&self, numbers: Vec<u64>) -> Result<Vec<(u64, u64)>, Error> {
        self.read(move |from| read::correlated(from, &numbers))
            .await
    }

    /// Entries, corrected ones included, from after a number; and where to go on, if there may be
    /// more.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn page(
        &self,
        after: u64,
        scope: Scope,
        kind: Option<Kind>,
    ) -> Result<(Vec<Entry>, Option<u64>), Error> {
        self.read(move |from| read::page(from, after, &scope, kind))
            .await
    }

    /// Counts a recall of these. It is not waited for, and the last few seconds' are lost in a
    /// crash.
    pub(crate) fn touch(&self, numbers: Vec<u64>, now: Timestamp) {
        if !numbers.is_empty() {
            self.0.writer.touch(numbers, now);
        }
    }

    /// Does the work in a transaction. It is durable when this returns; when it fails, nothing of
    /// it is kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.0.writer.write(work).await
    }

    /// Does the work by itself, outside of a transaction, as what cleans the file.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.0.writer.alone(work).await
    }

    /// Reads the entries.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.0.readers.read(work).await
    }
}

/// Cleaning.
impl Store {
    /// Writes the file anew without what was deleted, and empties the write-ahead logs.
    ///
    /// # Errors
    /// [`Error::Unavailable`], also when a reader does not get out of the way.
    pub(crate) async fn clean(&self) -> Result<(), Error> {
        let busy = self
            .alone(|all| {
                all.execute_batch("VACUUM")?;
                empty_log(all)
            })
            .await?;
        let vectors_busy = self.0.vectors.run(|all| empty_log(all)).await?;
        if busy || vectors_busy {
            return Err(broken(
                "the entry is gone, but memory is read all the time and its files still have the \
                 text; it is taken out when memory is opened next, or by forgetting again",
            ));
        }
        Ok(())
    }
}

/// Whether somebody was in the way.
fn empty_log(of: &Connection) -> rusqlite::Result<bool> {
    of.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
}

/// Vectors.
impl Store {
    /// Why the vectors were begun anew at the start; empty when they were not.
    pub(crate) fn vectors_note(&self) -> &str {
        &self.0.vectors_note
    }

    /// Adds or replaces what the model with this key made. Not durable at once: what is lost is made
    /// again.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn put_vectors(&self, key: String, embedded: Embedded) -> Result<(), Error> {
        let point = self.point();
        let put = move |to: &mut Connection| vectors::put(to, &key, &embedded, point);
        self.0.vectors.run(put).await
    }

    /// The entries with a text that the model with this key refuses, oldest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn refused(&self, key: String) -> Result<Vec<Refused>, Error> {
        let refused = move |from: &mut Connection| vectors::refused(from, &key);
        self.0.vectors.run(refused).await
    }

    /// Vectors of the model, of at most `entries` entries after a number, entry by entry. Some may
    /// be of entries that are gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn vectors(
        &self,
        key: String,
        after: u64,
        entries: usize,
    ) -> Result<Vec<VectorRow>, Error> {
        let page = move |from: &mut Connection| vectors::page(from, &key, after, entries);
        self.0.vectors.run(page).await
    }

    /// Vectors of these entries, on the caller's thread, which waits for the disk.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) fn vectors_of_here(
        &self,
        key: &str,
        numbers: &[u64],
    ) -> Result<Vec<VectorRow>, Error> {
        self.0
            .vectors
            .run_here(|from| vectors::of(from, key, numbers))
    }

    /// The keys of every model that vectors were made by.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn vector_keys(&self) -> Result<Vec<String>, Error> {
        self.0.vectors.run(|from| vectors::keys(from)).await
    }

    /// The model that most entries have vectors of, and how many.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn vectors_kept(&self) -> Result<Option<(String, u64)>, Error> {
        self.0.vectors.run(|from| vectors::kept(from)).await
    }

    /// Removes every vector of these entries.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn remove_vectors(&self, numbers: Vec<u64>) -> Result<(), Error> {
        let remove = move |to: &mut Connection| vectors::remove_entries(to, &numbers);
        self.0.vectors.run(remove).await
    }

    /// Removes every vector of models other than this one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn keep_vectors_of(&self, key: String) -> Result<(), Error> {
        let keep = move |to: &mut Connection| vectors::keep_only(to, &key);
        self.0.vectors.run(keep).await
    }
}
