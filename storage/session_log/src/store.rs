//! The session logs of a folder: listing them, copying one, looking something up in one. Blocking;
//! the service calls it away from the async threads.

use crate::file_error::{never_begun, unreadable};
use crate::fold::Fold;
use crate::index;
use crate::lines::{Lines, read_ends};
use crate::name;
use crate::outline::Outlines;
use crate::place;
use crate::record::{Cut, SessionLog};
use crate::said;
use crate::summary::{summarise, unopened, without_event};
use api::sessions::{Error, ErrorKind, Selection, SessionSummary};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId, SessionId};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The sessions of a selection in the folder, most recently updated first. What names one log opens it
/// alone; any other listing reads the beginning and the end of the logs that changed since the last
/// one. Each has the name that it was given, if it was.
///
/// # Errors
/// [`ErrorKind::Unreachable`] when the folder cannot be listed.
pub fn list(folder: &Path, selection: &Selection) -> Result<Vec<SessionSummary>, Error> {
    let mut summaries = by_their_logs(folder, selection)?;
    match &mut summaries[..] {
        [only] => {
            if let Some(name) = name::name_of(folder, only.session_id) {
                only.title = name;
            }
        }
        many => {
            let mut names = name::names(folder).map_err(|source| unlisted(folder, source))?;
            for summary in many {
                if let Some(name) = names.remove(&summary.session_id) {
                    summary.title = name;
                }
            }
        }
    }
    summaries.sort_by_key(|summary| Reverse((summary.updated, summary.session_id)));
    Ok(summaries)
}

fn by_their_logs(folder: &Path, selection: &Selection) -> Result<Vec<SessionSummary>, Error> {
    Ok(match selection {
        Selection::Id(part) => match part.parse::<SessionId>() {
            Ok(id) => one(folder, id).into_iter().collect(),
            Err(_part) => {
                let all = logs(folder)?;
                let named: Vec<SessionId> = all
                    .iter()
                    .map(|(id, _)| *id)
                    .filter(|id| selection.names(*id))
                    .collect();
                match named[..] {
                    [] => Vec::new(),
                    [only] => one(folder, only).into_iter().collect(),
                    _ => {
                        let mut all = index::summaries(folder, all.into_iter());
                        all.retain(|summary| named.contains(&summary.session_id));
                        all
                    }
                }
            }
        },
        Selection::Said(text) => {
            let found = said::found(logs(folder)?, text);
            found.into_iter().filter_map(|id| one(folder, id)).collect()
        }
        Selection::All | Selection::Live => index::summaries(folder, logs(folder)?.into_iter()),
    })
}

fn unlisted(folder: &Path, source: std::io::Error) -> Error {
    let folder = folder.display();
    let what = format!("The folder {folder} cannot be listed: {source}.");
    Error::new(ErrorKind::Unreachable, what).with_source(source)
}

/// The logs in the folder.
fn logs(folder: &Path) -> Result<Vec<(SessionId, PathBuf)>, Error> {
    let unreadable = |source| unlisted(folder, source);
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let id = stem.and_then(|stem| stem.parse::<SessionId>().ok());
        let extension = path.extension().and_then(|extension| extension.to_str());
        if let (Some(id), Some(place::LOG)) = (id, extension) {
            logs.push((id, path));
        }
    }
    Ok(logs)
}

fn one(folder: &Path, session_id: SessionId) -> Option<SessionSummary> {
    let path = place::path_of(folder, session_id);
    match read_ends(&path) {
        Ok(Some(ends)) => summarise(session_id, ends),
        Ok(None) => without_event(session_id, &path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "session log cannot be read");
            unopened(session_id, &path, &error)
        }
    }
}

/// What a log comes to, and its last event. The pieces of answers are read only where an answer was
/// cut off: otherwise what they came to stands in the log as well.
///
/// # Errors
/// As [`Lines::open`] and [`Lines::next_event`].
pub fn folded<F: Fold>(path: &Path, outlines: &Outlines) -> Result<(F, Option<Event>), Error> {
    let fold = |mut lines: Lines| {
        let (mut history, mut last) = (F::default(), None);
        while let Some(event) = lines.next_event()? {
            history.apply(&event);
            last = Some(event);
        }
        Ok((history, last))
    };
    let (history, last) = fold(Lines::open(path)?.in_outline(outlines))?;
    match history.endings().is_empty() {
        true => Ok((history, last)),
        false => fold(Lines::open(path)?),
    }
}

/// The log of an earlier session, ready to be continued, with what it comes to and when it began.
///
/// # Errors
/// [`ErrorKind::NotFound`], [`ErrorKind::Locked`] while another process writes it,
/// [`ErrorKind::Corrupt`], [`ErrorKind::Unwritable`] when a torn last line cannot be cut off.
pub fn reopened<F: Fold>(
    folder: &Path,
    session_id: SessionId,
    outlines: &Outlines,
) -> Result<Earlier<F>, Error> {
    let mut history = F::default();
    let mut created = None;
    let reopened = SessionLog::reopen(folder, session_id, outlines, |event| {
        created.get_or_insert(event.time);
        history.apply(&event);
    })?;
    if !history.endings().is_empty() {
        history = folded(reopened.log.path(), outlines)?.0;
    }
    Ok(Earlier {
        log: reopened.log,
        cut: reopened.cut,
        history,
        created,
    })
}

/// A session as its log has it.
pub struct Earlier<F> {
    /// Ready to be continued.
    pub log: SessionLog,
    /// A torn last line that was cut off; usually none.
    pub cut: Option<Cut>,
    /// What it comes to.
    pub history: F,
    /// When the session began.
    pub created: Option<Timestamp>,
}

/// Whether a log holds a request.
///
/// # Errors
/// As [`Lines::open`] and [`Lines::next_event`].
pub fn has_query(path: &Path, query_id: QueryId, outlines: &Outlines) -> Result<bool, Error> {
    let mut lines = Lines::open(path)?.in_outline(outlines);
    while let Some(event) = lines.next_event()? {
        if event.query_id == Some(query_id) && matches!(event.body, EventBody::QueryReceived { .. })
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The event of that number, with the conversation it belongs to: the child's whose it is, `None`
/// for the one with the user.
///
/// # Errors
/// As [`Lines::open`] and [`Lines::next_event`].
pub fn event(path: &Path, seq: u64) -> Result<Option<(Event, Option<AgentId>)>, Error> {
    let mut lines = Lines::open(path)?;
    let mut children = BTreeSet::new();
    while let Some(event) = lines.next_event()? {
        if let EventBody::AgentSpawned { child, .. } = &event.body {
            children.insert(*child);
        }
        if event.seq == seq {
            let whose = event.agent_id.filter(|id| children.contains(id));
            return Ok(Some((event, whose)));
        }
    }
    Ok(None)
}

/// A copy of a session to be made.
#[derive(Debug, Clone, Copy)]
pub struct Fork {
    /// Which session.
    pub from: SessionId,
    /// Its last event that is copied; 0: all.
    pub at_seq: u64,
    /// The copy.
    pub to: SessionId,
}

/// Copies events into a log of their own. Numbers and times stay; the first event says where the copy
/// comes from. What is under way there ends in the copy, by the fold `F`: it is the other's to finish.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] when there is no such event or nothing was said up to it, and as
/// [`Lines::next_event`] and [`SessionLog::create`].
pub fn copy<F: Fold>(folder: &Path, fork: Fork, now: Timestamp) -> Result<SessionSummary, Error> {
    let Fork { from, at_seq, to } = fork;
    let path = place::path_of(folder, from);
    let mut lines = Lines::open(&path)?;
    let last_seq = match read_ends(&path) {
        Ok(Some(ends)) => ends.last.seq,
        Ok(None) => return Err(never_begun(&path)),
        Err(source) => return Err(unreadable(&path, source)),
    };
    let end = if at_seq == 0 { last_seq } else { at_seq };
    if end > last_seq || end == 0 {
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            format!("Session {from} has only {last_seq} events; it cannot be forked after {end}."),
        ));
    }
    let mut log = SessionLog::create(folder, to)?;
    let copied = copy_events::<F>(&mut lines, &mut log, (from, end), to).and_then(|copied| {
        if at_seq > 0 && !copied.holds_request {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("Nothing was said in session {from} up to event {end}."),
            )
            .with_hint("`carl session show` prints the number of each message."));
        }
        end_what_is_open(&mut log, &copied, now)?;
        log.synchronise_here()
    });
    if let Err(error) = copied {
        if let Err(error) = std::fs::remove_file(log.path()) {
            tracing::warn!(path = %log.path().display(), %error, "an unfinished copy is left over");
        }
        return Err(error);
    }
    let ends = read_ends(log.path());
    let ends = ends.map_err(|source| unreadable(log.path(), source))?;
    ends.and_then(|ends| summarise(to, ends)).ok_or_else(|| {
        Error::new(
            ErrorKind::Corrupt,
            format!("The log of session {from} does not begin with its opening."),
        )
    })
}

/// What a copy holds.
struct Copied<F> {
    holds_request: bool,
    history: F,
    last: Option<Event>,
}

fn copy_events<F: Fold>(
    lines: &mut Lines,
    log: &mut SessionLog,
    origin: (SessionId, u64),
    to: SessionId,
) -> Result<Copied<F>, Error> {
    let mut copied = Copied {
        holds_request: false,
        history: F::default(),
        last: None,
    };
    while log.last_seq() < origin.1 {
        let Some(mut event) = lines.next_event()? else {
            break;
        };
        event.session_id = to;
        copied.holds_request |= matches!(event.body, EventBody::QueryReceived { .. });
        if let EventBody::SessionOpened { forked_from, .. } = &mut event.body {
            *forked_from = Some(origin);
        }
        log.append(&event)?;
        copied.history.apply(&event);
        copied.last = Some(event);
    }
    Ok(copied)
}

fn end_what_is_open<F: Fold>(
    log: &mut SessionLog,
    copied: &Copied<F>,
    now: Timestamp,
) -> Result<(), Error> {
    let Some(last) = &copied.last else {
        return Ok(());
    };
    for (scope, body) in copied.history.endings() {
        log.append(&Event {
            seq: log.last_seq() + 1,
            time: now,
            query_id: scope.query_id,
            agent_id: scope.agent_id,
            call_id: scope.call_id,
            body,
            ..last.clone()
        })?;
    }
    Ok(())
}
