//! `carl session`: look at, continue, compact, fork and export.

use super::chat::slash::Depth;
use super::{Setting, chat};
use crate::cli::{ExportForm, SessionCommand};
use crate::wiring::House;
use anyhow::{Context, Result};
use api::Streaming;
use api::sessions::{Error, ErrorKind, Follow, Selection, SessionSummary, Sessions, Whose};
use domain::event::{Event, EventBody};
use domain::id::{AgentId, HolderId, SessionId};
use domain::settings::SessionProfile;
use futures::TryStreamExt;
use serde::Serialize;
use session::SessionView;
use std::path::{Path, PathBuf};
use terminal::exit::{Exit, Failure, OrFail, not_opened};
use terminal::render::messages::{end_of_exchange, spoken};
use terminal::render::transcript::{self, Extent};
use terminal::render::{print, table};
use text::escape::visible;

/// Does what was typed.
///
/// # Errors
/// When the session is not found or cannot be read.
pub async fn session(command: SessionCommand) -> Result<Exit> {
    match command {
        SessionCommand::List { json, limit } => list(json, limit).await,
        SessionCommand::Show {
            session,
            events,
            agent,
        } => show(&session, events, agent.as_deref()).await,
        SessionCommand::Context {
            session,
            agent,
            full,
            json,
        } => {
            let form = match (json, full) {
                (true, _) => Form::Json,
                (false, true) => Form::Shown(Depth::Full),
                (false, false) => Form::Shown(Depth::Shares),
            };
            context(&session, agent.as_deref(), form).await
        }
        SessionCommand::Compact { session } => compact(&session).await,
        SessionCommand::Resume { session, flags } => {
            let session = session.unwrap_or_else(|| LAST.to_owned());
            chat::chat(*flags, chat::Begin::Resume(session)).await
        }
        SessionCommand::Fork { session, at } => fork(&session, at).await,
        SessionCommand::Export {
            session,
            format,
            out,
        } => export(&session, format, out.as_deref()).await,
    }
}

/// What names the newest session of the folder.
pub const LAST: &str = "last";

/// The session whose id begins or ends with `part`; for [`LAST`], the newest of the folder. The
/// end tells better: ids of one hour begin alike.
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
    if part == LAST {
        let known = sessions.list(Selection::All).await.or_fail()?;
        let mut known = known.into_iter();
        let newest = known.find(|session| session.workspace == workspace);
        return newest.ok_or_else(|| {
            Failure::usage(
                format!("there is no session of the folder {}", workspace.display()),
                "`carl session list` shows all; name one by its id.",
            )
            .into()
        });
    }
    let fitting = sessions.list(Selection::Id(part.to_owned())).await;
    let mut fitting = fitting.or_fail()?.into_iter();
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::usage(
            format!("no session's id begins or ends with `{part}`"),
            "`carl session list` shows them.",
        )
        .into()),
        (Some(_), Some(_)) => Err(Failure::usage(
            format!("several sessions' ids begin or end with `{part}`"),
            "Give a few more characters, best from the end of the id.",
        )
        .into()),
    }
}

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

async fn reading() -> Result<(Setting, House)> {
    let setting = Setting::plain()?;
    let house = House::look(&setting).await?;
    Ok((setting, house))
}

async fn found(setting: &Setting, house: &House, part: &str) -> Result<SessionId> {
    let found = find(house.sessions.as_ref(), part, &setting.workspace).await?;
    Ok(found.session_id)
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
    let stream = sessions.attach(id, 1, follow).await.or_fail()?;
    stream.try_collect::<Vec<Event>>().await.or_fail()
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
    let Ok(events) = events_of(sessions, id, Follow::Outline).await else {
        // A damaged log can be forked before the damage; the service reads no further.
        return Ok(message);
    };
    if !spoken(&events).iter().any(|said| said.seq == message) {
        return Err(Failure::usage(
            format!("#{message} is no number of a message of this session that still counts"),
            "`carl session show`, and /pin in a chat, print the number of each message.",
        )
        .into());
    }
    Ok(end_of_exchange(&events, message))
}

/// One line of `carl session list --json`.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    session_id: SessionId,
    title: &'a str,
    workspace: &'a Path,
    created: domain::Timestamp,
    updated: domain::Timestamp,
    events: u64,
}

async fn list(as_json: bool, limit: usize) -> Result<Exit> {
    let (_, house) = reading().await?;
    let mut known = house.sessions.list(Selection::All).await.or_fail()?;
    known.truncate(limit);
    if as_json {
        let rows: Vec<Listed<'_>> = known.iter().map(listed).collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
        return Ok(Exit::Success);
    }
    if known.is_empty() {
        print("There are no sessions yet. Start one with `carl` or `carl run \"…\"`.\n")?;
        return Ok(Exit::Success);
    }
    let rows: Vec<Vec<String>> = known
        .iter()
        .map(|session| {
            vec![
                session.session_id.to_string(),
                session.updated.strftime("%Y-%m-%d %H:%M").to_string(),
                session.workspace.display().to_string(),
                visible(&session.title).replace('\n', " "),
            ]
        })
        .collect();
    print(&table(&rows))?;
    Ok(Exit::Success)
}

fn listed(session: &SessionSummary) -> Listed<'_> {
    Listed {
        session_id: session.session_id,
        title: &session.title,
        workspace: &session.workspace,
        created: session.created,
        updated: session.updated,
        events: session.last_seq,
    }
}

async fn show(part: &str, as_events: bool, agent: Option<&str>) -> Result<Exit> {
    let (setting, house) = reading().await?;
    let id = found(&setting, &house, part).await?;
    let follow = match as_events {
        true => Follow::ToEnd,
        false => Follow::Outline,
    };
    let events = events_of(house.sessions.as_ref(), id, follow).await?;
    let text = match (as_events, agent) {
        (true, _) => lines(&events)?,
        (false, None) => transcript::markdown(&events, Extent::Overview),
        (false, Some(agent)) => {
            let agent = agent_of(&events, agent)?;
            transcript::of_agent(&events, agent).unwrap_or_default()
        }
    };
    print(&text)?;
    Ok(Exit::Success)
}

/// The sub-agent whose id begins or ends so.
fn agent_of(events: &[Event], part: &str) -> Result<AgentId> {
    let wanted = part.trim_start_matches('…');
    let view = SessionView::of(events);
    let mut fitting = view.agents().iter().map(|agent| agent.id).filter(|id| {
        let id = id.to_string();
        id.starts_with(wanted) || id.ends_with(wanted)
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

/// How a context is printed.
enum Form {
    Json,
    Shown(Depth),
}

async fn context(part: &str, agent: Option<&str>, form: Form) -> Result<Exit> {
    let setting = Setting::plain()?;
    let house = House::watch(&setting).await?;
    let id = found(&setting, &house, part).await?;
    let whose = match agent {
        None => Whose::Root,
        Some(agent) => {
            let events = events_of(house.sessions.as_ref(), id, Follow::Outline).await?;
            Whose::Agent(agent_of(&events, agent)?)
        }
    };
    let view = house.sessions.context(id, whose).await.or_fail()?;
    match form {
        Form::Json => print(&format!("{}\n", serde_json::to_string_pretty(&view)?))?,
        Form::Shown(depth) => chat::print_context(&view, depth)?,
    }
    Ok(Exit::Success)
}

async fn compact(part: &str) -> Result<Exit> {
    let setting = Setting::plain()?;
    let house = House::open_for_upkeep(&setting).await?;
    let compacted = compact_in(&setting, &house, part).await;
    let told = house.close(compacted).await?;
    print(&told)?;
    Ok(Exit::Success)
}

/// Compacts a session and says how.
async fn compact_in(setting: &Setting, house: &House, part: &str) -> Result<String> {
    let id = found(setting, house, part).await?;
    let done = house.sessions.compact(id).await;
    match done {
        // As small as it gets is no failure.
        Err(error) if error.kind == ErrorKind::NothingToDo => return Ok(error.detail + "\n"),
        done => done.or_fail()?,
    }
    let events = events_of(house.sessions.as_ref(), id, Follow::Outline).await?;
    let last = events.iter().rev().find_map(|event| match &event.body {
        EventBody::ContextCompacted {
            before_tokens,
            after_tokens,
            ..
        } => Some(format!("{before_tokens} → {after_tokens} tokens\n")),
        _ => None,
    });
    Ok(last.unwrap_or_default())
}

/// Every event as one JSON array.
///
/// # Errors
/// When an event has no JSON form.
pub fn as_json(events: &[Event]) -> Result<String> {
    let text = serde_json::to_string_pretty(events).context("an event cannot be written")?;
    Ok(text + "\n")
}

fn lines(events: &[Event]) -> Result<String> {
    let mut out = String::new();
    for event in events {
        out.push_str(&serde_json::to_string(event).context("an event cannot be written")?);
        out.push('\n');
    }
    Ok(out)
}

async fn fork(part: &str, at: u64) -> Result<Exit> {
    let setting = Setting::plain()?;
    let house = House::open_for_upkeep(&setting).await?;
    let forked = async {
        let id = found(&setting, &house, part).await?;
        let at = fork_point(house.sessions.as_ref(), id, at).await?;
        house.sessions.fork(id, at).await.or_fail()
    };
    let forked = forked.await;
    let forked = house.close(forked).await?;
    print(&format!("{}\n", forked.session_id))?;
    Ok(Exit::Success)
}

async fn export(part: &str, form: ExportForm, out: Option<&Path>) -> Result<Exit> {
    let (setting, house) = reading().await?;
    let id = found(&setting, &house, part).await?;
    let follow = match form {
        ExportForm::Markdown => Follow::Outline,
        ExportForm::Json => Follow::ToEnd,
    };
    let events = events_of(house.sessions.as_ref(), id, follow).await?;
    let text = match form {
        ExportForm::Markdown => transcript::markdown(&events, Extent::Whole),
        ExportForm::Json => as_json(&events)?,
    };
    match out {
        Some(file) => chat::write_new(file, &text, "--out NAME")?,
        None => print(&text)?,
    }
    Ok(Exit::Success)
}
