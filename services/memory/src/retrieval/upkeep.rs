//! Keeping up: the index of words follows the store, and every entry gets its vectors, in small
//! batches, while questions go on.

use super::shared::{Course, Shared};
use crate::embedding::Embedding;
use crate::entry::Entry;
use api::memory::Error;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long writes are gathered before the index of words commits them: a commit waits for the disk,
/// as do the writes beside it, and until then the overlay has them.
const GATHERING: Duration = Duration::from_secs(2);
/// How long after the start the first vectors are made: a process that only looks at something or
/// adds one thing has ended by then, and has started no engine for it.
const SETTLING: Duration = Duration::from_secs(2);
/// After so many changes they are made at once.
const SETTLING_CHANGES: u64 = 8;
/// The user's own question waits for the vectors of at most so many entries.
const FEW: usize = 64;
/// And no longer than this.
const FEW_WAIT: Duration = Duration::from_secs(2);
/// What the user's own command gives to indexes that lack more. Each gives as much and makes one
/// batch at least, so that commands which end at once complete them in the end.
const SHARE: Duration = Duration::from_millis(500);
/// After how long an embedding model that did not answer is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(30);
/// Entries whose vectors are made before they are kept.
const ENTRIES_AT_A_TIME: usize = 16;

/// Begins the upkeep. It holds nothing while it waits, and ends with the token.
pub(super) fn start(shared: &Arc<Shared>, stop: &CancellationToken) {
    let feeding = feed(Arc::downgrade(shared));
    tokio::spawn(stop.clone().run_until_cancelled_owned(feeding));
    let embedding = embed(Arc::downgrade(shared));
    tokio::spawn(stop.clone().run_until_cancelled_owned(embedding));
}

async fn feed(shared: Weak<Shared>) {
    let Some(mut points) = shared.upgrade().map(|shared| shared.store.points()) else {
        return;
    };
    loop {
        points.borrow_and_update();
        loop {
            let Some(shared) = shared.upgrade() else {
                return;
            };
            match shared.indexes.feed().await {
                // What it took in may be there for the first time.
                Ok(true) => shared.taken_in.notify_one(),
                Ok(false) => break,
                Err(error) => {
                    tracing::warn!(%error, "the index of words did not follow the store");
                    break;
                }
            }
        }
        if points.changed().await.is_err() {
            return;
        }
        tokio::time::sleep(GATHERING).await;
    }
}

async fn embed(shared: Weak<Shared>) {
    let Some((mut points, embedder, taken_in, identified)) = shared.upgrade().map(|shared| {
        let (embedder, taken_in) = (&shared.embedder, &shared.taken_in);
        let points = shared.store.points();
        let identified = Arc::clone(&shared.identified);
        (
            points,
            Arc::clone(embedder),
            Arc::clone(taken_in),
            identified,
        )
    }) else {
        return;
    };
    let start = points.borrow().epoch;
    let many = points.wait_for(|point| point.epoch >= start + SETTLING_CHANGES);
    tokio::select! {
        // Out of time, or nobody writes any more: both say to begin.
        _ = tokio::time::timeout(SETTLING, many) => {}
        // A question had the model asked for: nothing is spared by waiting.
        () = identified.notified() => {}
    }
    loop {
        points.borrow_and_update();
        let done = match shared.upgrade() {
            Some(shared) => shared.step().await,
            None => return,
        };
        let wait = match done {
            Ok(Progress::More) => continue,
            Ok(Progress::Done) => None,
            Err(reason) => {
                tracing::debug!(reason, "no vectors are made for now");
                Some(ASK_AGAIN)
            }
        };
        let timer = async {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = points.changed(), if wait.is_none() => if changed.is_err() {
                return;
            },
            () = taken_in.notified(), if wait.is_none() => {}
            () = embedder.changed.notified() => match shared.upgrade() {
                Some(shared) => *shared.course.lock().await = Course::default(),
                None => return,
            },
            () = timer => {}
        }
    }
}

/// Whether every entry has its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    More,
    Done,
}

impl Shared {
    /// Makes the vectors of a few entries more; after a failure it begins again.
    async fn step(&self) -> Result<Progress, String> {
        let mut course = self.course.lock().await;
        let done = self.vectors(&mut course).await;
        if done.is_err() {
            *course = Course::default();
        }
        done
    }

    /// Asks for the model, unless somebody has, and makes the indexes ready for it.
    pub(super) async fn identified(&self) {
        if self.embedder.is_asked() {
            return;
        }
        let mut course = self.course.lock().await;
        if !self.embedder.is_asked()
            && let Err(reason) = self.identify(&mut course).await
        {
            tracing::debug!(reason, "a question goes without its vector");
        }
    }

    /// The same, and the vectors of what was written lately where that is little, or of a part.
    pub(super) async fn caught_up(&self) {
        self.identified().await;
        self.embedded().await;
    }

    /// Makes missing vectors with the model that is known, if one is: all where few are missing,
    /// else as many as there is time for.
    pub(super) async fn embedded(&self) {
        if self.embedder.model().is_err() {
            return;
        }
        let is_done = |course: &Course| course.done == Some(self.store.point());
        if self.course.try_lock().is_ok_and(|course| is_done(&course)) {
            return;
        }
        let began = Instant::now();
        let patience = match self.indexes.missing(0, FEW + 1).len() {
            0..=FEW => FEW_WAIT,
            _ => SHARE,
        };
        while began.elapsed() < patience {
            match self.step().await {
                Ok(Progress::More) => {}
                Ok(Progress::Done) => return,
                Err(reason) => {
                    tracing::debug!(reason, "no vectors are made for now");
                    return;
                }
            }
        }
    }

    /// Takes words in that no index has, as many as there is time for. It goes on to the end of a
    /// commit when nobody waits any more, since an index that is left in the middle of one is lost.
    pub(super) async fn fed(self: &Arc<Self>) {
        if self.indexes.waiting() == 0 {
            return;
        }
        let shared = Arc::clone(self);
        let feeding = tokio::spawn(async move {
            let began = Instant::now();
            while shared.indexes.waiting() > 0 && began.elapsed() < SHARE {
                match shared.indexes.feed().await {
                    Ok(true) => shared.taken_in.notify_one(),
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "the index of words did not follow the store");
                        break;
                    }
                }
            }
        });
        // A feeding that broke off shows in what the index lacks.
        drop(feeding.await);
    }

    async fn identify(&self, course: &mut Course) -> Result<Embedding, String> {
        let of = |error: Error| error.to_string();
        let mut answer = self.embedder.ask(&self.store).await;
        if let Ok(embedding) = &answer {
            if !self.embedder.is_known(embedding) {
                self.embedder.settle(None);
            }
            let (key, dimensions) = (&embedding.key, embedding.dimensions);
            let ready = match self.indexes.reopen_vectors().await {
                Ok(()) => self.indexes.use_model(key, dimensions).await,
                Err(error) => Err(error),
            };
            if let Err(error) = ready {
                answer = Err(of(error));
            }
        }
        self.embedder.settle(Some(&answer));
        self.identified.notify_one();
        *course = Course {
            known: answer.as_ref().ok().cloned(),
            ..Course::default()
        };
        answer
    }

    /// Makes the vectors of a few entries more.
    async fn vectors(&self, course: &mut Course) -> Result<Progress, String> {
        let of = |error: Error| error.to_string();
        let embedding = match &course.known {
            Some(embedding) => embedding.clone(),
            None => self.identify(course).await?,
        };
        let Course {
            after,
            is_clean,
            done,
            ..
        } = course;
        let point = self.store.point();
        self.indexes.follow().await.map_err(of)?;
        let stale = self.indexes.take_stale();
        let mut numbers: Vec<u32> = self.indexes.missing(*after, ENTRIES_AT_A_TIME);
        let last = numbers.last().copied();
        numbers.extend(stale);
        if numbers.is_empty() {
            if !*is_clean {
                // Vectors of models that are not used any more.
                let key = embedding.key.clone();
                self.store.keep_vectors_of(key).await.map_err(of)?;
                *is_clean = true;
            }
            *done = Some(point);
            return Ok(Progress::Done);
        }
        self.make(&numbers, &embedding).await?;
        *after = last.unwrap_or(*after);
        Ok(Progress::More)
    }

    async fn make(&self, numbers: &[u32], embedding: &Embedding) -> Result<(), String> {
        let of = |error: Error| error.to_string();
        let numbers = numbers.iter().copied().map(u64::from).collect();
        let mut entries: Vec<Entry> = self.store.entries(numbers).await.map_err(of)?;
        entries.retain(|entry| entry.stored.valid_until.is_none());
        let mut embedded = self.embedder.documents(&entries, embedding).await?;
        // An entry forgotten meanwhile gets no vectors.
        let asked = embedded.numbers.clone();
        let still = self.store.entries(asked).await.map_err(of)?;
        embedded.retain(|number| still.iter().any(|entry| entry.number == number));
        let key = embedding.key.clone();
        let kept = self.store.put_vectors(key, embedded.clone()).await;
        kept.map_err(of)?;
        self.indexes.add_vectors(&embedded).map_err(of)
    }

    /// Makes every index anew, and waits until they hold everything that can be had.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(super) async fn anew(&self) -> Result<(), Error> {
        self.indexes.drop_words("asked for").await;
        while self.indexes.feed().await? {}
        let mut course = self.course.lock().await;
        *course = Course::default();
        self.indexes.drop_vectors().await?;
        if let Err(reason) = self.identify(&mut course).await {
            tracing::warn!(reason, "no vectors are made");
            return Ok(());
        }
        self.indexes.ask_refused_again();
        loop {
            match self.vectors(&mut course).await {
                Ok(Progress::More) => {}
                Ok(Progress::Done) => return Ok(()),
                Err(reason) => {
                    tracing::warn!(reason, "no vectors are made");
                    return Ok(());
                }
            }
        }
    }
}
