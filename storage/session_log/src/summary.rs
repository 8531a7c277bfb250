//! A session in a listing, from the two ends of its log.

use crate::lines::Ends;
use api::sessions::SessionSummary;
use domain::event::EventBody;
use domain::id::SessionId;

/// Longest title taken from a request, characters.
const TITLE_CHARACTERS: usize = 60;

/// What a listing says of a log; `None` where it does not begin with the opening of a session.
pub(crate) fn summarise(session_id: SessionId, ends: Ends) -> Option<SessionSummary> {
    let opened = ends.head.first()?;
    let EventBody::SessionOpened { profile, .. } = &opened.body else {
        return None;
    };
    let first_request = ends.head.iter().find_map(|event| match &event.body {
        EventBody::QueryReceived { text, .. } => Some(title_of(text)),
        _ => None,
    });
    Some(SessionSummary {
        session_id,
        title: if profile.name.is_empty() {
            first_request.unwrap_or_default()
        } else {
            profile.name.clone()
        },
        workspace: profile.settings.workspace.clone(),
        created: opened.time,
        updated: ends.last.time,
        last_seq: ends.last.seq,
        live: false,
        holder_id: None,
        holders: 0,
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
