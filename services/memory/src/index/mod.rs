//! Indexes: words and vectors of entries, derived from the store and never believed over it.
//!
//! The directory (which entries hold, and where) is read from the store at every start. What was
//! written since is followed before every question; what no index on the disk holds yet is in the
//! overlay. A file that is missing, damaged, of another form or of another history of the store is
//! made anew, and says so.

mod best;
mod column;
mod directory;
mod feed;
mod files;
pub(crate) mod glance;
mod kernel;
mod lexical;
mod opening;
mod overlay;
mod rarity;
mod rows;
mod vector;
mod words;

pub(crate) use column::{Likeness, Limits};
pub(crate) use directory::Directory;
pub(crate) use rows::Part;

use crate::entry::Entry;
use crate::error::broken;
use crate::folder::make_private;
use crate::store::{Change, ChangeKind, Changes, Point, Store};
use api::memory::{Error, IndexState, Scope, WriteEntry};
use column::Column;
use domain::id::MemoryId;
use lexical::{Extent, Lexical, Lookup, wanted};
use overlay::Overlay;
use rarity::Rarity;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Most changes that are followed at a time.
const CHANGES_AT_A_TIME: usize = 256;
/// Entries whose namespaces are read at a time.
const HOLDINGS_AT_A_TIME: usize = 10_000;

/// A cheap handle on the indexes of one store.
#[derive(Clone)]
pub(crate) struct Indexes(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    state: RwLock<State>,
    /// The writing side of the lexical index; `None` while it has to be made anew.
    lexical: tokio::sync::Mutex<Option<Lexical>>,
    /// Held while the state catches up with the store.
    following: tokio::sync::Mutex<()>,
    /// Entries whose texts changed after their vectors were made.
    stale: Mutex<BTreeSet<u32>>,
    /// Closed last: whoever opens it next finds every other file closed.
    store: Store,
}

/// What questions look at.
struct State {
    directory: Directory,
    overlay: Overlay,
    lookup: Option<Lookup>,
    column: Option<Column>,
    /// The state of the store that the directory shows.
    seen: Point,
    lexical_note: String,
    /// Whether no question has told yet that the index of words was made anew.
    lexical_untold: AtomicBool,
    /// Entries with a text that the present model refuses.
    refused: BTreeSet<u32>,
    vector_note: String,
    /// Whether no question has told yet that the vectors were made anew.
    vector_untold: AtomicBool,
}

/// What a leg found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T> {
    /// The best, best first.
    pub(crate) best: Vec<T>,
    /// How many were looked at.
    pub(crate) seen: u64,
    /// What a reader should know; empty for nothing.
    pub(crate) note: String,
}

impl<T> Found<T> {
    /// Nothing, and why.
    pub(crate) fn nothing(note: impl Into<String>) -> Self {
        Self {
            best: Vec::new(),
            seen: 0,
            note: note.into(),
        }
    }
}

impl Indexes {
    /// Opens the indexes of a store in their folder. What has to be made anew is made by
    /// [`Indexes::feed`].
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the store cannot be read or the folder cannot be written.
    pub(crate) async fn open(store: Store, folder: PathBuf) -> Result<Self, Error> {
        let seen = store.point();
        let directory = directory_of(&store).await?;
        let words = folder.join("words");
        let lock = store.clone();
        let (root, is_empty) = (folder.clone(), directory.holding() == 0);
        let vector_note = store.vectors_note().to_owned();
        let open = move || make_private(&root).and_then(|()| opening::open(&words, is_empty));
        let (opened, _lock) = blocking(move || (open(), lock)).await?;
        let (lexical, note) = opened?;
        let committed = lexical.state().point;
        let (lexical, note) = match store.changes_since(committed, 1).await? {
            Changes::These(_) => (Some(lexical), note),
            Changes::Gap => {
                drop(lexical);
                (None, "made anew: of another state of the store".to_owned())
            }
        };
        if !note.is_empty() {
            tracing::warn!(note, "the index of words");
        }
        // What the index is behind by fits the overlay, or is named as missing until it is fed.
        let is_near = seen.epoch.saturating_sub(committed.epoch) <= overlay::OVERLAY_ENTRIES as u64;
        let is_whole = |lexical: &Lexical| lexical.state().extent == Extent::Whole;
        let indexes = Self(Arc::new(Inner {
            store,
            folder,
            state: RwLock::new(State {
                directory,
                overlay: Overlay::default(),
                lookup: lexical.as_ref().map(Lexical::lookup),
                column: None,
                seen: match &lexical {
                    Some(lexical) if is_near && is_whole(lexical) => committed,
                    _ => seen,
                },
                lexical_untold: AtomicBool::new(!note.is_empty()),
                lexical_note: note,
                refused: BTreeSet::new(),
                vector_untold: AtomicBool::new(!vector_note.is_empty()),
                vector_note,
            }),
            lexical: tokio::sync::Mutex::new(lexical),
            following: tokio::sync::Mutex::new(()),
            stale: Mutex::default(),
        }));
        indexes.follow().await?;
        Ok(indexes)
    }

    /// Takes in what was written since, so that a question finds it. Under a flood it takes in what
    /// there is room for; the rest comes with [`Indexes::feed`].
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn follow(&self) -> Result<(), Error> {
        if self.read().seen == self.0.store.point() {
            return Ok(());
        }
        let _one_at_a_time = self.0.following.lock().await;
        loop {
            let (seen, room) = {
                let state = self.read();
                (state.seen, state.overlay.room())
            };
            if room == 0 || seen == self.0.store.point() {
                return Ok(());
            }
            let limit = room.min(CHANGES_AT_A_TIME);
            match self.0.store.changes_since(seen, limit).await? {
                Changes::These(changes) if changes.is_empty() => return Ok(()),
                Changes::These(changes) => self.take_in(&changes, Taking::WithWords).await?,
                Changes::Gap => return self.start_over().await,
            }
        }
    }

    /// The whole directory is read again: the log of changes says no more what happened.
    async fn start_over(&self) -> Result<(), Error> {
        let seen = self.0.store.point();
        let directory = directory_of(&self.0.store).await?;
        let mut state = self.write();
        state.directory = directory;
        state.seen = seen;
        Ok(())
    }

    /// Brings directory and overlay to the state after these changes.
    async fn take_in(&self, changes: &[Change], taking: Taking) -> Result<(), Error> {
        let Some(last) = changes.last() else {
            return Ok(());
        };
        let newest = newest_of(changes);
        let puts: Vec<u64> = newest
            .iter()
            .filter(|(_, change)| change.kind == ChangeKind::Put)
            .map(|(number, _)| u64::from(*number))
            .collect();
        let linked = self.0.store.correlated(puts.clone()).await?;
        let entries = self.0.store.entries(puts).await?;
        let entries: BTreeMap<u64, Entry> = entries
            .into_iter()
            .filter(|entry| entry.stored.valid_until.is_none())
            .map(|entry| (entry.number, entry))
            .collect();
        let mut state = self.write();
        for (number, change) in newest {
            let epoch = change.point.epoch;
            let Some(entry) = entries.get(&u64::from(number)) else {
                state.directory.remove(number, epoch);
                state.overlay.remove(number);
                continue;
            };
            let stored = &entry.stored;
            let by = match &stored.entry {
                WriteEntry::Engram { session_id, .. } => Some(*session_id),
                WriteEntry::Memory { .. } => None,
            };
            let place = (number, stored.id);
            let namespace = &stored.namespace;
            state.directory.put_by(place, namespace, epoch, by);
            if taking == Taking::WithWords {
                let texts = entry.texts();
                let texts = texts.iter().map(AsRef::as_ref);
                state.overlay.put(number, epoch, texts);
            }
            let column = state.column.as_ref();
            if column.is_some_and(|column| column.has(number)) || state.refused.contains(&number) {
                self.stale().insert(number);
            }
        }
        for (one, other) in linked {
            state.directory.link(small(one), small(other));
        }
        state.seen = last.point;
        Ok(())
    }

    /// The entries that have words of the question, best first.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the index cannot be read; it is then made anew.
    pub(crate) fn lexical(
        &self,
        question: &str,
        scope: &Scope,
        limit: usize,
    ) -> Result<Found<(u32, f32)>, Error> {
        let state = self.read();
        let within = state.directory.within(scope);
        let Some(lookup) = &state.lookup else {
            return Ok(Found::nothing("the index of words is being made anew"));
        };
        let words = wanted(question);
        let is_wanted = |number| state.directory.is_within(number, &within);
        let unsettled = |number| !state.overlay.has(number) && is_wanted(number);
        let of = |error| crate::error::unavailable("the index of words", error);
        let (overlay, directory) = (&state.overlay, &state.directory);
        let rarity = Rarity::of(&words, lookup, overlay, directory, &within).map_err(of)?;
        let best = lookup.search(&rarity, &words, limit, unsettled);
        let mut best = best.map_err(of)?;
        best.extend(overlay.search(&rarity.weights(&words), is_wanted));
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(limit);
        let waiting = state.waiting();
        Ok(Found {
            best,
            seen: lookup.entries() + state.overlay.len() as u64,
            note: match waiting {
                0 if state.lexical_untold.swap(false, Ordering::Relaxed) => {
                    state.lexical_note.clone()
                }
                0 => String::new(),
                more => format!("{more} entries are not indexed yet"),
            },
        })
    }

    /// Does something with the directory.
    pub(crate) fn directory<T>(&self, work: impl FnOnce(&Directory) -> T) -> T {
        work(&self.read().directory)
    }

    /// Entries whose words no index has.
    pub(crate) fn waiting(&self) -> u64 {
        self.read().waiting()
    }

    /// How far each index is.
    pub(crate) fn states(&self) -> Vec<IndexState> {
        let state = self.read();
        let of = state.directory.holding();
        let column = state.column.as_ref();
        vec![
            IndexState {
                name: "lexical".to_owned(),
                entries: of.saturating_sub(state.waiting()),
                of,
                note: state.lexical_note.clone(),
            },
            IndexState {
                name: "vector".to_owned(),
                entries: column.map_or(0, |column| (column.entries() as u64).min(of)),
                of: of.saturating_sub(state.without_vectors()),
                note: state.vector_note.clone(),
            },
        ]
    }

    /// Entries that hold and have a text that the present model refuses, oldest first.
    pub(crate) fn refused(&self) -> Vec<MemoryId> {
        let state = self.read();
        let refused = state.refused.iter();
        let holding = refused.filter(|number| state.directory.holds(**number));
        holding.filter_map(|n| state.directory.id(*n)).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.0.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn stale(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.0.stale.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether words are taken into the overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taking {
    /// They are.
    WithWords,
    /// The index on the disk has them.
    Directory,
}

impl State {
    /// Entries that hold and whose words no index has.
    fn waiting(&self) -> u64 {
        let indexed = self.lookup.as_ref().map_or(0, Lookup::entries);
        let known = indexed + self.overlay.len() as u64;
        self.directory.holding().saturating_sub(known)
    }

    /// Entries that hold and whose every text the present model refuses.
    fn without_vectors(&self) -> u64 {
        let Some(column) = &self.column else {
            return 0;
        };
        let refused = self.refused.iter();
        let holds = |number: u32| self.directory.holds(number);
        let without = refused.filter(|number| holds(**number) && !column.has(**number));
        without.count() as u64
    }
}

/// The last change of each entry.
fn newest_of(changes: &[Change]) -> BTreeMap<u32, Change> {
    let pairs = changes.iter();
    pairs
        .map(|change| (small(change.number), *change))
        .collect()
}

/// A number as indexes keep it. The store would have to hold four thousand million entries for one
/// not to fit.
fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

async fn directory_of(store: &Store) -> Result<Directory, Error> {
    let epoch = store.point().epoch;
    let mut directory = Directory::default();
    let mut after = 0;
    loop {
        let page = store
            .read(move |from| glance::holdings(from, after, HOLDINGS_AT_A_TIME))
            .await?;
        let Some(last) = page.last() else {
            break;
        };
        after = last.number;
        for held in &page {
            directory.put(held.number, &held.namespace, held.id, epoch);
        }
    }
    for (one, other) in store.read(glance::links).await? {
        directory.link(one, other);
    }
    Ok(directory)
}

/// Does the work on a thread that may wait for the disk.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => Ok(result),
        Err(error) => Err(broken(format!("work on an index broke off: {error}"))),
    }
}
