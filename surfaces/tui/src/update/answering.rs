//! Questions: which is put next, and what an answer leads to.

use crate::message::Command;
use crate::question::{Dialog, Field};
use crate::state::State;
use domain::event::{ConfirmationAnswer, ConfirmationRequest};
use domain::id::ConfirmationId;
use rendering::confirm::{Listener, Patience, Reply, to_each};
use std::time::Duration;
use text::escape::visible_line;

/// How long a question waits for others that belong to it and were announced, and for the broker to say
/// what a yes for the session covers.
const GATHERING: Duration = Duration::from_millis(500);

/// A question came.
pub(super) fn asked(state: &mut State, request: &ConfirmationRequest) {
    state.questions.put(request.clone());
    match state.gathers_until {
        // On a busy machine those that belong together come slowly.
        Some(_) => state.gathers_until = Some(state.now + GATHERING),
        None => put_next(state, Patience::Left),
    }
}

/// Puts what is due by now.
pub(super) fn go_on(state: &mut State) -> Vec<Command> {
    if state.gathers_until.is_some_and(|until| state.now >= until) {
        state.gathers_until = None;
        put_next(state, Patience::Gone);
    }
    let now = state.now;
    let given = state
        .dialog
        .as_mut()
        .and_then(|dialog| dialog.take_given(now));
    given.map_or_else(Vec::new, |reply| pass_on(state, reply))
}

/// Puts the next question, unless one stands there.
fn put_next(state: &mut State, patience: Patience) {
    if state.dialog.is_some() || state.overlay.is_some() || state.panes.is_searching() {
        return;
    }
    let Some(requests) = state.questions.next(patience) else {
        if !state.questions.is_empty() {
            state.gathers_until = Some(state.now + GATHERING);
        }
        return;
    };
    let place = match requests.as_slice() {
        [one] => state.questions.place_of(one),
        _ => None,
    };
    let listener = match state.is_own_plan {
        true => Listener::Nobody,
        false => Listener::Agent,
    };
    let field = match state.input.is_empty() {
        true => Field::Answer,
        false => Field::Draft,
    };
    let about = (state.memory, listener);
    state.dialog = Some(Dialog::new((requests, place), about, field, state.now));
}

/// Puts the next question that came while something else was in sight.
pub(super) fn put_waiting(state: &mut State) {
    if state.gathers_until.is_none() {
        put_next(state, Patience::Left);
    }
}

/// Passes the answer on that counts now.
fn pass_on(state: &mut State, reply: Reply) -> Vec<Command> {
    let now = state.now;
    let Some(dialog) = state.dialog.take() else {
        return Vec::new();
    };
    let short = dialog.parts().short.clone();
    let requests = dialog.into_requests();
    match reply {
        Reply::OneByOne => {
            state.questions.part(requests);
            put_next(state, Patience::Gone);
            Vec::new()
        }
        Reply::All(said) => {
            let told = record(state, &said.answer, &short);
            let is_covering = said.answer == ConfirmationAnswer::Session;
            let answers = to_each(requests, &said);
            match is_covering && !state.questions.is_empty() {
                true => state.gathers_until = Some(now + GATHERING),
                false => put_next(state, Patience::Left),
            }
            vec![told, Command::Answer(answers)]
        }
    }
}

/// What was answered to what, for the scrollback.
fn record(state: &State, answer: &ConfirmationAnswer, short: &str) -> Command {
    let said = match answer {
        ConfirmationAnswer::Once => "yes, this once".to_owned(),
        ConfirmationAnswer::Session => "yes, for this session".to_owned(),
        ConfirmationAnswer::Deny { message } if message.is_empty() => "no".to_owned(),
        ConfirmationAnswer::Deny { message } => format!("no: {}", visible_line(message)),
    };
    let mut lines = vec![format!("· you answered {said}")];
    lines.extend(short.lines().map(str::to_owned));
    let faint = |line: &String| rendering::Paint::Colour.faint(line);
    state.told(&lines.iter().map(faint).collect::<Vec<_>>())
}

/// A question was closed before it was answered here; whether it stood on the screen.
pub(super) fn closed(state: &mut State, id: ConfirmationId) -> bool {
    state.is_question_closed |= state.questions.close(id);
    let Some(dialog) = state.dialog.take_if(|dialog| dialog.is_about(id)) else {
        return false;
    };
    state.is_question_closed = true;
    let mut left = dialog.into_requests();
    left.retain(|one| one.confirmation_id != id);
    state.questions.part(left);
    put_next(state, Patience::Left);
    true
}
