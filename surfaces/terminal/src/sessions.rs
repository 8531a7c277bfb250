//! Finding sessions by what a person types, and reading what is on record of one.

use crate::exit::{Failure, OrFail, not_opened};
use anyhow::{Context, Result};
use api::Streaming;
use api::sessions::{Error, Follow, Selection, SessionSummary, Sessions};
use domain::event::Event;
use domain::id::{AgentId, HolderId, SessionId};
use domain::settings::SessionProfile;
use futures::{StreamExt, TryStreamExt};
use rendering::messages::{end_of_exchange, spoken};
use rendering::print_error;
use rendering::transcript::pieces_from;
use session::SessionView;
use std::path::Path;
use std::pin::pin;
use std::sync::Once;
use std::time::Duration;
use text::escape::{visible_json, visible_line};

/// What names the session last used in the folder.
pub const LAST: &str = "last";

/// Sessions that are listed where a name may mean several.
const CANDIDATES: usize = 5;

/// How long a listing may take without a word.
const MUTE: Duration = Duration::from_millis(500);

/// The sessions that are chosen. Says so when it takes long, as where the index of thousands is made
/// anew.
///
/// # Errors
/// As [`Sessions::list`].
pub async fn look_through(
    sessions: &dyn Sessions,
    selection: Selection,
) -> Result<Vec<SessionSummary>> {
    let mut listing = pin!(sessions.list(selection));
    let known = match tokio::time::timeout(MUTE, listing.as_mut()).await {
        Ok(known) => known,
        Err(_elapsed) => {
            static SAID: Once = Once::new();
            let mut said = Ok(());
            SAID.call_once(|| {
                said = print_error("The sessions are looked through, which takes a moment.\n");
            });
            said?;
            listing.await
        }
    };
    known.or_fail()
}

/// The session whose id begins or ends with `part`, else the one of this name; for [`LAST`], the newest
/// of the folder. The end of an id tells better: ids of one hour begin alike.
///
/// # Errors
/// A usage failure when none or several fit.
pub async fn find(sessions: &dyn Sessions, part: &str, workspace: &Path) -> Result<SessionSummary> {
    if part.is_empty() {
        // A script's variable that was never set is no wish to go on with the newest session.
        return Err(Failure::usage(
            "the session's id is empty",
            "Give an end of an id of `carl session list`, or `last`.",
        )
        .into());
    }
    // Ids are written in small letters, and a person types them as they like.
    let wanted = part.to_ascii_lowercase();
    if wanted == LAST {
        return newest(sessions, workspace, |_| true).await;
    }
    let fitting = look_through(sessions, Selection::Id(wanted)).await?;
    let mut fitting = fitting.into_iter();
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        // A whole id names nothing else, whatever a session is called.
        (None, _) if part.parse::<SessionId>().is_ok() => Err(nobody(part).into()),
        (None, _) => named(look_through(sessions, Selection::All).await?, part),
        (Some(_), Some(_)) => Err(Failure::usage(
            format!("several sessions' ids begin or end with `{part}`"),
            "Give a few more characters, best from the end of the id.",
        )
        .into()),
    }
}

/// The newest session of a folder that is wanted; without one, the newest.
///
/// # Errors
/// A usage failure when the folder has none.
pub async fn newest(
    sessions: &dyn Sessions,
    workspace: &Path,
    is_wanted: impl Fn(&SessionSummary) -> bool,
) -> Result<SessionSummary> {
    let known = look_through(sessions, Selection::All).await?;
    let mut here = known.iter().filter(|one| one.workspace == workspace);
    let newest = here.clone().next();
    if let Some(found) = here.find(|one| is_wanted(one)).or(newest) {
        return Ok(found.clone());
    }
    // One of these may be it.
    let is_unread = known.iter().any(|one| one.workspace.as_os_str().is_empty());
    let hint = match is_unread {
        true => "`carl session list` shows all, and those that cannot be read.",
        false => "`carl session list` shows all; name one by its id.",
    };
    let folder = workspace.display();
    Err(Failure::usage(format!("there is no session of the folder {folder}"), hint).into())
}

fn nobody(part: &str) -> Failure {
    let part = visible_line(part);
    Failure::usage(
        format!("no session's id begins or ends with `{part}`, and none is called that"),
        "`carl session list` shows them.",
    )
}

/// The one session of a name, in small or capital letters. A session without a name goes by the beginning
/// of its first request, as it is listed.
fn named(known: Vec<SessionSummary>, name: &str) -> Result<SessionSummary> {
    let wanted = name.trim().to_lowercase();
    let mut fitting: Vec<SessionSummary> = known
        .into_iter()
        .filter(|one| !wanted.is_empty() && one.title.trim().to_lowercase() == wanted)
        .collect();
    let name = visible_line(name);
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(nobody(&name).into()),
        count => {
            let mut what = format!("{count} sessions are called `{name}`:");
            for one in fitting.iter().take(CANDIDATES) {
                let folder = visible_line(&one.workspace.display().to_string());
                what.push_str(&format!("\n{} in {folder}", one.session_id));
            }
            if count > CANDIDATES {
                what.push_str(&format!("\nand {} more", count - CANDIDATES));
            }
            let hint = "Name the one that is meant by the end of its id.";
            Err(Failure::usage(what, hint).into())
        }
    }
}

/// A session that was opened, and who holds it by that.
///
/// # Errors
/// When whoever serves does not say: it is of another version.
pub fn held(opened: &SessionSummary) -> Result<(SessionId, HolderId)> {
    let holder_id = opened.holder_id.ok_or_else(|| {
        Failure::usage(
            "the Housecarl that serves here does not say who holds a session",
            "It is of another version: stop it, and start it with this one.",
        )
    })?;
    Ok((opened.session_id, holder_id))
}

/// The events of a session: [`Follow::ToEnd`] for every one, [`Follow::Outline`] without the pieces of
/// answers.
///
/// # Errors
/// When its log cannot be read.
pub async fn events_of(
    sessions: &dyn Sessions,
    id: SessionId,
    follow: Follow,
) -> Result<Vec<Event>> {
    readable(sessions, id, follow).await?.whole()
}

/// The events of a session as far as its log can be read.
pub struct Readable {
    /// The events.
    pub events: Vec<Event>,
    /// Why there are no more; `None`: these are all.
    pub damage: Option<anyhow::Error>,
}

impl Readable {
    /// All of them.
    ///
    /// # Errors
    /// When the log cannot be read to its end.
    pub fn whole(self) -> Result<Vec<Event>> {
        match self.damage {
            None => Ok(self.events),
            Some(damage) => Err(damage),
        }
    }

    async fn take(&mut self, mut stream: Streaming<Event, Error>) {
        while let Some(next) = stream.next().await {
            match next.or_fail() {
                Ok(event) => self.events.push(event),
                Err(damage) => self.damage = Some(damage),
            }
        }
    }
}

/// The events of a session up to where its log is damaged, if it is; `follow` as for [`events_of`].
///
/// # Errors
/// When nothing of its log can be read.
pub async fn readable(sessions: &dyn Sessions, id: SessionId, follow: Follow) -> Result<Readable> {
    let mut found = Readable {
        events: Vec::new(),
        damage: None,
    };
    found
        .take(sessions.attach(id, 1, follow).await.or_fail()?)
        .await;
    match found.damage {
        Some(damage) if found.events.is_empty() => Err(damage),
        _ => Ok(found),
    }
}

/// The events of a session that a document of it is made of: its outline, and the pieces of answers
/// from the first model call on that has no end on record.
///
/// # Errors
/// When its log cannot be read.
pub async fn events_of_document(sessions: &dyn Sessions, id: SessionId) -> Result<Vec<Event>> {
    readable_document(sessions, id).await?.whole()
}

/// The same up to where the log is damaged, if it is.
///
/// # Errors
/// When nothing of its log can be read.
pub async fn readable_document(sessions: &dyn Sessions, id: SessionId) -> Result<Readable> {
    let mut found = readable(sessions, id, Follow::Outline).await?;
    if let Some(first) = pieces_from(&found.events) {
        found.events.retain(|event| event.seq < first);
        found.damage = None;
        let rest = sessions.attach(id, first, Follow::ToEnd).await.or_fail()?;
        found.take(rest).await;
    }
    Ok(found)
}

/// What a session has come to by now.
///
/// # Errors
/// When its log cannot be read.
pub async fn view_of(sessions: &dyn Sessions, id: SessionId) -> Result<SessionView> {
    let events = sessions.attach(id, 1, Follow::Outline).await.or_fail()?;
    folded(events).await
}

async fn folded(mut events: Streaming<Event, Error>) -> Result<SessionView> {
    let mut view = SessionView::default();
    while let Some(event) = events.try_next().await.or_fail()? {
        view.apply(&event);
    }
    Ok(view)
}

/// How a session was held last.
///
/// # Errors
/// When its log cannot be read.
pub async fn own_profile(sessions: &dyn Sessions, id: SessionId) -> Result<SessionProfile> {
    let opening = sessions.attach(id, 1, Follow::Outline).await;
    let view = folded(opening.map_err(|error| not_opened(&error))?).await?;
    let own = view.profile().cloned();
    own.with_context(|| format!("the log of session {id} does not begin with its opening"))
}

/// The event to fork a session at so that the exchange of this message is whole; 0 is all of it.
///
/// # Errors
/// A usage failure when no message that counts has the number.
pub async fn fork_point(sessions: &dyn Sessions, id: SessionId, message: u64) -> Result<u64> {
    if message == 0 {
        return Ok(0);
    }
    let found = readable(sessions, id, Follow::Outline).await?;
    let said: Vec<u64> = spoken(&found.events).iter().map(|one| one.seq).collect();
    if found.damage.is_some() {
        // It can be forked at any event before the damage.
        let events = readable(sessions, id, Follow::ToEnd).await?.events;
        let is_there = events.last().is_some_and(|last| message <= last.seq);
        if is_there && said.iter().any(|seq| *seq <= message) {
            return Ok(message);
        }
    } else if said.contains(&message) {
        return Ok(end_of_exchange(&found.events, message));
    }
    Err(Failure::usage(
        format!("#{message} is no number of a message of this session that still counts"),
        "`carl session show`, and /pin in a chat, print the number of each message.",
    )
    .into())
}

/// Every event as one JSON array.
///
/// # Errors
/// When an event has no JSON form.
pub fn as_json(events: &[Event]) -> Result<String> {
    let text = serde_json::to_string_pretty(events).context("an event cannot be written")?;
    Ok(visible_json(&text) + "\n")
}

/// The sub-agent whose id begins or ends so.
///
/// # Errors
/// A usage failure when none or several fit.
pub fn agent_of(events: &[Event], part: &str) -> Result<AgentId> {
    let wanted = part.trim_start_matches('…').to_ascii_lowercase();
    let view = SessionView::of(events);
    let mut fitting = view.agents().iter().map(|agent| agent.id).filter(|id| {
        let id = id.to_string();
        id.starts_with(&wanted) || id.ends_with(&wanted)
    });
    let refused = |what: String| Failure::usage(what, "`carl session show ID` names its agents.");
    match (fitting.next(), fitting.next()) {
        (Some(only), None) if !wanted.is_empty() => Ok(only),
        (None, _) => {
            let what =
                format!("no sub-agent of this session has an id that begins or ends with `{part}`");
            Err(refused(what).into())
        }
        _ => {
            let what = format!("several sub-agents of this session fit `{part}`");
            Err(refused(what).into())
        }
    }
}
