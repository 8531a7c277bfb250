//! The memory and the search that agents work with: in this process, or where `[endpoints]` says. Both
//! are opened when somebody first needs them, so that a command that does not pays nothing.

use super::endpoints::remote;
use crate::setting::Setting;
use anyhow::Result;
use api::audit::Audit;
use api::documents::Documents;
use api::models::Models;
use api::search::Search;
use broker::KnownSecrets;
use std::sync::Arc;
use terminal::exit::OrFail;
use terminal::memory::Memories;

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
    own: Option<Arc<memory::Lazy>>,
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
    let own = memory::Lazy::new(setting.paths.memory(), config.memory.clone(), audit, models);
    let own = Arc::new(own);
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
    Ok(Arc::new(search::Lazy::new(search::Parts {
        folder: setting.paths.pages(),
        config: own,
        audit,
        models,
        secrets: Arc::new(secrets),
        documents,
    })))
}
