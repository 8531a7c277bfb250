//! Memory: in this process, or where it is served.

use super::{audit, models, remembrance, secrets, served};
use crate::commands::Setting;
use crate::exit::Failure;
use crate::lock::StateLock;
use crate::paths::private_folder;
use crate::render::print_error;
use anyhow::Result;
use api::audit::Audit;
use api::memory::{Curator, Memory};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::Endpoint;

/// How long a command of memory waits for the audit log that another process has.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

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
    let models = models(setting, secrets)?;
    let memories = remembrance(setting, audit, models)?.sides;
    Ok((memories, Some(lock)))
}

/// The log, once whoever has it lets go of it: another command may be about to end.
async fn awaited(setting: &Setting) -> Result<Arc<dyn Audit>> {
    let began = Instant::now();
    let mut is_told = false;
    loop {
        let refused = match audit(setting) {
            Err(error) if is_locked(&error) && began.elapsed() < PATIENCE => error,
            opened => return opened,
        };
        if !is_told {
            let seconds = PATIENCE.as_secs();
            print_error(&format!("Waiting up to {seconds} seconds: {refused}.\n"))?;
            is_told = true;
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn is_locked(error: &anyhow::Error) -> bool {
    let failure = error.downcast_ref::<Failure>();
    failure.is_some_and(|failure| failure.fault.code == "audit.locked")
}
