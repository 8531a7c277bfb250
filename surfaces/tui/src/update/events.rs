//! What an event of the session comes to.

use super::answering;
use crate::keys::Action;
use crate::markdown::{Break, DocumentLine};
use crate::message::Command;
use crate::sent;
use crate::state::State;
use crate::stream::has_words;
use api::programs::is_still_running;
use domain::drive::Origin;
use domain::event::{ConfirmationAnswer, Event, EventBody, QueryStatus};
use domain::id::{ConfirmationId, QueryId};
use ratatui::text::Line;
use rendering::agents::{gist, named};
use rendering::confirm;
use rendering::{Paint, quality};
use std::collections::VecDeque;

/// Most bytes of a result that are kept for who wants to see it whole.
const RESULT_BYTES: usize = 64 << 10;

/// Takes an event into the state, and shows it.
pub(super) fn happened(state: &mut State, event: &Event) -> Vec<Command> {
    if let EventBody::PromptRead(progress) = &event.body {
        state.reading = Some(*progress).filter(|it| it.read_tokens < it.total_tokens);
        return Vec::new();
    }
    let open: Vec<ConfirmationId> = ids(state);
    state.view.apply(event);
    if let Some(change) = state.in_force.note(event) {
        return vec![state.note(&change)];
    }
    let mut done = Vec::new();
    if is_of_waiting(state, event) {
        return of_waiting(state, event);
    }
    if !matches!(event.body, EventBody::QueryReceived { .. }) {
        in_panes(state, event);
    }
    match &event.body {
        EventBody::QueryReceived { .. } => {
            state.waiting.push_back(event.clone());
            done.extend(begin_next(state));
        }
        EventBody::TextDelta { .. }
        | EventBody::ThinkingDelta { .. }
        | EventBody::TextReplaced { .. } => {
            done.extend(streamed(state, event));
        }
        EventBody::GenerationFinished { answer, .. } => {
            if !state.stream.has_said(answer) {
                let known = state.terminal.known();
                let unsaid = state.stream.unsaid(answer);
                let lines = state.stream.tell(unsaid, known, state.size.0.into());
                done.push(Command::Print(state.printed(lines)));
            }
            done.extend(flush(state));
            done.extend(draw(state, event));
        }
        EventBody::ConfirmationAnswered {
            confirmation_id,
            answer,
            by,
            ..
        } => done.extend(answered(state, event, (*confirmation_id, answer, by))),
        EventBody::QueryFinished { .. } => done.extend(finished(state, event, &open)),
        EventBody::ConfirmationAsked(request) => {
            done.extend(flush(state));
            answering::asked(state, request);
        }
        // The row of what is at work says so too.
        EventBody::ToolProgress { message, .. } if is_still_running(message) => {}
        _ => {
            let is_own = state.view.agents().depth(event.agent_id) == 0;
            if has_words(&event.body) && is_own {
                state.stream.take_markdown();
            }
            if let EventBody::PlanProposed { plan, .. } = &event.body {
                state.is_own_plan = plan.only_takes_back();
            }
            done.extend(shown(state, event));
        }
    }
    done
}

/// Shows an event in the panes as well, whether they are open or not.
fn in_panes(state: &mut State, event: &Event) {
    let whose = named(state.view.agents(), event.agent_id);
    state.panes.take(event, whose.as_deref());
}

fn ids(state: &State) -> Vec<ConfirmationId> {
    let questions = state.view.questions().iter();
    questions.map(|one| one.confirmation_id).collect()
}

/// Whether an event is of a request that waits behind another.
fn is_of_waiting(state: &State, event: &Event) -> bool {
    let mut waiting = state.waiting.iter();
    event.query_id.is_some() && waiting.any(|one| one.query_id == event.query_id)
}

/// Of a request that waits, only its place and its end matter.
fn of_waiting(state: &mut State, event: &Event) -> Vec<Command> {
    if let EventBody::QueryMoved { before } = event.body {
        moved(&mut state.waiting, event.query_id, before);
        return Vec::new();
    }
    let EventBody::QueryFinished { status, .. } = &event.body else {
        return Vec::new();
    };
    let at = state
        .waiting
        .iter()
        .position(|one| one.query_id == event.query_id);
    let Some(EventBody::QueryReceived { text, .. }) = at
        .and_then(|at| state.waiting.remove(at))
        .map(|one| one.body)
    else {
        return Vec::new();
    };
    match status {
        QueryStatus::Interrupted => vec![state.note(&format!("taken back: {}", gist(&text)))],
        _ => vec![state.note(&format!("ended before it began: {}", gist(&text)))],
    }
}

/// Puts a request that waits before another, or behind all.
fn moved(waiting: &mut VecDeque<Event>, query_id: Option<QueryId>, before: Option<QueryId>) {
    let at = |waiting: &VecDeque<Event>, id| waiting.iter().position(|one| one.query_id == id);
    let Some(from) = at(waiting, query_id) else {
        return;
    };
    let Some(one) = waiting.remove(from) else {
        return;
    };
    let to = match before {
        None => waiting.len(),
        Some(_) => at(waiting, before).unwrap_or(from),
    };
    waiting.insert(to, one);
}

/// Shows the request that waits longest, once nothing else is worked on.
fn begin_next(state: &mut State) -> Vec<Command> {
    if state.shown_request.is_some() {
        return Vec::new();
    }
    let Some(event) = state.waiting.pop_front() else {
        return Vec::new();
    };
    state.shown_request = event.query_id;
    state.began = Some(state.now);
    state.reading = None;
    state.stream.begin();
    in_panes(state, &event);
    let mut done = Vec::new();
    if let EventBody::QueryReceived {
        text,
        origin: Origin::User,
        ..
    } = &event.body
    {
        let shown = match state.is_expanded {
            true => sent::whole(text),
            false => sent::folded(text, &state.keys.name_of(Action::Expand)),
        };
        state.last_message = Some(text.clone()).filter(|text| sent::is_long(text));
        done.push(Command::Print(state.own(shown)));
    }
    done.extend(draw(state, &event));
    done
}

/// A piece of what the model says. Of an agent that another one started, people are shown what it does.
fn streamed(state: &mut State, event: &Event) -> Vec<Command> {
    if state.view.agents().depth(event.agent_id) > 0 {
        return Vec::new();
    }
    state.reading = None;
    match &event.body {
        EventBody::ThinkingDelta { text } => {
            state.stream.think(text);
            Vec::new()
        }
        EventBody::TextDelta { text } => {
            let mut done = end_thought(state);
            let known = state.terminal.known();
            let lines = state.stream.answer(text, known, state.size.0.into());
            if !lines.is_empty() {
                done.push(Command::Print(state.printed(lines)));
            }
            done
        }
        EventBody::TextReplaced { text } => match state.stream.replace(text) {
            true => vec![state.note("the lines above were a tool call written as text")],
            false => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn end_thought(state: &mut State) -> Vec<Command> {
    let Some(line) = state
        .stream
        .end_thought(&state.keys.name_of(Action::Expand))
    else {
        return Vec::new();
    };
    let lines = match state.is_expanded {
        true => state.stream.marked_thought(),
        false => vec![line],
    };
    let fold = if state.is_expanded {
        Break::Words(2)
    } else {
        Break::Never
    };
    let line = |line: Line<'static>| DocumentLine {
        line: match fold {
            Break::Never => Line::styled(
                crate::lines::cut(
                    &line.to_string(),
                    usize::from(state.size.0).saturating_sub(2),
                ),
                crate::lines::faint(),
            ),
            Break::Words(_) => line,
        },
        may_break: fold,
    };
    let lines = lines.into_iter().map(line).collect();
    vec![Command::Print(state.own(lines))]
}

/// Ends what streams, so that other lines can follow.
pub(super) fn flush(state: &mut State) -> Vec<Command> {
    let mut done = end_thought(state);
    let lines = state.stream.flush(state.terminal.known());
    if !lines.is_empty() {
        done.push(Command::Print(state.printed(lines)));
    }
    done
}

/// The lines for an event, as line mode has them.
fn draw(state: &mut State, event: &Event) -> Vec<Command> {
    // Nothing is written, so that nothing can fail.
    let _kept = state.terminal.draw(event);
    let lines = state.terminal.take_lines();
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![Command::Print(state.told_rows(&lines))],
    }
}

/// An event with lines of its own, behind what streamed before it.
fn shown(state: &mut State, event: &Event) -> Vec<Command> {
    let told = match quality::found(&event.body) {
        Some(_) => {
            let news = quality::news(&state.view, event);
            let told = news.map(|news| state.told(&[news.line(Paint::Colour)]));
            told.into_iter().collect()
        }
        None => draw(state, event),
    };
    let mut done = match told.is_empty() {
        true => Vec::new(),
        false => flush(state),
    };
    done.extend(told);
    done.extend(quality::offer(&state.view, event).map(|offer| state.note(offer)));
    if let EventBody::ToolResult { tool, text, .. } = &event.body {
        let end = text.floor_char_boundary(RESULT_BYTES);
        state.last_result = Some((tool.clone(), text[..end].to_owned()));
        if state.is_expanded {
            done.extend(super::results::whole_result(state));
        }
    }
    done
}

/// A question was answered: here, elsewhere, or by nobody in time.
fn answered(
    state: &mut State,
    event: &Event,
    (id, answer, by): (ConfirmationId, &ConfirmationAnswer, &str),
) -> Vec<Command> {
    match answering::closed(state, id) {
        true => vec![state.note(&confirm::closed(answer, by, ""))],
        false => shown(state, event),
    }
}

/// A request is over: its questions are closed, and the next begins.
fn finished(state: &mut State, event: &Event, open: &[ConfirmationId]) -> Vec<Command> {
    let left = ids(state);
    let mut done = flush(state);
    for id in open.iter().filter(|id| !left.contains(id)) {
        if answering::closed(state, *id) {
            done.push(state.note("the question is closed: its request has ended"));
        }
    }
    done.extend(draw(state, event));
    if state.shown_request == event.query_id {
        state.shown_request = None;
        state.began = None;
        state.reading = None;
    }
    done.extend(begin_next(state));
    done
}
