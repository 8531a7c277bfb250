//! The lexical index follows the store: in batches, or from nothing where the log of changes does
//! not reach back.

use super::lexical::{Extent, Lexical};
use super::opening::create;
use super::{Indexes, Taking, blocking, glance, newest_of, small};
use crate::entry::Entry;
use crate::error::{broken, unavailable};
use crate::store::{Change, Changes, Point};
use api::memory::Error;
use std::borrow::Cow;

/// Entries that one commit takes in; few in this crate's own tests, so that they see several.
const ENTRIES_A_COMMIT: usize = if cfg!(test) { 4 } else { 8_192 };

impl Indexes {
    /// Brings the index of words one commit further; whether there may be more to do.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; the index is then made anew by the next call.
    pub(crate) async fn feed(&self) -> Result<bool, Error> {
        let mut slot = self.0.lexical.lock().await;
        let Some(lexical) = slot.take() else {
            *slot = Some(self.begin().await?);
            return Ok(true);
        };
        let from = lexical.state().point;
        if lexical.state().extent == Extent::Making {
            *slot = Some(self.go_on(lexical).await?);
            return Ok(true);
        }
        if from == self.0.store.point() {
            *slot = Some(lexical);
            return Ok(false);
        }
        *slot = Some(
            match self.0.store.changes_since(from, ENTRIES_A_COMMIT).await? {
                Changes::These(changes) => self.commit(lexical, &changes).await?,
                Changes::Gap => {
                    drop(lexical);
                    self.begin().await?
                }
            },
        );
        Ok(true)
    }

    async fn commit(&self, lexical: Lexical, changes: &[Change]) -> Result<Lexical, Error> {
        let Some(point) = changes.last().map(|change| change.point) else {
            return Ok(lexical);
        };
        let numbers: Vec<u64> = newest_of(changes).into_keys().map(u64::from).collect();
        let mut entries = self.0.store.entries(numbers.clone()).await?;
        entries.retain(|entry| entry.stored.valid_until.is_none());
        let removes = numbers
            .into_iter()
            .filter(|number| entries.iter().all(|entry| entry.number != *number))
            .map(small)
            .collect();
        let to = (point, Extent::Whole);
        let lexical = self.applied(lexical, entries, removes, to).await?;
        let _one_at_a_time = self.0.following.lock().await;
        let seen = self.read().seen;
        let unseen: Vec<Change> = changes
            .iter()
            .filter(|change| change.point.epoch > seen.epoch)
            .copied()
            .collect();
        self.take_in(&unseen, Taking::Directory).await?;
        self.show(&lexical, point);
        Ok(lexical)
    }

    /// Questions see this commit, and the overlay lets go of what it holds.
    fn show(&self, lexical: &Lexical, point: Point) {
        let mut state = self.write();
        state.lookup = Some(lexical.lookup());
        state.overlay.settle(point.epoch);
    }

    /// An empty index that is to be made anew from all entries that hold.
    async fn begin(&self) -> Result<Lexical, Error> {
        let folder = self.0.folder.join("words");
        let start = self.0.store.point();
        let lexical = self.at_work(move || create(&folder)).await??;
        let to = (start, Extent::Making);
        let lexical = self.applied(lexical, Vec::new(), Vec::new(), to).await?;
        self.write().lookup = Some(lexical.lookup());
        Ok(lexical)
    }

    /// One commit further in making it anew; a process that is killed goes on from the last one. In
    /// the end it is as of when it was begun, and follows the changes since.
    async fn go_on(&self, lexical: Lexical) -> Result<Lexical, Error> {
        let (start, after) = (lexical.state().point, lexical.state().highest);
        let page = move |from: &_| glance::holdings(from, after, ENTRIES_A_COMMIT);
        let page = self.0.store.read(page).await?;
        let numbers: Vec<u64> = page.iter().map(|held| u64::from(held.number)).collect();
        let extent = match numbers.is_empty() {
            true => Extent::Whole,
            false => Extent::Making,
        };
        let entries = self.0.store.entries(numbers).await?;
        let to = (start, extent);
        let lexical = self.applied(lexical, entries, Vec::new(), to).await?;
        match extent {
            Extent::Making => self.write().lookup = Some(lexical.lookup()),
            Extent::Whole => self.show(&lexical, start),
        }
        Ok(lexical)
    }

    /// Makes the index of words anew at the next [`Indexes::feed`].
    pub(crate) async fn drop_words(&self, why: &str) {
        tracing::warn!(why, "the index of words is made anew");
        *self.0.lexical.lock().await = None;
        let mut state = self.write();
        state.lookup = None;
        state.lexical_note = format!("made anew: {why}");
    }

    /// Feeds until everything is in, and leaves nothing of what was taken out in any file.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn purge_words(&self) -> Result<(), Error> {
        while self.feed().await? {}
        let mut slot = self.0.lexical.lock().await;
        let Some(mut lexical) = slot.take() else {
            return Err(broken("the index of words is not there"));
        };
        let of = |error| unavailable("the index of words", error);
        let rewritten = self
            .at_work(move || lexical.rewrite().map(|()| lexical))
            .await?;
        let lexical = rewritten.map_err(of)?;
        // Questions have to let go of the old files before those can be removed.
        self.write().lookup = Some(lexical.lookup());
        let swept = self
            .at_work(move || {
                let mut lexical = lexical;
                lexical.sweep().map(|()| lexical)
            })
            .await?;
        let lexical = swept.map_err(of)?;
        *slot = Some(lexical);
        Ok(())
    }

    /// The index with a batch more.
    async fn applied(
        &self,
        mut lexical: Lexical,
        entries: Vec<Entry>,
        removes: Vec<u32>,
        to: (Point, Extent),
    ) -> Result<Lexical, Error> {
        let work = move || {
            let texts: Vec<(u32, Vec<Cow<'_, str>>)> = entries
                .iter()
                .map(|entry| (small(entry.number), entry.texts()))
                .collect();
            let puts = texts
                .iter()
                .map(|(number, texts)| (*number, texts.iter().map(AsRef::as_ref).collect()));
            let applied = lexical.apply(puts, &removes, to);
            applied.map_err(|error| unavailable("the index of words", error))?;
            Ok(lexical)
        };
        self.at_work(work).await?
    }

    /// Does the work on a thread that may wait for the disk. The store stays open, and locked, until
    /// the work is done and its result is gone, even when nobody waits for it any more.
    pub(super) async fn at_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let indexes = self.clone();
        let (done, _indexes) = blocking(move || (work(), indexes)).await?;
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, keep};
    use api::memory::{Scope, Source, Stored, WriteEntry};
    use domain::Timestamp;
    use domain::id::MemoryId;
    use domain::label::Label;
    use domain::rights::Namespace;
    use std::path::Path;
    use uuid::Uuid;

    async fn put(store: &Store, number: u8) {
        let stored = Stored {
            id: MemoryId::from_uuid(Uuid::from_u128(u128::from(number))),
            namespace: Namespace::user(),
            entry: WriteEntry::Memory {
                name: format!("entry {number}"),
                description: String::new(),
                tags: Vec::new(),
                correlating_ids: Vec::new(),
                corpus: format!("plum number{number}"),
            },
            source: Source::User,
            label: Label::trusted("user"),
            created_at: Timestamp::UNIX_EPOCH,
            valid_from: None,
            valid_until: None,
            superseded_by: None,
            last_accessed: None,
            access_count: 0,
            critic_score: None,
            pairwise_winner: None,
            feedback: None,
        };
        let kept = move |to: &_| keep::restore(to, &stored, &[number; 16]);
        store.write(kept).await.unwrap();
    }

    async fn opened(folder: &Path) -> Indexes {
        let store = Store::open(folder).unwrap();
        Indexes::open(store, folder.join("index")).await.unwrap()
    }

    /// Every handle is gone when this returns.
    async fn closed(indexes: Indexes, folder: &Path) {
        drop(indexes);
        let lock = std::fs::File::open(folder.join("lock")).unwrap();
        blocking(move || lock.lock()).await.unwrap().unwrap();
    }

    fn found(indexes: &Indexes, word: &str) -> Vec<u32> {
        let found = indexes.lexical(word, &Scope::All, 20).unwrap();
        let mut numbers: Vec<u32> = found.best.into_iter().map(|(number, _)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    #[tokio::test]
    async fn making_an_index_anew_goes_on_where_it_was_killed() {
        let root = tempfile::tempdir().unwrap();
        let indexes = opened(root.path()).await;
        for number in 1..=10 {
            put(&indexes.0.store, number).await;
        }
        while indexes.feed().await.unwrap() {}
        indexes.drop_words("a test").await;
        // An empty one, and one page.
        assert!(indexes.feed().await.unwrap() && indexes.feed().await.unwrap());
        let known = |indexes: &Indexes| indexes.states()[0].entries;
        assert_eq!(known(&indexes), 4);
        closed(indexes, root.path()).await;

        let indexes = opened(root.path()).await;
        assert_eq!(known(&indexes), 4);
        assert_eq!(
            indexes.states()[0].note,
            "made anew: it goes on where it was"
        );
        let told = indexes.lexical("plum", &Scope::All, 20).unwrap().note;
        assert_eq!(told, "6 entries are not indexed yet");
        // What changes meanwhile is not lost, whether it was in a page or is in one to come.
        put(&indexes.0.store, 11).await;
        let gone = |to: &_| keep::remove(to, &[2, 9]);
        indexes.0.store.write(gone).await.unwrap();
        indexes.follow().await.unwrap();
        assert_eq!(found(&indexes, "plum"), [1, 3, 4, 11]);
        assert!(indexes.feed().await.unwrap());
        assert_eq!(found(&indexes, "plum"), [1, 3, 4, 5, 6, 7, 8, 11]);
        while indexes.feed().await.unwrap() {}
        assert_eq!(found(&indexes, "plum"), [1, 3, 4, 5, 6, 7, 8, 10, 11]);
        assert_eq!(indexes.read().lookup.as_ref().unwrap().entries(), 9);
    }
}
