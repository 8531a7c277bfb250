//! What a command names, or leaves to the configuration: a session, found before any service is
//! opened for work, and the agent type.

use super::Setting;
use crate::wiring::House;
use anyhow::Result;
use api::broker::Control;
use api::sessions::{Follow, SessionSummary};
use command_line::SessionFlags;
use config::{check_default_agent, check_disabled_tools, check_typed_agent};
use domain::event::EventBody;
use domain::id::SessionId;
use std::path::PathBuf;
use terminal::exit::{Failure, OrFail};
use terminal::sessions::{LAST, events_of, find, newest, own_profile};
use text::escape::visible_line;

/// The session named by either end of its id, from the logs alone, to go on with it: the last is the last
/// in which something was said or is left to be sent.
///
/// # Errors
/// A usage failure when none or several fit.
pub async fn named(setting: &Setting, part: &str) -> Result<SessionSummary> {
    let house = House::look(setting).await?;
    let (sessions, workspace) = (house.sessions.as_ref(), &setting.workspace);
    let found = match part.eq_ignore_ascii_case(LAST) {
        true => {
            let folder = setting.paths.drafts();
            let has_draft = |id| tui::drafts::file(&folder, id).exists();
            let is_used = |one: &SessionSummary| !one.title.is_empty() || has_draft(one.session_id);
            newest(sessions, workspace, is_used).await?
        }
        false => find(sessions, part, workspace).await?,
    };
    // One whose beginning is damaged is of no folder that is known; reading it says where.
    if found.workspace.as_os_str().is_empty() {
        own_profile(house.sessions.as_ref(), found.session_id).await?;
    }
    Ok(found)
}

/// The folder a session works in.
///
/// # Errors
/// A usage failure when there is no such session, or its folder is another one by now.
pub async fn folder_of(setting: &Setting, session_id: SessionId) -> Result<PathBuf> {
    still_there(named(setting, &session_id.to_string()).await?.workspace)
}

/// The folder of a session, which had no link on the way to it. Whoever put one there since, and that
/// may have been an agent, would choose where the session goes on.
///
/// # Errors
/// A usage failure when the path leads to another folder by now.
pub fn still_there(folder: PathBuf) -> Result<PathBuf> {
    match folder.canonicalize() {
        Ok(real) if real != folder => Err(Failure::usage(
            format!(
                "the folder of this session, {}, is reached by a link now and would be {}",
                visible_line(&folder.to_string_lossy()),
                visible_line(&real.to_string_lossy())
            ),
            "If you put the link there, say where to work with -C FOLDER; otherwise look at what \
             replaced the folder.",
        )
        .into()),
        _ => Ok(folder),
    }
}

/// The provider that a session was last held with by name, unless these flags name another one or a
/// model: what was said there goes nowhere else by itself.
///
/// # Errors
/// When its log cannot be read.
pub async fn provider_of(
    setting: &Setting,
    session_id: SessionId,
    flags: &SessionFlags,
) -> Result<Option<String>> {
    if flags.provider.is_some() || flags.model.is_some() {
        return Ok(flags.provider.clone());
    }
    let house = House::look(setting).await?;
    let events = events_of(house.sessions.as_ref(), session_id, Follow::Outline).await?;
    let profiles = events
        .into_iter()
        .rev()
        .filter_map(|event| match event.body {
            EventBody::SessionOpened { profile, .. }
            | EventBody::SessionResumed { profile, .. }
            | EventBody::SessionConfigured { profile, .. } => Some(profile),
            _ => None,
        });
    Ok(profiles.take(1).find_map(|profile| profile.provider))
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

/// Checks the agent type that a flag names, or else that of the configuration.
///
/// # Errors
/// A usage failure when there is none of its name.
pub async fn check_agent(
    setting: &Setting,
    control: &dyn Control,
    typed: Option<&str>,
) -> Result<()> {
    let listed = control.list_agents().await.or_fail()?;
    let known: Vec<&str> = listed.iter().map(|one| one.agent_type.as_str()).collect();
    match typed {
        Some(agent) => check_typed_agent(agent, &known),
        None => check_default_agent(&setting.loaded, &known),
    }
}
