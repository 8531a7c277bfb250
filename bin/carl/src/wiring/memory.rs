//! Memory: in this process, or where it is served.

use super::endpoints::{remote, served};
use super::knowledge::{remembrance, served_at};
use super::log::awaited;
use super::services::models;
use super::stores::secrets;
use crate::lock::StateLock;
use crate::paths::private_folder;
use crate::setting::Setting;
use anyhow::Result;
use terminal::memory::Memories;

/// Memory alone, for the user's own command: that of whoever serves here, else this process's, and
/// then the lock is held for as long as the second part is.
///
/// # Errors
/// When another process works here and does not serve it, or it cannot be opened.
pub async fn memories(setting: &Setting) -> Result<(Memories, Option<StateLock>)> {
    let address = &setting.loaded.config.endpoints.memory;
    if let Some(endpoint) = remote("endpoints.memory", address)? {
        return Ok((served_at(&endpoint), None));
    }
    if let Some(endpoint) = served(setting, setting.paths.socket()).await {
        return Ok((served_at(&endpoint), None));
    }
    private_folder(&setting.paths.state)?;
    let lock = StateLock::wait(&setting.paths.state).await?;
    let audit = awaited(setting).await?;
    let secrets = secrets(setting, audit.clone()).await?;
    let models = models(setting, &secrets)?;
    let memories = remembrance(setting, audit, models)?.sides;
    Ok((memories, Some(lock)))
}
