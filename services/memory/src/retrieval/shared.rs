//! What queries and upkeep work with: the store, its indexes, the models, the cache.

use crate::cache::Cache;
use crate::config::FindingConfig;
use crate::embedding::{Embedder, Embedding};
use crate::index::Indexes;
use crate::ledger::Clock;
use crate::store::{Point, Refused, Store};
use api::memory::{Error, IndexState};
use api::models::Models;
use domain::id::MemoryId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Held by every query, and weakly by the upkeep.
pub(super) struct Shared {
    pub(super) indexes: Indexes,
    pub(super) embedder: Arc<Embedder>,
    /// How far the making of vectors is. One at a time makes them.
    pub(super) course: tokio::sync::Mutex<Course>,
    pub(super) models: Arc<dyn Models>,
    pub(super) cache: Mutex<Cache>,
    /// Told when the index of words has taken in entries.
    pub(super) taken_in: Arc<Notify>,
    /// Told when the gateway was asked for the model.
    pub(super) identified: Arc<Notify>,
    pub(super) config: FindingConfig,
    pub(super) clock: Clock,
    pub(super) store: Store,
}

/// How far the making of vectors is.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// The model, once it was asked.
    pub(super) known: Option<Embedding>,
    /// The last entry looked at.
    pub(super) after: u32,
    /// Whether no vector of another model is left.
    pub(super) is_clean: bool,
    /// The state of the store at which nothing was left to do.
    pub(super) done: Option<Point>,
}

impl Shared {
    pub(super) fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While no model was asked: the one that made the vectors that are kept, how many entries have
    /// one, and which have a text that it refuses.
    pub(super) async fn kept_vectors(
        &self,
        indexes: &mut [IndexState],
    ) -> Result<(String, Vec<MemoryId>), Error> {
        let Some((key, entries)) = self.store.vectors_kept().await? else {
            let none = "none: no embedding model was asked yet".to_owned();
            return Ok((none, Vec::new()));
        };
        let refused = self.store.refused(key.clone()).await?;
        let holding: Vec<(MemoryId, Refused)> = self.indexes.directory(|directory| {
            let holding = |entry: Refused| {
                let number = u32::try_from(entry.number).ok()?;
                let id = directory.id(number)?;
                directory.holds(number).then_some((id, entry))
            };
            refused.into_iter().filter_map(holding).collect()
        });
        let without = holding.iter().filter(|(_, entry)| !entry.has_vectors);
        let without = without.count() as u64;
        for index in indexes.iter_mut().filter(|index| index.name == "vector") {
            index.of = index.of.saturating_sub(without);
            index.entries = entries.min(index.of);
        }
        let model = key
            .rsplit_once('#')
            .map_or(key.as_str(), |(model, _)| model);
        let ids = holding.into_iter().map(|(id, _)| id).collect();
        Ok((model.to_owned(), ids))
    }

    /// Counts a recall.
    pub(super) fn touch(&self, numbers: Vec<u64>) {
        self.store.touch(numbers, (self.clock)());
    }
}
