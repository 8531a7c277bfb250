//! The vectors of the present model: which file, what is missing in it, and looking into it.

use super::column::{Column, DIMENSIONS};
use super::rows::Origin;
use super::{Found, Indexes, Likeness, Limits, Part, blocking, small};
use crate::error::{broken, unavailable};
use crate::store::{Changes, Embedded, Field, VectorRow};
use api::memory::{Error, Scope};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Entries whose vectors are read from the store at a time.
const ENTRIES_A_READ: usize = 512;

impl Indexes {
    /// From now on vectors are those of this model. Files of other models are removed.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the file cannot be written.
    pub(crate) async fn use_model(&self, key: &str, dimensions: usize) -> Result<(), Error> {
        if dimensions == 0 || dimensions > DIMENSIONS {
            return Err(broken(format!(
                "the embedding model gives {dimensions} numbers; 1 to {DIMENSIONS} can be used"
            )));
        }
        let origin = Origin {
            dimensions,
            model: key.to_owned(),
        };
        if self.model_origin().as_ref() == Some(&origin) {
            return Ok(());
        }
        let folder = self.0.folder.clone();
        let kept = self.0.store.vectors_kept().await?;
        let is_first = self.read().directory.holding() == 0
            || kept.is_none_or(|(of, entries)| of != key || entries == 0);
        let opened = self.at_work(move || open(&folder, origin)).await?;
        let (mut column, note) =
            opened.map_err(|error| unavailable("the file of vectors", error))?;
        let mut note = note.to_owned();
        let known = self.0.store.changes_since(column.point(), 1).await?;
        let damage = self.0.store.vectors_note();
        if known == Changes::Gap || !damage.is_empty() {
            column
                .clear()
                .map_err(|error| unavailable("the file of vectors", error))?;
            note = match damage {
                "" => "made anew: of another state of the store".to_owned(),
                damage => damage.to_owned(),
            };
        }
        // Nothing is lost where nothing was.
        if is_first && damage.is_empty() {
            note.clear();
        }
        if !note.is_empty() {
            tracing::warn!(index = "vector", note, "an index of memory is made anew");
        }
        let refused = self.0.store.refused(key.to_owned()).await?;
        let refused = refused.iter().map(|refused| small(refused.number));
        self.show_vectors(column, refused.collect(), &note);
        self.fill(key).await
    }

    fn show_vectors(&self, column: Column, refused: BTreeSet<u32>, note: &str) {
        let mut state = self.write();
        state.column = Some(column);
        state.refused = refused;
        if state.vector_note != note {
            state.vector_untold = AtomicBool::new(!note.is_empty());
        }
        state.vector_note = note.to_owned();
    }

    /// Takes in vectors that the store has and the file has not.
    async fn fill(&self, key: &str) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let missing = self.missing(after, ENTRIES_A_READ);
            let Some(last) = missing.last() else {
                return Ok(());
            };
            after = *last;
            let numbers: Vec<u64> = missing.iter().copied().map(u64::from).collect();
            let (store, key) = (self.0.store.clone(), key.to_owned());
            let rows = blocking(move || store.vectors_of_here(&key, &numbers)).await??;
            self.add_rows(&rows)?;
        }
    }

    fn model_origin(&self) -> Option<Origin> {
        let state = self.read();
        state.column.as_ref().map(|column| column.origin().clone())
    }

    /// Entries that hold, have no vector of the present model and no text that it refuses, from after
    /// a number, in order.
    pub(crate) fn missing(&self, after: u32, limit: usize) -> Vec<u32> {
        let state = self.read();
        let Some(column) = &state.column else {
            return Vec::new();
        };
        let numbers = state.directory.after(after);
        let is_missing = |number: &u32| !column.has(*number) && !state.refused.contains(number);
        numbers.filter(is_missing).take(limit).collect()
    }

    /// Takes out the entries whose texts changed after their vectors were made.
    pub(crate) fn take_stale(&self) -> Vec<u32> {
        std::mem::take(&mut *self.stale()).into_iter().collect()
    }

    /// Adds what the present model made, all of an entry's vectors at once.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the file cannot be written.
    pub(crate) fn add_vectors(&self, embedded: &Embedded) -> Result<(), Error> {
        {
            let refused = &mut self.write().refused;
            for number in &embedded.numbers {
                refused.remove(&small(*number));
            }
            refused.extend(embedded.refused.iter().copied().map(small));
        }
        self.add_rows(&embedded.rows)
    }

    fn add_rows(&self, rows: &[VectorRow]) -> Result<(), Error> {
        let parts: Vec<(Part, &[f32])> = rows
            .iter()
            .map(|row| (part(row), row.vector.as_slice()))
            .collect();
        let point = self.0.store.point();
        let mut state = self.write();
        match &mut state.column {
            Some(column) => column
                .add(&parts, point)
                .map_err(|error| unavailable("the file of vectors", error)),
            None => Ok(()),
        }
    }

    /// The entries most like the question's vector, best first.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the file cannot be read.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        scope: &Scope,
        limits: Limits,
    ) -> Result<Found<Likeness>, Error> {
        let state = self.read();
        let Some(column) = &state.column else {
            return Ok(Found::nothing("no vectors are loaded"));
        };
        let within = state.directory.within(scope);
        let (best, seen) = column
            .search(query, &state.directory, &within, limits)
            .map_err(|error| unavailable("the file of vectors", error))?;
        let holding = state.directory.holding();
        let without = state.without_vectors();
        let waiting = holding.saturating_sub(column.entries() as u64 + without);
        Ok(Found {
            best,
            seen,
            note: match waiting {
                0 if state.vector_untold.swap(false, Ordering::Relaxed) => {
                    state.vector_note.clone()
                }
                0 => String::new(),
                more => format!("{more} of {holding} entries have no vector yet"),
            },
        })
    }

    /// How like the question's vector each of these entries is; those without one are left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the file cannot be read.
    pub(crate) fn compare(&self, query: &[f32], numbers: &[u32]) -> Result<Vec<Likeness>, Error> {
        match &self.read().column {
            Some(column) => column
                .compare(query, numbers)
                .map_err(|error| unavailable("the file of vectors", error)),
            None => Ok(Vec::new()),
        }
    }

    /// Opens the file of vectors again, as after it could not be read: what is damaged in it is
    /// made anew from the store.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn reopen_vectors(&self) -> Result<(), Error> {
        let Some(origin) = self.model_origin() else {
            return Ok(());
        };
        self.write().column = None;
        self.use_model(&origin.model, origin.dimensions).await
    }

    /// Lets the texts that the present model refused be asked for again. Their entries stay named
    /// until it has answered.
    pub(crate) fn ask_refused_again(&self) {
        let state = self.read();
        self.stale().extend(state.refused.iter().copied());
    }

    /// Takes every vector out of the file, so that it is made anew.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn drop_vectors(&self) -> Result<(), Error> {
        if let Some(column) = &mut self.write().column {
            column
                .clear()
                .map_err(|error| unavailable("the file of vectors", error))?;
        }
        self.reopen_vectors().await
    }

    /// Writes the file anew without these entries.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn purge_vectors(&self, numbers: &[u64]) -> Result<(), Error> {
        let numbers: Vec<u32> = numbers.iter().copied().map(small).collect();
        let Some(column) = self.write().column.take() else {
            return self.purge_unopened(numbers).await;
        };
        let path = path(&self.0.folder, column.origin());
        let column = self.at_work(move || column.forget(&path, &numbers)).await?;
        let column = column.map_err(|error| unavailable("the file of vectors", error))?;
        self.write().column = Some(column);
        Ok(())
    }

    /// The same while no model was asked: the file is of the model whose vectors are kept; without
    /// any, none is left.
    async fn purge_unopened(&self, numbers: Vec<u32>) -> Result<(), Error> {
        let store = &self.0.store;
        let mut origin = None;
        if let Some((model, _)) = store.vectors_kept().await? {
            let rows = store.vectors(model.clone(), 0, 1).await?;
            origin = rows.first().map(|row| Origin {
                dimensions: row.vector.len(),
                model,
            });
        }
        let folder = self.0.folder.clone();
        let work = move || match origin {
            Some(origin) => {
                let path = path(&folder, &origin);
                open(&folder, origin)?.0.forget(&path, &numbers).map(drop)
            }
            None => leave(&folder, None),
        };
        let purged = self.at_work(work).await?;
        purged.map_err(|error| unavailable("the file of vectors", error))
    }
}

fn open(folder: &Path, origin: Origin) -> std::io::Result<(Column, &'static str)> {
    let path = path(folder, &origin);
    leave(folder, Some(&path))?;
    Column::open(&path, origin)
}

/// Removes every file of vectors but this one.
fn leave(folder: &Path, kept: Option<&Path>) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let is_vectors = file.file_name().to_string_lossy().starts_with("vectors-");
        let is_kept = kept == Some(&file.path()) && file.file_type()?.is_file();
        if is_vectors && !is_kept {
            crate::folder::clear(&file.path())?;
        }
    }
    Ok(())
}

/// The file of a model's vectors.
fn path(folder: &Path, origin: &Origin) -> PathBuf {
    let digest = blake3::hash(origin.model.as_bytes()).to_hex();
    let short = digest.get(..16).unwrap_or_default();
    folder.join(format!("vectors-{short}.bin"))
}

fn part(row: &VectorRow) -> Part {
    let clamp = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
    Part {
        number: small(row.number),
        field: match row.field {
            Field::Name => 0,
            Field::Description => 1,
            Field::Corpus => 2,
        },
        segment: u16::try_from(row.segment).unwrap_or(u16::MAX),
        range: (clamp(row.byte_range.0), clamp(row.byte_range.1)),
    }
}
