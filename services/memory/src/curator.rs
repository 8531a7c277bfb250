//! The user's side: showing, listing, forgetting, restoring, counting.

use crate::forget;
use crate::gate;
use crate::ledger::Ledger;
use crate::service::{How, Service};
use crate::store::read;
use api::Streaming;
use api::memory::{Curator, Error, Forgotten, ListRequest, Stats, Stored, WriteAnswer, WriteEntry};
use async_trait::async_trait;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::id::MemoryId;
use domain::rights::Namespace;
use futures::StreamExt as _;
use futures::stream;

#[async_trait]
impl Curator for Service {
    async fn show(&self, id: MemoryId) -> Result<Stored, Error> {
        let Some(entry) = self.store.by_ids(vec![id]).await?.pop() else {
            return Err(Error::NotFound { id });
        };
        self.ledger.read(None, "shown", &[id]).await?;
        Ok(entry.stored)
    }

    async fn list(&self, request: ListRequest) -> Result<Streaming<Stored, Error>, Error> {
        self.ledger.read(None, "listed by the user", &[]).await?;
        let store = self.store.clone();
        let pages = stream::try_unfold(Some(0), move |from| {
            let (store, request) = (store.clone(), request.clone());
            async move {
                let Some(after) = from else {
                    return Ok(None);
                };
                let (entries, next) = store.page(after, request.scope, request.kind).await?;
                Ok::<_, Error>(Some((entries, next)))
            }
        });
        let entries = pages.flat_map(|page| match page {
            Ok(entries) => stream::iter(entries).map(|entry| Ok(entry.stored)).boxed(),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        });
        Ok(entries.boxed())
    }

    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Error> {
        forget::forget(&self.store, self.finder.as_ref(), &self.ledger, id).await
    }

    async fn restore(&self, entry: Stored) -> Result<WriteAnswer, Error> {
        let cleared = match gate::judge_again(entry.entry, entry.source, entry.label) {
            Ok(cleared) => cleared,
            Err(denial) => {
                let detail = format!("{} is kept out: {}", entry.id, denial.refusal.as_str());
                self.ledger
                    .write(None, detail, CallStatus::Denied, None)
                    .await?;
                return Ok(WriteAnswer::Rejected {
                    refusal: denial.refusal,
                    detail: denial.detail,
                });
            }
        };
        let stored = Stored {
            entry: ordered(cleared.entry),
            source: cleared.source,
            label: cleared.label,
            created_at: micro(entry.created_at),
            valid_from: entry.valid_from.map(micro),
            valid_until: entry.valid_until.map(micro),
            last_accessed: entry.last_accessed.map(micro),
            ..entry
        };
        self.keep(None, stored, How::Again).await
    }

    async fn stats(&self) -> Result<Stats, Error> {
        let (memories, engrams, superseded) = self.store.read(read::counts).await?;
        let mut namespaces = Vec::new();
        for (name, count) in self.store.read(read::namespaces).await? {
            let namespace = Namespace::new(name)
                .map_err(|error| crate::error::unavailable("a namespace in the store", error))?;
            namespaces.push((namespace, count));
        }
        let state = self.finder.state().await?;
        let folder = self.store.folder().to_path_buf();
        let sizes = tokio::task::spawn_blocking(move || forget::files(&folder)).await;
        let files = match sizes {
            Ok(files) => files?,
            Err(error) => return Err(crate::error::unavailable("counting bytes", error)),
        };
        Ok(Stats {
            memories,
            engrams,
            superseded,
            namespaces,
            disk_bytes: files.iter().map(|(_, bytes)| bytes).sum(),
            embedder: state.embedder,
            indexes: state.indexes,
            refused: state.refused,
            cache_hits: state.cache_hits,
            cache_lookups: state.cache_lookups,
        })
    }

    async fn reindex(&self) -> Result<Stats, Error> {
        self.finder.reindex().await?;
        self.stats().await
    }
}

/// What it belongs with in the order in which the store gives it back, each once.
fn ordered(mut entry: WriteEntry) -> WriteEntry {
    if let WriteEntry::Memory {
        correlating_ids, ..
    } = &mut entry
    {
        correlating_ids.sort_unstable();
        correlating_ids.dedup();
    }
    entry
}

fn micro(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

impl Ledger {
    /// The removal of an entry, before it is done.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn forgets(&self, id: MemoryId, entries: usize) -> Result<(), Error> {
        let detail = match entries {
            1 => format!("forgets {id}"),
            more => format!("forgets {id} and {} that it corrected", more - 1),
        };
        self.write(None, detail, CallStatus::Ok, None).await
    }
}
