//! What a session was before this window: read once, and told in a few lines.

use crate::markdown::lines as document;
use crate::state::State;
use crate::update::request_lines;
use api::sessions::{Error, Follow, SessionSummary, Sessions};
use domain::event::{Event, EventBody};
use futures::StreamExt;
use ratatui::text::Line;
use rendering::links::mark;
use session::SessionView;
use text::escape::prose;
use text::links::marked;

/// The past of a session.
#[derive(Debug)]
pub struct Past {
    /// The events that are not shown as they happened.
    pub before: Vec<Event>,
    /// The first that is: of the oldest request that is still open, or the next to come.
    pub from_seq: u64,
}

/// Reads it.
///
/// # Errors
/// When the session cannot be read.
pub async fn read(sessions: &dyn Sessions, session: &SessionSummary) -> Result<Past, Error> {
    let mut events = sessions
        .attach(session.session_id, 1, Follow::Outline)
        .await?;
    let mut before = Vec::new();
    while let Some(event) = events.next().await {
        before.push(event?);
    }
    let view = SessionView::of(&before);
    let open = view.open_requests().map(|one| one.received_seq).min();
    let next = session.last_seq + 1;
    let from_seq = open.map_or(next, |seq| seq.min(next));
    before.retain(|event| event.seq < from_seq);
    Ok(Past { before, from_seq })
}

/// The last exchange that ended, and how many came before it.
pub fn lines(state: &State, past: &Past) -> Vec<Line<'static>> {
    let last = state.view.exchanges().last_of_user();
    let Some(last) = last.filter(|last| last.finished_seq.is_some()) else {
        return Vec::new();
    };
    let id = state.session.session_id;
    let earlier = state.view.exchanges().standing().len().saturating_sub(1);
    let mut shown = Vec::new();
    if earlier > 0 {
        let text = format!("· {earlier} earlier: carl session show {id}");
        shown.push(Line::styled(text, crate::lines::faint()));
    }
    shown.extend(state.printed(request_lines(&last.text)));
    let answers = past
        .before
        .iter()
        .rev()
        .filter_map(|event| match &event.body {
            EventBody::GenerationFinished { answer, .. } => Some((event.query_id, answer)),
            _ => None,
        });
    let mut own = answers.filter(|(query_id, _)| *query_id == Some(last.query_id));
    if let Some((_, answer)) = own.next() {
        let told = marked(answer, state.terminal.known(), prose, mark);
        shown.extend(state.printed(document(&told)));
    }
    shown
}
