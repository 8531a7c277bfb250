//! `carl session`: listing, showing, compacting, forking, renaming, deleting and exporting sessions.

use crate::exit::{Failure, OrFail};
use crate::new_file::write_new;
use crate::sessions::{
    Readable, agent_of, as_json, events_of, find, fork_point, look_through, readable,
    readable_document,
};
use crate::yes_or_no::{is_yes, needs_somebody};
use anyhow::{Context, Result};
use api::sessions::{ErrorKind, Follow, Selection, SessionSummary, Sessions, Whose};
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use jiff::tz::TimeZone;
use rendering::context::{self, Depth};
use rendering::moments;
use rendering::transcript::{self, Extent};
use rendering::{Paint, print, print_error, table};
use serde::Serialize;
use std::ffi::OsStr;
use std::path::Path;
use text::escape::{visible, visible_json, visible_line};

/// The session that a command is about.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    /// Where sessions are.
    pub sessions: &'a dyn Sessions,
    /// The folder whose newest session `last` is.
    pub workspace: &'a Path,
    /// What was typed: the beginning or end of an id, or `last`.
    pub part: &'a str,
}

impl Chosen<'_> {
    async fn find(&self) -> Result<SessionId> {
        let found = find(self.sessions, self.part, self.workspace).await?;
        Ok(found.session_id)
    }
}

/// How sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// A table.
    Table,
    /// JSON.
    Json,
}

/// What is shown of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowForm<'a> {
    /// Every event, one JSON object a line.
    Events,
    /// A readable transcript.
    Transcript,
    /// What one sub-agent did; its id begins or ends so.
    Agent(&'a str),
}

/// How a context is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextForm {
    /// JSON.
    Json,
    /// For people.
    Shown(Depth),
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// For people.
    Markdown,
    /// The events, as an array.
    Json,
}

impl ExportForm {
    /// The form that a file's name asks for.
    pub(crate) fn of(file: &Path) -> Self {
        let is_json = |ending: &OsStr| ending.eq_ignore_ascii_case("json");
        match file.extension().is_some_and(is_json) {
            true => Self::Json,
            false => Self::Markdown,
        }
    }

    /// The endings that a file of this form may have; one without any may have either.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Markdown => &["", "md", "markdown", "txt"],
            Self::Json => &["", "json", "txt"],
        }
    }

    /// Whether a file's name says no other form than this one.
    pub(crate) fn fits(self, file: &Path) -> bool {
        let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
        self.endings().iter().any(|known| ending == *known)
    }
}

/// Refuses a file whose name says another form than it would have: a word processor opens no Markdown
/// that is called a docx.
fn refuse_other_ending(form: ExportForm, file: &Path) -> Result<(), Failure> {
    if form.fits(file) {
        return Ok(());
    }
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    let what = match form {
        ExportForm::Markdown => "Markdown",
        ExportForm::Json => "JSON",
    };
    Err(Failure::usage(
        format!(
            "the session would be written as {what}, and not as {}",
            visible_line(&ending)
        ),
        "Write Markdown with `-o NAME.md`, or the events with `-o NAME.json`.",
    ))
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

/// Prints the newest sessions, at most `limit`.
///
/// # Errors
/// When they cannot be listed or printed.
pub async fn list(sessions: &dyn Sessions, limit: usize, form: ListForm) -> Result<()> {
    let known = look_through(sessions, Selection::All).await?;
    if known.is_empty() && form == ListForm::Table {
        print("There are no sessions yet. Start one with `carl` or `carl run \"…\"`.\n")?;
        return Ok(());
    }
    print_listed(known, (limit, form), "carl session list")
}

/// Prints the newest sessions in which a message has all of these words.
///
/// # Errors
/// When they cannot be looked through or printed.
pub async fn search(
    sessions: &dyn Sessions,
    words: &str,
    (limit, form): (usize, ListForm),
) -> Result<()> {
    let found = look_through(sessions, Selection::Said(words.to_owned())).await?;
    if found.is_empty() && form == ListForm::Table {
        print(&format!(
            "No message of a session has all of this: {}\n",
            visible_line(words)
        ))?;
        return Ok(());
    }
    print_listed(found, (limit, form), "carl session search")
}

/// Prints at most so many sessions; `command` lists more.
fn print_listed(
    mut known: Vec<SessionSummary>,
    (limit, form): (usize, ListForm),
    command: &str,
) -> Result<()> {
    let left_out = known.len().saturating_sub(limit);
    known.truncate(limit);
    if form == ListForm::Json {
        let rows: Vec<Listed<'_>> = known.iter().map(listed).collect();
        print(&visible_json(&format!(
            "{}\n",
            serde_json::to_string_pretty(&rows)?
        )))?;
        return Ok(());
    }
    let zone = TimeZone::system();
    let rows: Vec<Vec<String>> = known
        .iter()
        .map(|session| {
            vec![
                session.session_id.to_string(),
                moments::minute(session.updated, &zone),
                visible_line(&session.workspace.to_string_lossy()),
                visible(&session.title).replace('\n', " "),
            ]
        })
        .collect();
    print(&table(&rows))?;
    if left_out > 0 {
        let all = left_out + limit;
        print_error(&format!(
            "{left_out} older ones are left out; `{command} --limit {all}` lists all\n"
        ))?;
    }
    Ok(())
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

/// Prints a session.
///
/// # Errors
/// When it is not found, or cannot be read or printed.
pub async fn show(chosen: Chosen<'_>, form: ShowForm<'_>) -> Result<()> {
    let id = chosen.find().await?;
    let Readable { events, damage } = match form {
        ShowForm::Events => readable(chosen.sessions, id, Follow::ToEnd).await?,
        ShowForm::Transcript | ShowForm::Agent(_) => readable_document(chosen.sessions, id).await?,
    };
    let text = match form {
        ShowForm::Events => lines(&events)?,
        ShowForm::Transcript => transcript::markdown(&events, Extent::Overview),
        ShowForm::Agent(part) => {
            let agent = agent_of(&events, part)?;
            transcript::of_agent(&events, agent).unwrap_or_default()
        }
    };
    print(&text)?;
    all_or_told(damage)
}

/// Fails with what is wrong with a log of which a part is given.
fn all_or_told(damage: Option<anyhow::Error>) -> Result<()> {
    let Some(damage) = damage else {
        return Ok(());
    };
    print_error("note: this is what stands before the damage\n")?;
    Err(damage)
}

/// Prints what a model will see next of a session, or of one of its sub-agents.
///
/// # Errors
/// When it is not found, or cannot be read or printed.
pub async fn context(chosen: Chosen<'_>, agent: Option<&str>, form: ContextForm) -> Result<()> {
    let id = chosen.find().await?;
    let whose = match agent {
        None => Whose::Root,
        Some(agent) => {
            let events = events_of(chosen.sessions, id, Follow::Outline).await?;
            Whose::Agent(agent_of(&events, agent)?)
        }
    };
    let view = chosen.sessions.context(id, whose).await.or_fail()?;
    let text = match form {
        ContextForm::Json => visible_json(&format!("{}\n", serde_json::to_string_pretty(&view)?)),
        ContextForm::Shown(depth) => {
            let paint = Paint::for_stream(&std::io::stdout());
            context::text(&view, depth, paint)
        }
    };
    print(&text)?;
    Ok(())
}

/// Compacts a session and says how.
///
/// # Errors
/// When it is not found or cannot be compacted.
pub async fn compact(chosen: Chosen<'_>) -> Result<String> {
    let id = chosen.find().await?;
    let done = chosen.sessions.compact(id).await;
    match done {
        // As small as it gets is no failure.
        Err(error) if error.kind == ErrorKind::NothingToDo => return Ok(error.detail + "\n"),
        done => done.or_fail()?,
    }
    let events = events_of(chosen.sessions, id, Follow::Outline).await?;
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

fn lines(events: &[Event]) -> Result<String> {
    let mut out = String::new();
    for event in events {
        let line = serde_json::to_string(event).context("an event cannot be written")?;
        out.push_str(&visible_json(&line));
        out.push('\n');
    }
    Ok(out)
}

/// Copies a session up to the exchange of a message, 0 for all of it; the copy is returned.
///
/// # Errors
/// When it is not found, has no such message, or cannot be copied.
pub async fn fork(chosen: Chosen<'_>, message: u64) -> Result<SessionId> {
    let id = chosen.find().await?;
    let at = fork_point(chosen.sessions, id, message).await?;
    let forked = chosen.sessions.fork(id, at).await.or_fail()?;
    Ok(forked.session_id)
}

/// Gives a session another name in the lists.
///
/// # Errors
/// When it is not found, or the name cannot be given.
pub async fn rename(chosen: Chosen<'_>, name: &str) -> Result<()> {
    let id = chosen.find().await?;
    renaming(chosen.sessions, id, name).await?;
    print(&format!("{}\n", renamed(name)))?;
    Ok(())
}

/// Gives a session another name; a bad one is told as what was typed.
pub(crate) async fn renaming(sessions: &dyn Sessions, id: SessionId, name: &str) -> Result<()> {
    match sessions.rename(id, name).await {
        Err(error) if error.kind == ErrorKind::InvalidRequest => {
            Err(Failure::usage(error.detail, error.hint).into())
        }
        done => done.or_fail(),
    }
}

/// What is said of a session with another name.
pub(crate) fn renamed(name: &str) -> String {
    match name.trim() {
        "" => "the session is listed by its first request".to_owned(),
        name => format!("the session is called {}", visible_line(name)),
    }
}

/// The session that is to be deleted, once that is meant; `None` after a no.
///
/// # Errors
/// When it is not found, or nobody is there to be asked.
pub async fn to_delete(chosen: Chosen<'_>, is_sure: bool) -> Result<Option<SessionId>> {
    let found = find(chosen.sessions, chosen.part, chosen.workspace).await?;
    // `last` names none: a script's log says which it was.
    print_error(&format!(
        "session {} of {}, last used {}\n  {}\n",
        found.session_id,
        visible_line(&found.workspace.to_string_lossy()),
        moments::minute(found.updated, &TimeZone::system()),
        visible_line(&found.title),
    ))?;
    if is_sure {
        return Ok(Some(found.session_id));
    }
    needs_somebody("deleting a session")?;
    print_error(
        "What is lost: all that was said and done in it, and the copies with which its changes of \
         files can be undone.\n\
         What stays: the files themselves, what memory keeps of it (`carl memory list`, `carl \
         memory forget`), the history of typed lines, and the audit log.\n",
    )?;
    if is_yes("It cannot be undone. Delete the session?")? {
        return Ok(Some(found.session_id));
    }
    print_error("Nothing was deleted.\n")?;
    Ok(None)
}

/// Writes a session to a new file, or prints it; without a form, in the one that the file's name asks
/// for.
///
/// # Errors
/// When it is not found or cannot be read, or the file is there, is called another form or cannot be
/// written.
pub async fn export(
    chosen: Chosen<'_>,
    form: Option<ExportForm>,
    out: Option<&Path>,
) -> Result<()> {
    let named = || out.map_or(ExportForm::Markdown, ExportForm::of);
    let form = form.unwrap_or_else(named);
    if let Some(file) = out {
        refuse_other_ending(form, file)?;
    }
    let id = chosen.find().await?;
    let Readable { events, damage } = match form {
        ExportForm::Markdown => readable_document(chosen.sessions, id).await?,
        ExportForm::Json => readable(chosen.sessions, id, Follow::ToEnd).await?,
    };
    let text = match form {
        ExportForm::Markdown => transcript::markdown(&events, Extent::Whole),
        ExportForm::Json => as_json(&events)?,
    };
    match out {
        Some(file) => write_new(file, &text, "--out NAME")?,
        None => print(&text)?,
    }
    all_or_told(damage)
}
