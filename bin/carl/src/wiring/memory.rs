//! Memory for the user's own commands, such as `carl memory`: that of whoever serves here, else this
//! process's. Which memory agents work with stands in `knowledge.rs`.

use super::endpoints::{remote, served};
use super::knowledge::{remembrance, served_at};
use super::log::awaited;
use super::services::models;
use super::stores::secrets;
use crate::effective_settings;
use crate::lock::StateLock;
use crate::setting::Setting;
use anyhow::Result;
use config::paths::private_folder;
use grpc::Endpoint;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use terminal::exit::{Failure, describe};
use terminal::memory::Memories;

/// Where a memory role serves its own user beside what it serves over a network, or without an
/// address in `[endpoints]`.
#[must_use]
pub fn memory_socket(setting: &Setting) -> PathBuf {
    setting.paths.runtime.join("memory.sock")
}

/// That socket, if the memory that is configured is behind it: over a network nobody lists and
/// forgets.
async fn own_socket(setting: &Setting, configured: Option<&Endpoint>) -> Option<Endpoint> {
    if matches!(configured, Some(Endpoint::Unix(_))) {
        return None;
    }
    let own = served(setting, memory_socket(setting)).await?;
    let Some(configured) = configured else {
        return Some(own);
    };
    let here = effective_settings::at(&own).await?;
    let there = effective_settings::at(configured).await?;
    (here.process() == there.process()).then_some(own)
}

/// Where the state folder takes no writing, why a command that only reads needs that.
fn unrecorded(error: anyhow::Error) -> anyhow::Error {
    let mut causes = error.chain();
    let cause = causes.find_map(|cause| cause.downcast_ref::<io::Error>());
    let kind = cause.map(io::Error::kind);
    let is_closed = matches!(
        kind,
        Some(ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
    );
    if !is_closed {
        return error;
    }
    let (exit, mut fault) = describe(&error);
    fault.hint = format!(
        "Each look into memory is put on record, so it needs a state folder that can be written. {}",
        fault.hint
    );
    Failure { exit, fault }.into()
}

/// Memory alone, for the user's own command: that of whoever serves here, else this process's, and
/// then the lock is held for as long as the second part is.
///
/// # Errors
/// When another process works here and does not serve it, or it cannot be opened.
pub async fn memories(setting: &Setting) -> Result<(Memories, Option<StateLock>)> {
    let address = &setting.loaded.config.endpoints.memory;
    let configured = remote("endpoints.memory", address)?;
    if let Some(own) = own_socket(setting, configured.as_ref()).await {
        return Ok((served_at(&own), None));
    }
    if let Some(endpoint) = configured {
        return Ok((served_at(&endpoint), None));
    }
    if let Some(endpoint) = served(setting, setting.paths.socket()).await {
        return Ok((served_at(&endpoint), None));
    }
    private_folder(&setting.paths.state).map_err(unrecorded)?;
    let lock = StateLock::wait(&setting.paths.state, &setting.paths.socket())
        .await
        .map_err(unrecorded)?;
    let audit = awaited(setting).await?;
    let secrets = secrets(setting, audit.clone()).await?;
    let models = models(setting, &secrets)?;
    let memories = remembrance(setting, audit, models)?.sides;
    Ok((memories, Some(lock)))
}
