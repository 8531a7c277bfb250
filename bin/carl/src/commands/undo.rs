//! `carl undo`: takes back a session's last file change, through the guard like any other change.

use super::{Setting, run};
use crate::cli::{ModeArg, RunArgs, SessionFlags, UndoArgs};
use crate::wiring::House;
use anyhow::Result;
use api::sessions::{Follow, Selection, SessionSummary, Sessions};
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use terminal::exit::{Exit, Failure, OrFail};
use terminal::render::{print, print_error};
use terminal::sessions;
use text::escape::visible;

/// Has a session undo.
///
/// # Errors
/// When there is no such session, or none that has something to take back.
pub async fn undo(args: UndoArgs) -> Result<Exit> {
    let flags = SessionFlags {
        ceiling: args.ceiling,
        ..SessionFlags::default()
    };
    if args.print {
        return print_before(&flags, args.session.as_deref()).await;
    }
    let (session_id, flags) = target(flags, args.session.as_deref()).await?;
    run::run(RunArgs {
        input: None,
        task: vec![terminal::undo::UNDO.to_owned()],
        json: false,
        events: false,
        session_named: None,
        session_id: Some(session_id),
        session: flags,
    })
    .await
}

/// Prints what a file held before the last change to it, for who changed it by hand since.
async fn print_before(flags: &SessionFlags, session: Option<&str>) -> Result<Exit> {
    let setting = Setting::read(flags)?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let session_id = match session {
        Some(part) => {
            let found = sessions::find(sessions, part, &setting.workspace).await?;
            found.session_id
        }
        None => newest_changed(sessions, &setting).await?.0.session_id,
    };
    let history = setting.paths.undo().join(session_id.to_string());
    let before = tools::before_last_change(&history);
    let before = before.map_err(|failure| anyhow::anyhow!(failure.message))?;
    let Some((path, bytes)) = before else {
        return Err(Failure::usage(
            "the last change replaced and deleted no file, so there is no text before it",
            "`carl undo` takes it back; `carl undo ID --print` looks at another session.",
        )
        .into());
    };
    print_error(&format!(
        "{} as it was:\n",
        visible(&path.to_string_lossy())
    ))?;
    let mut stdout = std::io::stdout();
    if stdout.is_terminal() {
        // What is in a file must not control the terminal.
        print(&visible(&String::from_utf8_lossy(&bytes)))?;
    } else {
        stdout.write_all(&bytes).and_then(|()| stdout.flush())?;
    }
    Ok(Exit::Success)
}

/// The session to undo in, and how to continue it. What the session was allowed to write, it may
/// restore: the user opened it then and asks for it now.
///
/// # Errors
/// When there is no such session, or none that has something to take back.
pub async fn target(
    mut flags: SessionFlags,
    session: Option<&str>,
) -> Result<(SessionId, SessionFlags)> {
    let setting = Setting::read(&flags)?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let (chosen, events) = match session {
        Some(part) => {
            let found = sessions::find(sessions, part, &setting.workspace).await?;
            let events = sessions::events_of(sessions, found.session_id, Follow::Outline).await?;
            (found, events)
        }
        None => newest_changed(sessions, &setting).await?,
    };
    flags.mode = Some(ModeArg::Deterministic);
    flags.ceiling.workspace = Some(chosen.workspace.clone());
    flags.ceiling.allow_write.extend(opened(&events));
    flags.ceiling.allow_write.push(chosen.workspace.clone());
    Ok((chosen.session_id, flags))
}

/// The newest session of this folder whose undo history holds a change.
async fn newest_changed(
    sessions: &dyn Sessions,
    setting: &Setting,
) -> Result<(SessionSummary, Vec<Event>)> {
    let histories = setting.paths.undo();
    let has_changes = |id: SessionId| tools::open_changes(&histories.join(id.to_string())) > 0;
    let known = sessions.list(Selection::All).await.or_fail()?;
    let newest = known
        .into_iter()
        .find(|one| one.workspace == setting.workspace && has_changes(one.session_id));
    let Some(summary) = newest else {
        return Err(Failure::usage(
            format!(
                "no session of the folder {} has a change to take back",
                setting.workspace.display()
            ),
            "`carl session list` shows all sessions; `carl undo ID` names one.",
        )
        .into());
    };
    let events = sessions::events_of(sessions, summary.session_id, Follow::Outline).await?;
    Ok((summary, events))
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
