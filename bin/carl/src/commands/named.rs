//! What a command names, or leaves to the configuration: a session, found before any service is
//! opened for work, and the agent type.

use super::Setting;
use crate::config::{check_default_agent, check_disabled_tools};
use crate::wiring::House;
use anyhow::Result;
use api::broker::Control;
use api::sessions::SessionSummary;
use domain::id::SessionId;
use std::path::PathBuf;
use terminal::exit::{Failure, OrFail};
use terminal::sessions::find;

/// The session named by either end of its id, from the logs alone.
///
/// # Errors
/// A usage failure when none or several fit.
pub async fn named(setting: &Setting, part: &str) -> Result<SessionSummary> {
    let house = House::look(setting).await?;
    let found = find(house.sessions.as_ref(), part, &setting.workspace).await;
    let log = setting.paths.sessions().join(format!("{part}.jsonl"));
    // A log without a beginning is in no list.
    match found {
        Err(_unlisted) if part.parse::<SessionId>().is_ok() && log.is_file() => {
            Err(Failure::usage(
                format!(
                    "the session was never put on record: nothing that can be read stands at the \
                     beginning of {}, as happens when a disk is full",
                    log.display()
                ),
                "Make room on the disk if there is none, and begin a new session.",
            )
            .into())
        }
        found => found,
    }
}

/// The folder a session works in.
///
/// # Errors
/// A usage failure when there is no such session.
pub async fn folder_of(setting: &Setting, session_id: SessionId) -> Result<PathBuf> {
    Ok(named(setting, &session_id.to_string()).await?.workspace)
}

/// Checks that each tool that the configuration takes away is one.
///
/// # Errors
/// A usage failure when there is none of its name.
pub async fn check_tools(setting: &Setting, control: &dyn Control) -> Result<()> {
    if setting.loaded.config.policy.disabled_tools.is_empty() {
        return Ok(());
    }
    let listed = control.list_tools().await.or_fail()?;
    let names = listed.iter().map(|one| one.definition.name.as_str());
    let known: Vec<&str> = names.collect();
    check_disabled_tools(&setting.loaded, &known)
}

/// Checks the agent type of the configuration, where no flag names another.
///
/// # Errors
/// A usage failure when there is none of its name.
pub async fn check_agent(setting: &Setting, control: &dyn Control) -> Result<()> {
    let listed = control.list_agents().await.or_fail()?;
    let known: Vec<&str> = listed.iter().map(|one| one.agent_type.as_str()).collect();
    check_default_agent(&setting.loaded, &known)
}
