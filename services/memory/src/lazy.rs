//! Memory that is opened when it is first needed, so that a command that does not pays nothing.

use crate::config::Config;
use crate::service::Service;
use api::audit::Audit;
use api::memory::{
    Annotation, CorrelatedRequest, Curator, Error, Forgotten, ListRequest, Memory, QueryEvent,
    QueryRequest, Recall, Stats, Stored, WriteAnswer, WriteRequest,
};
use api::models::Models;
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::id::{MemoryId, QueryId};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// What [`Service::open`] takes, and the service once it was needed. Where that fails it is tried
/// again the next time.
pub struct Lazy {
    folder: PathBuf,
    config: Config,
    audit: Arc<dyn Audit>,
    models: Arc<dyn Models>,
    service: OnceCell<Service>,
}

impl Lazy {
    /// Opens nothing yet.
    #[must_use]
    pub fn new(
        folder: PathBuf,
        config: Config,
        audit: Arc<dyn Audit>,
        models: Arc<dyn Models>,
    ) -> Self {
        Self {
            folder,
            config,
            audit,
            models,
            service: OnceCell::new(),
        }
    }

    /// The service, opened now if it is not yet.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub async fn service(&self) -> Result<&Service, Error> {
        let open = || {
            let (audit, models) = (self.audit.clone(), self.models.clone());
            let clock = Arc::new(Timestamp::now);
            Service::open(&self.folder, &self.config, audit, models, clock)
        };
        self.service.get_or_try_init(open).await
    }
}

#[async_trait]
impl Memory for Lazy {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        self.service().await?.query(request).await
    }

    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error> {
        self.service().await?.write(request).await
    }

    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        self.service().await?.get_correlated(request).await
    }

    async fn engram_of(
        &self,
        query_id: QueryId,
        respondent: &str,
    ) -> Result<Option<MemoryId>, Error> {
        self.service().await?.engram_of(query_id, respondent).await
    }

    async fn annotate(
        &self,
        context: Option<CallContext>,
        id: MemoryId,
        annotation: Annotation,
    ) -> Result<(), Error> {
        self.service()
            .await?
            .annotate(context, id, annotation)
            .await
    }
}

#[async_trait]
impl Curator for Lazy {
    async fn show(&self, id: MemoryId) -> Result<Stored, Error> {
        self.service().await?.show(id).await
    }

    async fn list(&self, request: ListRequest) -> Result<Streaming<Stored, Error>, Error> {
        self.service().await?.list(request).await
    }

    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Error> {
        self.service().await?.forget(id).await
    }

    async fn restore(&self, entry: Stored) -> Result<WriteAnswer, Error> {
        self.service().await?.restore(entry).await
    }

    async fn stats(&self) -> Result<Stats, Error> {
        self.service().await?.stats().await
    }

    async fn reindex(&self) -> Result<Stats, Error> {
        self.service().await?.reindex().await
    }
}
