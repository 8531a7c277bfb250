//! The session whose last change is taken back.

use super::Setting;
use crate::cli::{ModeArg, SessionFlags};
use crate::wiring::House;
use anyhow::Result;
use api::sessions::{Follow, Selection, SessionSummary, Sessions};
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use std::collections::BTreeSet;
use std::path::PathBuf;
use terminal::exit::{Failure, OrFail};
use terminal::sessions;

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

/// The session of this folder whose undo history holds the newest change.
///
/// # Errors
/// A usage failure when there is none.
pub async fn newest_changed(
    sessions: &dyn Sessions,
    setting: &Setting,
) -> Result<(SessionSummary, Vec<Event>)> {
    let histories = setting.paths.undo();
    let changed = |id: SessionId| files::last_changed(&histories.join(id.to_string()));
    let known = sessions.list(Selection::All).await.or_fail()?;
    let here = known
        .into_iter()
        .filter(|one| one.workspace == setting.workspace);
    // Who talked last need not have changed anything since.
    let changed = here.filter_map(|one| Some((changed(one.session_id)?, one)));
    let newest = changed.max_by_key(|(time, _)| *time);
    let Some((_, summary)) = newest else {
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
