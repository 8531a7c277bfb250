//! `carl chat`: what a conversation needs, for the terminal to hold it.

use super::host::CommandHost;
use super::{Setting, diff, named};
use crate::profile;
use anyhow::Result;
use command_line::SessionFlags;
use domain::id::{CallId, SessionId};
use domain::settings::Attendance;
use settings::By;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use terminal::chat::{ChatRequest, check_terminal};
use terminal::exit::Exit;
use terminal::session_changes::FileChange;
use terminal::sessions::LAST;
use terminal::undo::{CallChanges, FileHistory};

/// Which session a chat continues.
#[derive(Debug, Clone)]
pub enum Begin {
    /// A fresh one.
    New,
    /// The one of this name, or whose id ends so; empty: one to be chosen from a list.
    Resume(String),
}

impl Begin {
    /// The same where no list can be drawn: the session last used here in place of one to be chosen.
    #[must_use]
    pub fn or_last(self) -> Self {
        match self {
            Self::Resume(part) if part.is_empty() => Self::Resume(LAST.to_owned()),
            begin => begin,
        }
    }
}

/// The undo histories below a folder.
#[derive(Debug)]
struct Histories(PathBuf);

impl FileHistory for Histories {
    fn of_calls(&self, session_id: SessionId, calls: &BTreeSet<CallId>) -> Result<CallChanges> {
        let history = self.0.join(session_id.to_string());
        let found = files::of_calls(&history, calls);
        let found = found.map_err(|failure| anyhow::anyhow!(failure.message))?;
        Ok(CallChanges {
            recorded: found.recorded,
            next: found.next,
            beyond: found.beyond,
            passed: found.passed,
            undone: found.undone,
        })
    }

    fn pass_over_changed(
        &self,
        session_id: SessionId,
        calls: &BTreeSet<CallId>,
    ) -> Result<Vec<PathBuf>> {
        let history = self.0.join(session_id.to_string());
        let passed = files::pass_over_changed(&history, calls);
        passed.map_err(|failure| anyhow::anyhow!(failure.message))
    }

    fn changes(&self, session_id: SessionId, folder: &Path) -> Result<Vec<FileChange>> {
        diff::of_history(&self.0.join(session_id.to_string()), folder)
    }
}

/// Holds the conversation until the user leaves.
///
/// # Errors
/// When it could not begin, or the terminal cannot be used.
pub async fn chat(flags: SessionFlags, begin: Begin) -> Result<Exit> {
    check_terminal()?;
    let (mut host, request) = prepared(flags, begin).await?;
    // A session that goes on keeps its own.
    let checked = match request.resumed {
        Some(_) => Ok(()),
        None => host.check_agent().await,
    };
    let outcome = match checked {
        Ok(()) => terminal::chat::chat(&mut host, request).await,
        Err(error) => Err(error),
    };
    host.close(outcome).await
}

/// The services of a conversation, and what it begins with.
///
/// # Errors
/// When a flag or the configuration cannot be used, or no services can be had.
pub async fn prepared(mut flags: SessionFlags, begin: Begin) -> Result<(CommandHost, ChatRequest)> {
    let mut setting = Setting::read(&flags)?;
    let resumed = match begin {
        Begin::New => None,
        Begin::Resume(part) => Some(named::named(&setting, &part).await?),
    };
    if let Some(found) = resumed
        .as_ref()
        .filter(|_| flags.ceiling.workspace.is_none())
    {
        flags.ceiling.workspace = Some(named::still_there(found.workspace.clone())?);
        setting = setting.again(&flags)?;
    }
    let typed = flags.clone();
    if let Some(found) = &resumed {
        let provider = named::provider_of(&setting, found.session_id, &flags).await?;
        if provider != flags.provider {
            flags.provider = provider;
            flags.is_provider_of_session = true;
            setting = setting.again(&flags)?;
        }
    }
    let profile = setting.profile(&flags, Attendance::Attended)?;
    let request = ChatRequest {
        resumed,
        profile: profile::requested(profile, &typed),
        workspace: setting.workspace.clone(),
        history: setting.paths.state.join("chat_history"),
        captures: setting.loaded.config.memory.capture,
        changes: Box::new(Histories(setting.paths.undo())),
    };
    let host = CommandHost::open(setting, flags, (By::Chat, Attendance::Attended)).await?;
    Ok((host, request))
}
