//! `carl session`: look at, continue, compact, fork, rename, delete and export.

use super::changed::history_of;
use super::{Setting, chat};
use crate::wiring::House;
use agents::SessionLog;
use anyhow::{Context, Result};
use command_line::SessionCommand;
use domain::id::SessionId;
use rendering::context::Depth;
use rendering::print;
use std::io::ErrorKind;
use terminal::exit::{Exit, OrFail};
use terminal::session_commands::{
    self as commands, Chosen, ContextForm, ExportForm, ListForm, ShowForm,
};
use terminal::sessions::LAST;

/// Does what was typed.
///
/// # Errors
/// When the session is not found or cannot be read.
pub async fn session(command: SessionCommand) -> Result<Exit> {
    match command {
        SessionCommand::Resume { session, flags } => {
            let session = session.unwrap_or_else(|| LAST.to_owned());
            return chat::chat(*flags, chat::Begin::Resume(session)).await;
        }
        SessionCommand::List { json, limit } => {
            let (_, house) = look().await?;
            commands::list(house.sessions.as_ref(), limit, list_form(json)).await?;
        }
        SessionCommand::Search { words, json, limit } => {
            let (_, house) = look().await?;
            let (words, form) = (words.join(" "), list_form(json));
            commands::search(house.sessions.as_ref(), &words, (limit, form)).await?;
        }
        SessionCommand::Show {
            session,
            events,
            agent,
        } => {
            let form = match (events, agent.as_deref()) {
                (true, _) => ShowForm::Events,
                (false, None) => ShowForm::Transcript,
                (false, Some(agent)) => ShowForm::Agent(agent),
            };
            let (setting, house) = look().await?;
            commands::show(chosen(&house, &setting, &session), form).await?;
        }
        SessionCommand::Context {
            session,
            agent,
            full,
            json,
        } => {
            let form = context_form(json, full);
            let setting = Setting::plain()?;
            let house = House::watch(&setting).await?;
            let chosen = chosen(&house, &setting, &session);
            commands::context(chosen, agent.as_deref(), form).await?;
        }
        SessionCommand::Compact { session } => {
            let (setting, house) = open().await?;
            let compacted = commands::compact(chosen(&house, &setting, &session)).await;
            print(&house.close(compacted).await?)?;
        }
        SessionCommand::Fork { session, at } => {
            let (setting, house) = open().await?;
            let forked = commands::fork(chosen(&house, &setting, &session), at).await;
            print(&format!("{}\n", house.close(forked).await?))?;
        }
        SessionCommand::Rename { session, name } => {
            let (setting, house) = look().await?;
            commands::rename(chosen(&house, &setting, &session), &name).await?;
        }
        SessionCommand::Delete { session, yes } => return delete(&session, yes).await,
        SessionCommand::Export {
            session,
            format,
            out,
        } => {
            let form = format.map(export_form);
            let (setting, house) = look().await?;
            commands::export(chosen(&house, &setting, &session), form, out.as_deref()).await?;
        }
    }
    Ok(Exit::Success)
}

const fn list_form(json: bool) -> ListForm {
    match json {
        true => ListForm::Json,
        false => ListForm::Table,
    }
}

const fn export_form(form: command_line::ExportForm) -> ExportForm {
    match form {
        command_line::ExportForm::Markdown => ExportForm::Markdown,
        command_line::ExportForm::Json => ExportForm::Json,
    }
}

const fn context_form(json: bool, full: bool) -> ContextForm {
    match (json, full) {
        (true, _) => ContextForm::Json,
        (false, true) => ContextForm::Shown(Depth::Full),
        (false, false) => ContextForm::Shown(Depth::Shares),
    }
}

/// Deletes a session once the user is sure. While somebody has it, the log is not to be deleted, and the
/// rest stays too.
async fn delete(part: &str, is_sure: bool) -> Result<Exit> {
    let (setting, house) = look().await?;
    let chosen = chosen(&house, &setting, part);
    let Some(session_id) = commands::to_delete(chosen, is_sure).await? else {
        return Ok(Exit::Denied);
    };
    remove(&setting, session_id)?;
    print(&format!("Deleted: session {session_id}.\n"))?;
    Ok(Exit::Success)
}

/// Deletes a session's log, and then what belongs to it alone.
///
/// # Errors
/// While somebody has the session, and when something cannot be removed.
pub fn remove(setting: &Setting, session_id: SessionId) -> Result<()> {
    SessionLog::delete(&setting.paths.sessions(), session_id).or_fail()?;
    let history = history_of(setting, session_id);
    files::forget_history(&history)
        .with_context(|| format!("{} cannot be removed", history.display()))?;
    observers::record::remove(&setting.paths.capture(), session_id)
        .context("its answers that are not remembered yet cannot be forgotten")?;
    let draft = tui::drafts::file(&setting.paths.drafts(), session_id);
    match std::fs::remove_file(&draft) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", draft.display()))
        }
        _ => Ok(()),
    }
}

async fn look() -> Result<(Setting, House)> {
    let setting = Setting::plain()?;
    let house = House::look(&setting).await?;
    Ok((setting, house))
}

async fn open() -> Result<(Setting, House)> {
    let setting = Setting::plain()?;
    let house = House::open_for_upkeep(&setting).await?;
    Ok((setting, house))
}

fn chosen<'a>(house: &'a House, setting: &'a Setting, part: &'a str) -> Chosen<'a> {
    Chosen {
        sessions: house.sessions.as_ref(),
        workspace: &setting.workspace,
        part,
    }
}
