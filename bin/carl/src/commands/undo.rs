//! `carl undo`: takes back a session's last file change, through the guard like any other change.

use super::{Setting, run, session};
use crate::cli::{ModeArg, RunArgs, SessionFlags, UndoArgs};
use crate::exit::{Exit, Failure, OrFail};
use crate::wiring::House;
use anyhow::Result;
use api::sessions::SessionSummary;
use domain::event::{CallStatus, Event, EventBody};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The tool that takes changes back.
const UNDO: &str = "undo";

/// Finds the session and has it undo. What the session was allowed to write, it may restore: the
/// user opened it then and asks for it now.
///
/// # Errors
/// When there is no such session, or none that has something to take back.
pub async fn undo(args: UndoArgs) -> Result<Exit> {
    let mut flags = SessionFlags {
        ceiling: args.ceiling,
        ..SessionFlags::default()
    };
    let setting = Setting::read(&flags)?;
    let house = House::look(&setting).await?;
    let known = house.sessions.list().await.or_fail()?;
    let (chosen, events) = match &args.session {
        Some(part) => {
            let found = session::find(&known, part, &setting.workspace)?;
            (
                found,
                session::events_of(house.sessions.as_ref(), found.session_id).await?,
            )
        }
        None => newest_changed(&house, &known, &setting).await?,
    };
    flags.mode = Some(ModeArg::Deterministic);
    flags.ceiling.workspace = Some(chosen.workspace.clone());
    flags.ceiling.allow_write.extend(opened(&events));
    flags.ceiling.allow_write.push(chosen.workspace.clone());
    run::run(RunArgs {
        task: vec![UNDO.to_owned()],
        json: false,
        events: false,
        session_id: Some(chosen.session_id),
        session: flags,
    })
    .await
}

/// The newest session of this folder that changed more files than it took back.
async fn newest_changed<'a>(
    house: &House,
    known: &'a [SessionSummary],
    setting: &Setting,
) -> Result<(&'a SessionSummary, Vec<Event>)> {
    for summary in known
        .iter()
        .filter(|one| one.workspace == setting.workspace)
    {
        let events = session::events_of(house.sessions.as_ref(), summary.session_id).await?;
        if open_changes(&events) > 0 {
            return Ok((summary, events));
        }
    }
    Err(Failure::usage(
        format!(
            "no session of the folder {} has a change to take back",
            setting.workspace.display()
        ),
        "`carl session list` shows all sessions; `carl undo ID` names one.",
    )
    .into())
}

/// File changes less those taken back.
fn open_changes(events: &[Event]) -> i64 {
    let change = |event: &Event| match &event.body {
        EventBody::ToolResult {
            tool,
            status: CallStatus::Ok,
            artifacts,
            ..
        } => match tool.as_str() {
            UNDO => -1,
            _ => i64::from(!artifacts.is_empty()),
        },
        _ => 0,
    };
    events.iter().map(change).sum()
}

/// Everything the user opened for writing in the course of the session.
fn opened(events: &[Event]) -> BTreeSet<PathBuf> {
    let profiles = events.iter().filter_map(|event| match &event.body {
        EventBody::SessionOpened { profile, .. }
        | EventBody::SessionResumed { profile }
        | EventBody::SessionConfigured { profile } => Some(profile),
        _ => None,
    });
    profiles
        .flat_map(|profile| profile.settings.allow_write.iter().cloned())
        .filter(|path| path.exists())
        .collect()
}
