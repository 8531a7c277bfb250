//! A session in a listing, from the two ends of its log.

use crate::lines::Ends;
use api::sessions::SessionSummary;
use domain::Timestamp;
use domain::event::EventBody;
use domain::id::SessionId;
use std::path::{Path, PathBuf};

/// Longest title taken from a request, characters.
const TITLE_CHARACTERS: usize = 60;

/// What is listed in place of the title of a session whose log does not begin with its opening. What
/// folder it works in is not known then.
const DAMAGED: &str = "(damaged at its beginning: `carl session show` with this id says where)";

/// What is listed in place of the title of a session whose log was emptied, or cut within its first
/// line.
const EMPTY: &str = "(nothing of it can be read: `carl session show` with this id says more)";

/// What a listing says of a log that cannot be opened: the session is there all the same.
pub(crate) fn unopened(
    session_id: SessionId,
    path: &Path,
    error: &std::io::Error,
) -> Option<SessionSummary> {
    by_its_file(session_id, path, format!("(cannot be read: {error})"))
}

/// What a listing says of a log without a whole event.
pub(crate) fn without_event(session_id: SessionId, path: &Path) -> Option<SessionSummary> {
    by_its_file(session_id, path, EMPTY.to_owned())
}

/// A session of which the log says nothing: its folder is not known, and its time is the file's.
fn by_its_file(session_id: SessionId, path: &Path, title: String) -> Option<SessionSummary> {
    let changed = path.metadata().ok()?.modified().ok()?;
    let changed = Timestamp::try_from(changed).ok()?;
    Some(SessionSummary {
        session_id,
        title,
        workspace: PathBuf::new(),
        created: changed,
        updated: changed,
        last_seq: 0,
        live: false,
        holder_id: None,
        holders: 0,
        forked_from: None,
    })
}

/// What a listing says of a log; `None` for one without a whole event.
pub(crate) fn summarise(session_id: SessionId, ends: Ends) -> Option<SessionSummary> {
    let opened = ends.head.first()?;
    let summary = SessionSummary {
        session_id,
        title: DAMAGED.to_owned(),
        workspace: PathBuf::new(),
        created: opened.time,
        updated: ends.last.time,
        last_seq: ends.last.seq,
        live: false,
        holder_id: None,
        holders: 0,
        forked_from: None,
    };
    let EventBody::SessionOpened {
        profile,
        forked_from,
    } = &opened.body
    else {
        return Some(summary);
    };
    let first_request = ends.head.iter().find_map(|event| match &event.body {
        EventBody::QueryReceived { text, .. } => Some(title_of(text)),
        _ => None,
    });
    Some(SessionSummary {
        title: if profile.name.is_empty() {
            first_request.unwrap_or_default()
        } else {
            profile.name.clone()
        },
        workspace: profile.settings.workspace.clone(),
        forked_from: *forked_from,
        ..summary
    })
}

/// The beginning of a request, on one line.
pub fn title_of(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut title: String = line.chars().take(TITLE_CHARACTERS).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    title
}
