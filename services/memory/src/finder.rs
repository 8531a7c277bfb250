//! What the service asks of whatever finds entries.

use api::Streaming;
use api::memory::{CorrelatedRequest, Error, IndexState, QueryEvent, QueryRequest, Recall};
use async_trait::async_trait;
use domain::id::MemoryId;

/// How far finding has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FinderState {
    /// The model that makes vectors, with why there is none; for people.
    pub embedder: String,
    /// Every index.
    pub indexes: Vec<IndexState>,
    /// Entries with a text that the embedding model refuses, oldest first.
    pub refused: Vec<MemoryId>,
    /// Recalls answered from the cache since the start.
    pub cache_hits: u64,
    /// Recalls looked up in the cache since the start.
    pub cache_lookups: u64,
}

/// Finds entries. It follows the store by itself: what a write has answered, the next query finds.
#[async_trait]
pub(crate) trait Finder: Send + Sync {
    /// What answers a question, which is neither empty nor oversized; one event a stage.
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error>;
    /// What belongs with entries.
    async fn correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error>;
    /// Called after these are gone from the store: when it returns, no file of any index and no
    /// cache has anything of them.
    async fn forget(&self, numbers: &[u64]) -> Result<(), Error>;
    /// How far it has come.
    async fn state(&self) -> Result<FinderState, Error>;
    /// Makes every index anew, and waits until they hold everything.
    async fn reindex(&self) -> Result<(), Error>;
}
