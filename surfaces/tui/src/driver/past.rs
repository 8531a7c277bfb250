//! What a session was before this window: read once, and told in a few lines.

use super::before::{ByRequest, Parts, answer, by_request, course, note, shown};
use crate::drafts::{Draft, joined};
use crate::keys::Action;
use crate::lines::{own, painted};
use crate::sent;
use crate::state::State;
use api::sessions::{Error, Follow, SessionSummary, Sessions};
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use futures::StreamExt;
use ratatui::text::Line;
use rendering::{Paint, override_warning};
use session::{Exchange, SessionView};
use std::path::Path;
use text::escape::visible_line;

/// Most of a part of an answer that is shown, bytes.
const PART_BYTES: usize = 1 << 20;

/// Most answers without an end of which what had come is read.
const PARTS: usize = 16;

/// The past of a session.
#[derive(Debug)]
pub struct Past {
    /// The events that are not shown as they happened.
    pub before: Vec<Event>,
    /// The first that is: of the oldest request that is still open, or the next to come.
    pub from_seq: u64,
    /// The last request of the user's that came in before that one and has ended.
    last: Option<Exchange>,
    /// Whether it ended with the process that worked on it.
    is_cut_off: bool,
    /// What had come of answers that have no end: of the newest that have none.
    pub parts: Parts,
    /// What waited behind it and was never begun, oldest first.
    not_begun: Vec<String>,
    /// Those of it that the process took along that was to work on them.
    lost: Vec<String>,
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
    // How a request ended whose process was killed is told with what had come of it.
    let standing = view.exchanges().standing().iter();
    let of_user = standing.filter(|one| one.origin == Origin::User && !one.is_undo);
    let cut_off = of_user
        .clone()
        .filter(|one| view.as_cut_off(one.query_id).is_some());
    let closed = cut_off
        .filter_map(|one| one.finished_seq)
        .max()
        .unwrap_or(0);
    let next = session.last_seq.max(closed) + 1;
    let from_seq = open.map_or(next, |seq| seq.min(next));
    before.retain(|event| event.seq < from_seq);
    let ended = of_user.filter(|one| one.finished_seq.is_some_and(|seq| seq < from_seq));
    let last = ended.clone().rfind(|one| one.has_begun);
    let later = ended
        .clone()
        .filter(|one| last.is_none_or(|last| one.received_seq > last.received_seq));
    let later: Vec<&Exchange> = later.collect();
    let text = |one: &&Exchange| one.text.clone();
    let not_begun = later.iter().map(text).collect();
    let was_lost = |one: &&&Exchange| view.as_cut_off(one.query_id).is_some();
    let lost = later.iter().filter(was_lost).map(text).collect();
    let requests = by_request(&before);
    let has_answer = |one: &&Exchange| {
        let own = requests.get(&one.query_id);
        own.is_some_and(|own| answer(own).is_some())
    };
    let begun = ended.filter(|one| one.has_begun);
    let unanswered = begun.rev().filter(|one| !has_answer(one));
    let mut parts = Parts::new();
    for one in unanswered.take(PARTS) {
        if let Some(part) = part_of(sessions, session.session_id, one).await? {
            parts.insert(one.query_id, part);
        }
    }
    Ok(Past {
        before,
        from_seq,
        is_cut_off: last.is_some_and(|last| view.as_cut_off(last.query_id).is_some()),
        last: last.cloned(),
        parts,
        not_begun,
        lost,
    })
}

impl Past {
    /// The last message, where its first lines alone are shown.
    pub fn last_message(&self) -> Option<String> {
        let text = self.last.as_ref().map(|last| last.text.clone());
        text.filter(|text| sent::is_long(text))
    }
}

/// What the pieces of an answer come to that has no end.
async fn part_of(
    sessions: &dyn Sessions,
    id: SessionId,
    last: &Exchange,
) -> Result<Option<String>, Error> {
    let end = last.finished_seq.unwrap_or(u64::MAX);
    let mut events = sessions
        .attach(id, last.received_seq, Follow::ToEnd)
        .await?;
    let mut view = SessionView::default();
    let (mut steps, mut step) = (Vec::new(), String::new());
    while let Some(event) = events.next().await {
        let event = event?;
        if event.seq > end {
            break;
        }
        view.apply(&event);
        if event.query_id != Some(last.query_id) || view.agents().depth(event.agent_id) > 0 {
            continue;
        }
        match event.body {
            EventBody::TextDelta { text } if step.len() < PART_BYTES => step.push_str(&text),
            EventBody::TextReplaced { text } => step = text,
            EventBody::ModelAnswered { aside: false, .. } => steps.push(std::mem::take(&mut step)),
            _ => {}
        }
    }
    steps.push(step);
    steps.retain(|step| !step.trim().is_empty());
    Ok(Some(steps.join("\n\n")).filter(|text| !text.is_empty()))
}

/// What stands in the input at first, and whether it is of a window that ended otherwise than by its
/// user. While another window has the session, what is typed there is that one's.
pub fn restored(past: &Past, draft: &mut Draft, holders: u32) -> (String, bool) {
    let left = match holders {
        0 | 1 => draft.left(),
        _ => None,
    };
    let restored = left.map_or_else(String::new, |left| joined(&past.lost, &left));
    let is_any = !restored.is_empty();
    (restored, is_any)
}

/// What stands above the first frame. `is_back`: something that was not sent is in the input again.
/// `shown_seq`: what ended up to that event stands above already.
pub fn greeting(
    state: &State,
    past: &Past,
    (is_back, shown_seq): (bool, u64),
) -> Vec<Line<'static>> {
    let (id, paint) = (state.session.session_id, Paint::Colour);
    let folder = &state.profile.settings.workspace;
    let mut told = vec![
        format!(
            "{} {} in {}, session {id}",
            paint.strong("carl"),
            state.profile.agent_type,
            visible_line(&folder.to_string_lossy())
        ),
        paint.faint(&format!(
            "{} shows the keys; {} leaves",
            state.keys.name_of(Action::Help),
            state.keys.name_of(Action::Leave)
        )),
    ];
    if state.session.holders > 1 {
        told.push(
            paint
                .faint("open in another window as well: requests of both are worked on one by one"),
        );
    }
    if state
        .profile
        .settings
        .allow_write
        .iter()
        .any(|open| open == Path::new(folder))
    {
        told.push(paint.faint("this folder is open for writing (remembered, or by --allow-write)"));
    }
    told.extend(
        override_warning(state.profile.settings.override_level).map(|text| paint.bad(&text)),
    );
    let width = usize::from(state.size.0);
    let rows = told.iter().flat_map(|line| own(&painted(line), 2, width));
    let mut shown: Vec<Line<'static>> = rows.collect();
    shown.extend(lines(state, past, shown_seq));
    if is_back {
        let text = "· what was not sent when the program ended is in the input";
        shown.extend(note(state, text));
    }
    shown
}

/// What was said before, as far as there is room for it: how many exchanges are not shown, those that
/// ended, and what waited behind them.
fn lines(state: &State, past: &Past, shown_seq: u64) -> Vec<Line<'static>> {
    let events = by_request(&past.before);
    let is_new = |one: &Exchange| one.finished_seq.is_some_and(|seq| seq > shown_seq);
    let newest = past.last.iter().filter(|last| is_new(last));
    let mut end: Vec<Line<'static>> = newest
        .flat_map(|last| exchange(state, past, (last, &events)))
        .collect();
    for text in &past.not_begun {
        end.extend(state.own(sent::folded(text, &state.keys.name_of(Action::Expand))));
        end.extend(note(state, "· not begun when the program ended"));
    }
    if past.is_cut_off {
        end.extend(note(state, "· /retry asks the last message again"));
    }
    let standing = state.view.exchanges().standing().iter();
    let last = past.last.as_ref().map(|last| last.received_seq);
    let is_earlier = |one: &&Exchange| {
        !one.is_undo && one.has_begun && Some(one.received_seq) < last && is_new(one)
    };
    let earlier: Vec<&Exchange> = standing.filter(is_earlier).collect();
    let (said, count) = shown(state, &earlier, (&events, &past.parts), &end);
    let left = match earlier.len() - count {
        0 => Vec::new(),
        1 => note(
            state,
            "· 1 earlier exchange is not shown: /inspect history has it",
        ),
        left => {
            let text =
                format!("· {left} earlier exchanges are not shown: /inspect history has them");
            note(state, &text)
        }
    };
    left.into_iter().chain(said).chain(end).collect()
}

/// The last exchange that ended.
fn exchange(
    state: &State,
    past: &Past,
    (last, events): (&Exchange, &ByRequest<'_>),
) -> Vec<Line<'static>> {
    let mut shown = state.own(sent::folded(
        &last.text,
        &state.keys.name_of(Action::Expand),
    ));
    let own = events.get(&last.query_id).map_or(&[][..], Vec::as_slice);
    let how = match past.is_cut_off {
        true => "cut off when the program ended",
        false => "ended without an answer",
    };
    let part = past.parts.get(&last.query_id).map(String::as_str);
    shown.extend(course(state, last, (own, part), how));
    shown
}
