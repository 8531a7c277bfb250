//! Search that is opened when it is first needed, so that a command that does not pays nothing.

use crate::config::Config;
use crate::service::Service;
use api::audit::Audit;
use api::documents::Documents;
use api::models::Models;
use api::search::{Error, ReadAnswer, ReadRequest, Search, SearchAnswer, SearchRequest};
use api::secrets::Secrets;
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Coded;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// What a search service is made of.
pub struct Parts {
    /// Where pages are kept.
    pub folder: PathBuf,
    /// How it searches.
    pub config: Config,
    /// Where reading is recorded.
    pub audit: Arc<dyn Audit>,
    /// What reads pages.
    pub models: Arc<dyn Models>,
    /// Who has the provider's key.
    pub secrets: Arc<dyn Secrets>,
    /// What reads documents.
    pub documents: Arc<dyn Documents>,
}

/// A service once it was needed. Where that fails it is tried again the next time.
pub struct Lazy {
    parts: Parts,
    service: OnceCell<Service>,
}

impl Lazy {
    /// Opens nothing yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            service: OnceCell::new(),
        }
    }

    async fn service(&self) -> Result<&Service, Error> {
        self.service.get_or_try_init(async || self.open()).await
    }

    fn open(&self) -> Result<Service, Error> {
        let Parts {
            folder,
            config,
            audit,
            models,
            secrets,
            documents,
        } = &self.parts;
        let service = Service::new(
            config.clone(),
            models.clone(),
            secrets.clone(),
            audit.clone(),
            folder,
            Arc::new(Timestamp::now),
        );
        match service {
            Ok(service) => Ok(service.with_documents(documents.clone())),
            Err(error) => Err(Error::Unavailable {
                detail: error.message(),
            }),
        }
    }
}

#[async_trait]
impl Search for Lazy {
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, Error> {
        self.service().await?.search(request).await
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, Error> {
        self.service().await?.read(request).await
    }

    async fn destination(&self) -> Result<Option<String>, Error> {
        self.service().await?.destination().await
    }
}
