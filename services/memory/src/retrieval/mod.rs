//! Finding: what a question goes through, from its words to the segments that answer it.
//!
//! `query.rs` has the legs and tells the stages, `ranking.rs` makes one order of what they found and
//! reads the best, `recall.rs` makes results of entries, `upkeep.rs` keeps indexes and vectors up with
//! the store. Weights and arithmetic are the `retrieval` crate's.

mod query;
mod ranking;
mod recall;
mod shared;
mod stages;
mod upkeep;

use crate::config::FindingConfig;
use crate::embedding::Embedder;
use crate::finder::{Finder, FinderState};
use crate::index::Indexes;
use crate::ledger::Clock;
use crate::store::Store;
use api::Streaming;
use api::memory::{CorrelatedRequest, Error, QueryEvent, QueryRequest, Recall};
use api::models::Models;
use async_trait::async_trait;
use futures::StreamExt as _;
use shared::Shared;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Events of a query that wait for a slow reader.
const EVENTS: usize = 16;

/// Finds entries by words and by meaning.
pub(crate) struct Retrieval {
    shared: Arc<Shared>,
    /// Ends the upkeep with the last handle.
    _upkeep: DropGuard,
}

impl Retrieval {
    /// Opens the indexes beside the store, and begins to keep them up with it. Call it inside a
    /// Tokio runtime.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the store cannot be read or the folder cannot be written.
    pub(crate) async fn open(
        store: Store,
        models: Arc<dyn Models>,
        config: FindingConfig,
        clock: Clock,
    ) -> Result<Self, Error> {
        let folder = store.folder().join("index");
        let indexes = Indexes::open(store.clone(), folder).await?;
        let shared = Arc::new(Shared {
            store,
            indexes,
            embedder: Arc::new(Embedder::new(Arc::clone(&models))),
            course: tokio::sync::Mutex::default(),
            models,
            cache: Mutex::default(),
            taken_in: Arc::default(),
            identified: Arc::default(),
            config,
            clock,
        });
        let stop = CancellationToken::new();
        upkeep::start(&shared, &stop);
        Ok(Self {
            shared,
            _upkeep: stop.drop_guard(),
        })
    }
}

#[async_trait]
impl Finder for Retrieval {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        self.shared.indexes.follow().await?;
        let (tell, told) = mpsc::channel(EVENTS);
        tokio::spawn(query::run(Arc::clone(&self.shared), request, tell));
        let next = |mut told: mpsc::Receiver<_>| async move {
            let event = told.recv().await?;
            Some((event, told))
        };
        Ok(futures::stream::unfold(told, next).boxed())
    }

    async fn correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        let shared = &self.shared;
        let given = shared.store.by_ids(request.ids.clone()).await?;
        let numbers: Vec<u64> = given
            .iter()
            .filter(|entry| request.scope.contains(&entry.stored.namespace))
            .map(|entry| entry.number)
            .collect();
        let pairs = shared.store.correlated(numbers).await?;
        let given: BTreeSet<u64> = given.iter().map(|entry| entry.number).collect();
        let others: BTreeSet<u64> = pairs.into_iter().map(|(_, other)| other).collect();
        let others: Vec<u64> = others.difference(&given).copied().collect();
        let entries = shared.store.entries(others).await?;
        let question = retrieval::question::read(&request.text);
        let within = entries.iter().filter(|entry| {
            request.scope.contains(&entry.stored.namespace) && entry.stored.valid_until.is_none()
        });
        let recalls: Vec<Recall> = within
            .map(|entry| recall::plain(entry, &question, request.detail, &shared.config))
            .collect();
        shared.touch(entries.iter().map(|entry| entry.number).collect());
        Ok(recalls)
    }

    async fn forget(&self, numbers: &[u64]) -> Result<(), Error> {
        let shared = &self.shared;
        shared.cache().clear();
        shared.embedder.forget_queries();
        shared.indexes.follow().await?;
        shared.indexes.purge_words().await?;
        shared.indexes.purge_vectors(numbers).await?;
        // A query that began before may have kept an answer since.
        shared.cache().clear();
        Ok(())
    }

    async fn state(&self) -> Result<FinderState, Error> {
        let shared = &self.shared;
        shared.indexes.follow().await?;
        shared.fed().await;
        shared.embedded().await;
        let (cache_hits, cache_lookups) = shared.cache().counts();
        let mut indexes = shared.indexes.states();
        let (embedder, refused) = match shared.embedder.describe() {
            Some(embedder) => (embedder, shared.indexes.refused()),
            None => shared.kept_vectors(&mut indexes).await?,
        };
        Ok(FinderState {
            embedder,
            indexes,
            refused,
            cache_hits,
            cache_lookups,
        })
    }

    async fn reindex(&self) -> Result<(), Error> {
        self.shared.cache().clear();
        self.shared.anew().await
    }
}
