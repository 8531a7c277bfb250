//! Memory and search: in this process, or where `[endpoints]` says. Both are opened when somebody
//! first needs them, so that a command that does not pays nothing.

use super::endpoints::remote;
use crate::setting::Setting;
use anyhow::Result;
use api::audit::Audit;
use api::documents::Documents;
use api::memory::{
    Annotation, CorrelatedRequest, Curator, Error, Forgotten, ListRequest, Memory, QueryEvent,
    QueryRequest, Recall, Stats, Stored, WriteAnswer, WriteRequest,
};
use api::models::Models;
use api::search::{self, ReadAnswer, ReadRequest, Search, SearchAnswer, SearchRequest};
use api::{CallContext, Streaming};
use async_trait::async_trait;
use broker::KnownSecrets;
use domain::Timestamp;
use domain::fault::Coded;
use domain::id::MemoryId;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::exit::OrFail;
use terminal::memory::Memories;
use tokio::sync::OnceCell;

/// Memory where it is served.
#[must_use]
pub fn served_at(endpoint: &grpc::Endpoint) -> Memories {
    let client = Arc::new(grpc::memory::Client::connect(endpoint));
    Memories {
        memory: client.clone(),
        curator: client,
    }
}

/// Memory, wherever it is.
#[derive(Clone)]
pub struct Remembrance {
    /// Both its sides.
    pub sides: Memories,
    /// Memory of this process, to be opened ahead of its first use.
    own: Option<Arc<Opened<OwnMemory>>>,
}

impl Remembrance {
    /// At an endpoint.
    #[must_use]
    pub fn at(endpoint: &grpc::Endpoint) -> Self {
        Self {
            sides: served_at(endpoint),
            own: None,
        }
    }

    /// Opens memory while something else is done.
    pub fn open_ahead(&self) {
        if let Some(own) = self.own.clone() {
            tokio::spawn(async move {
                if let Err(error) = own.service().await {
                    tracing::warn!(%error, "memory cannot be opened");
                }
            });
        }
    }
}

/// Memory: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When an address cannot be used.
pub fn remembrance(
    setting: &Setting,
    audit: Arc<dyn Audit>,
    models: Arc<dyn Models>,
) -> Result<Remembrance> {
    let config = &setting.loaded.config;
    if let Some(endpoint) = remote("endpoints.memory", &config.endpoints.memory)? {
        return Ok(Remembrance::at(&endpoint));
    }
    let own = Arc::new(Opened::new(OwnMemory {
        folder: setting.paths.memory(),
        config: config.memory.clone(),
        audit,
        models,
    }));
    Ok(Remembrance {
        sides: Memories {
            memory: own.clone(),
            curator: own.clone(),
        },
        own: (config.memory.recall || config.memory.capture).then_some(own),
    })
}

/// Search: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When an address or a setting cannot be used.
pub fn search(
    setting: &Setting,
    (audit, models, secrets): (Arc<dyn Audit>, Arc<dyn Models>, KnownSecrets),
    documents: Arc<dyn Documents>,
) -> Result<Arc<dyn Search>> {
    let config = &setting.loaded.config;
    if let Some(endpoint) = remote("endpoints.search", &config.endpoints.search)? {
        return Ok(Arc::new(grpc::search::Client::connect(&endpoint)));
    }
    let mut own = config.search.clone();
    own.air_gap |= config.models.air_gap;
    own.check().or_fail()?;
    Ok(Arc::new(Opened::new(OwnSearch {
        folder: setting.paths.pages(),
        config: own,
        audit,
        models,
        secrets,
        documents,
    })))
}

/// What it takes to open a service.
#[async_trait]
trait Opening: Send + Sync {
    /// The service.
    type Service: Send + Sync;
    /// Why it does not open.
    type Error;

    async fn open(&self) -> Result<Self::Service, Self::Error>;
}

/// A service that is opened when it is first needed, and tried again when that fails.
struct Opened<O: Opening> {
    opening: O,
    service: OnceCell<O::Service>,
}

impl<O: Opening> Opened<O> {
    fn new(opening: O) -> Self {
        Self {
            opening,
            service: OnceCell::new(),
        }
    }

    async fn service(&self) -> Result<&O::Service, O::Error> {
        self.service.get_or_try_init(|| self.opening.open()).await
    }
}

struct OwnMemory {
    folder: PathBuf,
    config: memory::Config,
    audit: Arc<dyn Audit>,
    models: Arc<dyn Models>,
}

#[async_trait]
impl Opening for OwnMemory {
    type Service = memory::Service;
    type Error = Error;

    async fn open(&self) -> Result<memory::Service, Error> {
        let (audit, models) = (self.audit.clone(), self.models.clone());
        let clock = Arc::new(Timestamp::now);
        memory::Service::open(&self.folder, &self.config, audit, models, clock).await
    }
}

#[async_trait]
impl Memory for Opened<OwnMemory> {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        self.service().await?.query(request).await
    }

    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error> {
        self.service().await?.write(request).await
    }

    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        self.service().await?.get_correlated(request).await
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
impl Curator for Opened<OwnMemory> {
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

struct OwnSearch {
    folder: PathBuf,
    config: ::search::Config,
    audit: Arc<dyn Audit>,
    models: Arc<dyn Models>,
    secrets: KnownSecrets,
    documents: Arc<dyn Documents>,
}

#[async_trait]
impl Opening for OwnSearch {
    type Service = ::search::Service;
    type Error = search::Error;

    async fn open(&self) -> Result<::search::Service, search::Error> {
        let service = ::search::Service::new(
            self.config.clone(),
            self.models.clone(),
            Arc::new(self.secrets.clone()),
            self.audit.clone(),
            &self.folder,
            Arc::new(Timestamp::now),
        );
        match service {
            Ok(service) => Ok(service.with_documents(self.documents.clone())),
            Err(error) => Err(search::Error::Unavailable {
                detail: error.message(),
            }),
        }
    }
}

#[async_trait]
impl Search for Opened<OwnSearch> {
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, search::Error> {
        self.service().await?.search(request).await
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, search::Error> {
        self.service().await?.read(request).await
    }
}
