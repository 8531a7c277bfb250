//! Memory: in this process, or where it is served.

use super::log::awaited;
use super::{models, remembrance, secrets, served};
use crate::commands::Setting;
use crate::lock::StateLock;
use crate::paths::private_folder;
use anyhow::Result;
use api::memory::{Curator, Memory};
use std::sync::Arc;
use wire::Endpoint;

/// Both sides of memory, wherever it is.
#[derive(Clone)]
pub struct Memories {
    /// What agents' tools and observers use.
    pub memory: Arc<dyn Memory>,
    /// The user's side.
    pub curator: Arc<dyn Curator>,
}

impl Memories {
    /// Where they are served.
    #[must_use]
    pub fn at(endpoint: &Endpoint) -> Self {
        let client = Arc::new(wire::memory::Client::connect(endpoint));
        Self {
            memory: client.clone(),
            curator: client,
        }
    }
}

/// Memory alone, for the user's own command: that of whoever serves here, else this process's, and
/// then the lock is held for as long as the second part is.
///
/// # Errors
/// When another process works here and does not serve it, or it cannot be opened.
pub async fn memories(setting: &Setting) -> Result<(Memories, Option<StateLock>)> {
    if let Some(endpoint) = served(setting, setting.paths.socket()).await {
        return Ok((Memories::at(&endpoint), None));
    }
    private_folder(&setting.paths.state)?;
    let lock = StateLock::wait(&setting.paths.state).await?;
    let audit = awaited(setting).await?;
    let secrets = secrets(setting, audit.clone()).await?;
    let models = models(setting, &secrets)?;
    let memories = remembrance(setting, audit, models)?.sides;
    Ok((memories, Some(lock)))
}
