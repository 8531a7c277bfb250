//! What was said before this window, exchange by exchange: each message, a line for each call, and the
//! answer.

use crate::keys::Action;
use crate::lines::{cut, faint, own};
use crate::sent;
use crate::state::State;
use crate::stream::{Stream, has_words};
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::id::{CallId, QueryId};
use ratatui::text::Line;
use rendering::Paint;
use rendering::agents::named;
use rendering::terminal::Terminal;
use rendering::values::{arguments, milliseconds};
use session::Exchange;
use std::collections::BTreeMap;
use text::escape::visible_line;

/// Most rows of what was said before this window.
const ROWS: usize = 2_000;
/// Most bytes of it.
const BYTES: usize = 256 << 10;
/// Most calls of an exchange that have a line each; the newest.
const CALLS: usize = 50;

/// The events of each request.
pub type ByRequest<'a> = BTreeMap<QueryId, Vec<&'a Event>>;

/// What had come of the answers to requests.
pub type Parts = BTreeMap<QueryId, String>;

/// The events of each request, in their order.
#[must_use]
pub fn by_request(events: &[Event]) -> ByRequest<'_> {
    let mut all: ByRequest<'_> = BTreeMap::new();
    for event in events {
        if let Some(id) = event.query_id {
            all.entry(id).or_default().push(event);
        }
    }
    all
}

/// As many of these exchanges as there is room for beside rows that are shown anyway, the newest: their
/// rows, oldest first, and how many they are.
#[must_use]
pub fn shown(
    state: &State,
    exchanges: &[&Exchange],
    (events, parts): (&ByRequest<'_>, &Parts),
    beside: &[Line<'static>],
) -> (Vec<Line<'static>>, usize) {
    let (mut rows, mut bytes) = (beside.len(), size(beside));
    let mut newest_first = Vec::new();
    for one in exchanges.iter().rev() {
        let own = events.get(&one.query_id);
        let own = own.map_or(&[][..], Vec::as_slice);
        let part = parts.get(&one.query_id).map(String::as_str);
        let lines = exchange(state, one, (own, part));
        rows += lines.len();
        bytes += size(&lines);
        if rows > ROWS || bytes > BYTES {
            break;
        }
        newest_first.push(lines);
    }
    let count = newest_first.len();
    (newest_first.into_iter().rev().flatten().collect(), count)
}

fn size(rows: &[Line<'static>]) -> usize {
    let spans = rows.iter().flat_map(|row| &row.spans);
    spans.map(|span| span.content.len()).sum()
}

/// An exchange that ended.
fn exchange(
    state: &State,
    one: &Exchange,
    (events, part): (&[&Event], Option<&str>),
) -> Vec<Line<'static>> {
    let mut rows = match one.origin {
        Origin::User => state.own(sent::folded(&one.text, &state.keys.name_of(Action::Expand))),
        Origin::Drive => note(state, "· going on by itself"),
    };
    rows.extend(course(
        state,
        one,
        (events, part),
        "ended without an answer",
    ));
    rows
}

/// What was done for a request, and its answer; `how`: how it ended without one.
#[must_use]
pub fn course(
    state: &State,
    one: &Exchange,
    (events, part): (&[&Event], Option<&str>),
    how: &str,
) -> Vec<Line<'static>> {
    let has_ended = |event: &&Event| matches!(event.body, EventBody::QueryFinished { .. });
    if one.is_command && events.iter().any(has_ended) {
        return as_it_happened(state, events.iter().copied());
    }
    let was_stopped = events.iter().any(|event| {
        matches!(
            event.body,
            EventBody::QueryFinished {
                status: QueryStatus::Interrupted,
                error: None,
                ..
            }
        )
    });
    let how = if was_stopped { "stopped" } else { how };
    let mut rows = calls(state, events);
    rows.extend(answered(state, (events, part), how));
    rows
}

/// The lines that events of a request had as they happened.
fn as_it_happened<'a>(
    state: &State,
    events: impl IntoIterator<Item = &'a Event>,
) -> Vec<Line<'static>> {
    let mut terminal = Terminal::kept(Paint::Colour, state.terminal.known().clone());
    for event in events {
        // Nothing is written, so that nothing can fail.
        let _kept = terminal.draw(event);
    }
    state.told_rows(&terminal.take_lines())
}

/// The answer among the events of a request, or what had come of it, and how it ended then.
fn answered(
    state: &State,
    (events, part): (&[&Event], Option<&str>),
    how: &str,
) -> Vec<Line<'static>> {
    let answer = answer(events);
    let mut stream = Stream::default();
    let is_of_a_model = events.iter().any(|event| has_words(&event.body));
    if is_of_a_model || answer.is_none() {
        stream.take_markdown();
    }
    let known = state.terminal.known();
    let shown = answer.or(part).map(|text| stream.document(text, known));
    let mut rows = shown.map_or_else(Vec::new, |lines| state.printed(lines));
    let is_taken = |event: &&Event| matches!(event.body, EventBody::SecondTaken { .. });
    if events.iter().any(is_taken) {
        rows.extend(note(state, "· the second answer, taken over"));
    }
    let why = outcome(state, events);
    if answer.is_some() {
        rows.extend(why);
    } else {
        let kept = match part {
            Some(_) => Some("above is what had come of its answer"),
            None if why.is_empty() => Some("nothing had come of its answer"),
            None => None,
        };
        let kept = kept.map(|kept| note(state, &format!("· {how}; {kept}")));
        rows.extend(kept.into_iter().flatten().chain(why));
    }
    rows
}

/// How a request ended that was not done whole, and why, where that was said.
fn outcome(state: &State, events: &[&Event]) -> Vec<Line<'static>> {
    let is_told = |event: &Event| {
        matches!(
            &event.body,
            EventBody::QueryFinished { status, error, .. }
                if !matches!(status, QueryStatus::Success | QueryStatus::Interrupted)
                    && (error.is_some() || answer(events).is_some())
        )
    };
    let mut terminal = Terminal::kept(Paint::Colour, state.terminal.known().clone());
    let mut rows = Vec::new();
    for event in events {
        // The end says it where nothing else did.
        if !matches!(event.body, EventBody::Error(_)) {
            // Nothing is written, so that nothing can fail.
            let _kept = terminal.draw(event);
        }
        let told = terminal.take_lines();
        if is_told(event) {
            rows.extend(state.told_rows(&told));
        }
    }
    rows
}

/// The answer to a request, if it has one: a second one that was taken over in the place of the first. One that
/// was stopped has come to nothing, whatever had come of it.
#[must_use]
pub fn answer<'a>(events: &[&'a Event]) -> Option<&'a str> {
    let mut newest_first = events.iter().rev();
    newest_first.find_map(|event| match &event.body {
        EventBody::GenerationFinished { answer, .. } | EventBody::SecondTaken { answer } => {
            Some(answer.as_str()).filter(|answer| !answer.trim().is_empty())
        }
        _ => None,
    })
}

/// The calls of a request, a row each.
fn calls(state: &State, events: &[&Event]) -> Vec<Line<'static>> {
    let mut all: Vec<(Option<CallId>, String, String)> = Vec::new();
    for event in events {
        match &event.body {
            EventBody::ToolRequested {
                tool,
                arguments: given,
                ..
            } => {
                let whose = named(state.view.agents(), event.agent_id);
                let whose = whose.map_or_else(String::new, |whose| format!(" ({whose})"));
                let text = format!("→ {}{whose} {}", visible_line(tool), arguments(given));
                all.push((event.call_id, text, "cut off".to_owned()));
            }
            EventBody::ToolResult {
                status,
                duration_ms,
                ..
            } => {
                let mut calls = all.iter_mut().rev();
                if let Some(call) = calls.find(|(id, ..)| *id == event.call_id) {
                    call.2 = match (status, duration_ms) {
                        (CallStatus::Cancelled, 1..) => {
                            format!("stopped after {}", milliseconds(*duration_ms))
                        }
                        _ => word(*status).to_owned(),
                    };
                }
            }
            _ => {}
        }
    }
    let left_out = all.len().saturating_sub(CALLS);
    let more = (left_out > 0).then(|| format!("· {left_out} calls before: /inspect calls"));
    let rows = more.into_iter().flat_map(|text| note(state, &text));
    let width = usize::from(state.size.0);
    let shown = all.iter().skip(left_out).flat_map(|(_, text, end)| {
        // How it ended stays in sight.
        let room = width.saturating_sub(end.len() + 6).max(1);
        let text = format!("{}: {end}", cut(text.trim_end(), room));
        own(&Line::styled(text, faint()), 2, width)
    });
    rows.chain(shown).collect()
}

const fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "done",
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "stopped",
    }
}

/// A faint line of ours.
#[must_use]
pub fn note(state: &State, text: &str) -> Vec<Line<'static>> {
    let line = Line::styled(text.to_owned(), faint());
    own(&line, 2, usize::from(state.size.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Seat;
    use domain::event::QueryStatus;

    /// What is shown of exchanges with this message.
    fn told(count: u128, message: &str) -> (Vec<Line<'static>>, usize) {
        let mut seat = Seat::at((80, 24));
        for number in 0..count {
            seat.asks(1_000 + number, message);
            seat.ends(1_000 + number, QueryStatus::Success);
        }
        let all: Vec<&Exchange> = seat.state.view.exchanges().standing().iter().collect();
        shown(&seat.state, &all, (&BTreeMap::new(), &Parts::new()), &[])
    }

    #[test]
    fn what_was_said_before_has_at_most_so_many_rows_and_bytes() {
        // Of each the message between empty rows, and what is said of its end.
        let (rows, count) = told(1_003, "go");
        assert_eq!((rows.len(), count), (ROWS, ROWS / 4));
        // Ten rows to a message, and letters of four bytes.
        let long = "𝄞𝄞𝄞𝄞𝄞𝄞𝄞 ".repeat(90);
        let (rows, count) = told(400, &long);
        let bytes = size(&rows);
        assert!(bytes <= BYTES && bytes > BYTES - 4_000, "{bytes}");
        assert!(count > 50 && rows.len() < ROWS, "{count}");
    }
}
