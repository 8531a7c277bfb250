//! The session whose last change is taken back, and those that are looked into for it.

use super::{Setting, named};
use crate::wiring::House;
use anyhow::Result;
use api::sessions::{Follow, Selection, SessionSummary, Sessions};
use command_line::{ModeArg, SessionFlags};
use domain::event::{Event, EventBody};
use domain::id::{CallId, SessionId};
use rendering::print_error;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use terminal::exit::{Exit, Failure};
use terminal::sessions;
use text::escape::{quoted_argv, visible_line};

/// What an undo takes back.
pub struct Target {
    /// Of which session.
    pub session_id: SessionId,
    /// How to continue it. What the session was allowed to write, it may restore: the user opened it
    /// then and asks for it now.
    pub flags: SessionFlags,
    /// The calls of the request that made the newest change that stands.
    pub calls: BTreeSet<CallId>,
}

/// The session to undo in, and what an undo takes back there.
///
/// # Errors
/// When there is no such session, or none that has something to take back.
pub async fn target(mut flags: SessionFlags, session: Option<&str>) -> Result<Target> {
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
    if !chosen.workspace.exists() {
        return Err(is_gone(&chosen).into());
    }
    flags.mode = Some(ModeArg::Deterministic);
    flags.ceiling.workspace = Some(named::still_there(chosen.workspace.clone())?);
    if session.is_some() && !has_change(&setting, chosen.session_id) {
        return Err(has_none(chosen.session_id).into());
    }
    flags.ceiling.allow_write.extend(opened(&events));
    flags.ceiling.allow_write.push(chosen.workspace.clone());
    let history = history_of(&setting, chosen.session_id);
    Ok(Target {
        session_id: chosen.session_id,
        flags,
        calls: calls_of_request(&events, &history),
    })
}

/// The calls of the request that made the change at the top of an undo history.
fn calls_of_request(events: &[Event], history: &Path) -> BTreeSet<CallId> {
    let steps = files::undo_steps(history).unwrap_or_default();
    let last = steps.first().and_then(|step| step.call);
    let of_last = |event: &&Event| last.is_some() && event.call_id == last;
    let request = events.iter().find(of_last).and_then(|event| event.query_id);
    let of_request = events
        .iter()
        .filter(|event| request.is_some() && event.query_id == request);
    of_request.filter_map(|event| event.call_id).collect()
}

/// What is said of a session that changed nothing, or of which all is taken back.
fn has_none(session_id: SessionId) -> Failure {
    Failure::usage(
        format!("session {session_id} has no change to take back"),
        "`carl undo` takes back the last change of this folder; `carl session list` shows all sessions.",
    )
}

/// What is said where the folder of a session was renamed or removed: its history has the old paths.
fn is_gone(session: &SessionSummary) -> Failure {
    let id = session.session_id.to_string();
    Failure::usage(
        format!(
            "the folder of this session, {}, is not there any more, and undo puts files back where they \
             were",
            visible_line(&session.workspace.to_string_lossy())
        ),
        format!(
            "Give the folder that name again, or see with `{}` what the file held before the last change.",
            quoted_argv(&["carl", "undo", &id, "--print"])
        ),
    )
}

/// The session whose undo history holds the newest change, among those of this folder, or else of the
/// nearest folder above it.
///
/// # Errors
/// A usage failure when there is none.
pub async fn newest_changed(
    sessions: &dyn Sessions,
    setting: &Setting,
) -> Result<(SessionSummary, Vec<Event>)> {
    let changed = |id| files::last_changed(&history_of(setting, id));
    let here = of_folder(sessions, setting).await?;
    let damaged = here.iter().find_map(|one| damage(setting, one.session_id));
    let here = here.into_iter();
    // Who talked last need not have changed anything since.
    let changed = here.filter_map(|one| Some((changed(one.session_id)?, one)));
    let newest = changed.max_by_key(|(time, _)| *time);
    let Some((_, summary)) = newest else {
        if let Some(damage) = damaged {
            return Err(damage.into());
        }
        let hint = match unlisted_change(sessions, setting).await? {
            Some(id) => format!(
                "Of session {id} there is one, but its log cannot be read, and with it its folder: \
                 `carl undo {id} --print` prints what the file that was changed last held before."
            ),
            None => "`carl session list` shows all sessions; `carl undo ID` names one.".to_owned(),
        };
        return Err(Failure::usage(
            format!(
                "no session of the folder {}, or of a folder above it, has a change to take back",
                setting.workspace.display()
            ),
            hint,
        )
        .into());
    };
    if let Some(damage) = damaged {
        print_error(&format!("note: {}\n", damage.fault.message))?;
    }
    if summary.workspace != setting.workspace {
        let folder = visible_line(&summary.workspace.to_string_lossy());
        print_error(&format!(
            "note: the change is of session {} of the folder {folder}\n",
            summary.session_id
        ))?;
    }
    let events = sessions::events_of(sessions, summary.session_id, Follow::Outline).await?;
    Ok((summary, events))
}

/// What is wrong with a session's undo history, if it cannot be read.
fn damage(setting: &Setting, session_id: SessionId) -> Option<Failure> {
    let history = history_of(setting, session_id);
    let failure = files::next_undone(&history).err()?;
    let place = history.display();
    let message = format!(
        "the undo history of session {session_id} in {place} cannot be used: {}",
        failure.message
    );
    let hint = match failure.rule.as_ref() {
        "no_permission" => format!(
            "Have it and what is in it belong to you: `sudo chown -R \"$USER\" {place}` and `chmod -R \
             u+rwX {place}`."
        ),
        _ => "Put that folder back from a backup, or move it away: without it the changes that it \
              tells of cannot be taken back, and everything else goes on."
            .to_owned(),
    };
    let mut failure = Failure::usage(message, hint);
    failure.exit = Exit::Failed;
    Some(failure)
}

/// The sessions whose changes are taken back here, whatever they did.
///
/// # Errors
/// When they cannot be listed.
pub async fn here(setting: &Setting) -> Result<Vec<SessionId>> {
    let house = House::look(setting).await?;
    let here = of_folder(house.sessions.as_ref(), setting).await?;
    Ok(here.into_iter().map(|one| one.session_id).collect())
}

/// The undo histories that an undo looks into: of the named session, else of every session here.
///
/// # Errors
/// When there is no such session, or they cannot be listed.
pub async fn histories(setting: &Setting, session: Option<&str>) -> Result<Vec<PathBuf>> {
    let ids = match session {
        Some(part) => {
            let house = House::look(setting).await?;
            let found = sessions::find(house.sessions.as_ref(), part, &setting.workspace).await?;
            vec![found.session_id]
        }
        None => here(setting).await?,
    };
    let histories = ids.into_iter().map(|id| history_of(setting, id));
    Ok(histories.collect())
}

/// The sessions of this folder, or where none of them has a change to take back, those of the nearest
/// folder above it where one has.
async fn of_folder(sessions: &dyn Sessions, setting: &Setting) -> Result<Vec<SessionSummary>> {
    let known = sessions::look_through(sessions, Selection::All).await?;
    for folder in setting.workspace.ancestors() {
        let here = known.iter().filter(|one| one.workspace == folder);
        let here: Vec<SessionSummary> = here.cloned().collect();
        if here.iter().any(|one| has_change(setting, one.session_id)) {
            return Ok(here);
        }
    }
    Ok(Vec::new())
}

/// A session that has a change to take back, and a log that does not say in which folder.
async fn unlisted_change(sessions: &dyn Sessions, setting: &Setting) -> Result<Option<SessionId>> {
    let known = sessions::look_through(sessions, Selection::All).await?;
    let mut unread = known
        .iter()
        .filter(|one| one.workspace.as_os_str().is_empty());
    let found = unread.find(|one| has_change(setting, one.session_id));
    Ok(found.map(|one| one.session_id))
}

/// Whether a session has a change to take back, as far as its undo history can be read.
fn has_change(setting: &Setting, session_id: SessionId) -> bool {
    let history = history_of(setting, session_id);
    files::last_changed(&history).is_some() || damage(setting, session_id).is_some()
}

/// The folder of a session's undo history.
#[must_use]
pub fn history_of(setting: &Setting, session_id: SessionId) -> PathBuf {
    setting.paths.undo().join(session_id.to_string())
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
