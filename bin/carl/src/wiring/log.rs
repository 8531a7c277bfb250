//! The audit log: in this process, or where it is served.

use super::endpoints::{remote, served};
use super::stores::secrets_socket;
use crate::lock::{StateLock, running};
use crate::serving::served_roles;
use crate::setting::Setting;
use anyhow::Result;
use api::audit::Audit;
use config::paths::private_folder;
use rendering::print_error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal::exit::{Failure, OrFail};

/// How long a command waits for the log that another process has.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits without a word.
const MUTE: Duration = Duration::from_millis(300);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

/// The log: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When another process has it, or it cannot be written.
pub fn audit(setting: &Setting) -> Result<Arc<dyn Audit>> {
    let address = &setting.loaded.config.endpoints.audit;
    if let Some(endpoint) = remote("endpoints.audit", address)? {
        return Ok(Arc::new(grpc::audit::Client::connect(&endpoint)));
    }
    let config = audit::Config::new(setting.paths.audit(), setting.paths.keys());
    let opened = audit::Service::open(config).or_fail();
    Ok(Arc::new(
        opened.map_err(|error| name_holder(error, setting))?,
    ))
}

/// Says in the refusal of a log that another process has which one that is: after the end of a service a
/// chat that was open may serve in its place.
fn name_holder(error: anyhow::Error, setting: &Setting) -> anyhow::Error {
    let Some(failure) = error
        .downcast_ref::<Failure>()
        .filter(|_| is_locked(&error))
    else {
        return error;
    };
    let Some(id) = holder(setting) else {
        return error;
    };
    let (exit, mut fault) = (failure.exit, failure.fault.clone());
    fault.hint = format!("It is process {id}. {}", fault.hint);
    Failure { exit, fault }.into()
}

/// The number of another process that has the log: one that serves it, or that has all services.
fn holder(setting: &Setting) -> Option<u32> {
    let state = &setting.paths.state;
    let mut roles = served_roles(state).into_iter();
    let serving = roles.find(|one| one.role == "audit").map(|one| one.process);
    let others = || running(state)?.process;
    let is_other = |id: &u32| *id != std::process::id();
    serving.or_else(others).filter(is_other)
}

/// The log alone, for the user's own command: that of whoever serves here, else this process's, and
/// then the lock is held for as long as the second part is.
///
/// # Errors
/// When another process works here and does not serve its log, or it cannot be written.
pub async fn log(setting: &Setting) -> Result<(Arc<dyn Audit>, Option<StateLock>)> {
    let address = &setting.loaded.config.endpoints.audit;
    if let Some(endpoint) = remote("endpoints.audit", address)? {
        return Ok((Arc::new(grpc::audit::Client::connect(&endpoint)), None));
    }
    for socket in [setting.paths.socket(), secrets_socket(setting)] {
        if let Some(endpoint) = served(setting, socket).await {
            return Ok((Arc::new(grpc::audit::Client::connect(&endpoint)), None));
        }
    }
    private_folder(&setting.paths.state)?;
    let lock = StateLock::wait(&setting.paths.state, &setting.paths.socket()).await?;
    Ok((awaited(setting).await?, Some(lock)))
}

/// The log, once whoever has it lets go of it: another command may be about to end, and lets go of
/// the state folder's lock before its last answers are on their way.
///
/// # Errors
/// As [`audit()`], once patience is at its end.
pub async fn awaited(setting: &Setting) -> Result<Arc<dyn Audit>> {
    let began = Instant::now();
    let mut is_told = false;
    loop {
        let refused = match audit(setting) {
            Err(error) if is_locked(&error) && began.elapsed() < PATIENCE => error,
            opened => return opened,
        };
        if !is_told && began.elapsed() >= MUTE {
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
