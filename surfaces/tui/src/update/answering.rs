//! Questions: which is put next, and what an answer leads to.

use crate::message::Command;
use crate::question::{Dialog, Field};
use crate::state::State;
use domain::event::{ConfirmationAnswer, ConfirmationRequest};
use domain::id::ConfirmationId;
use rendering::Paint;
use rendering::confirm::{
    COVERING, GATHERING, Listener, Patience, Reply, differences, in_words, to_each,
};
use std::time::Instant;

/// A question came.
pub(super) fn asked(state: &mut State, request: &ConfirmationRequest) {
    state.questions.put(request.clone());
    put_next(state, Patience::Left);
}

/// Puts what is due by now.
pub(super) fn go_on(state: &mut State) -> Vec<Command> {
    let now = state.now;
    let is_due = |until: &mut Instant| now >= *until;
    if state.covers_until.take_if(is_due).is_some() {
        put_next(state, Patience::Left);
    }
    if state.gathers_until.take_if(is_due).is_some() {
        put_next(state, Patience::Gone);
    }
    let given = state
        .dialog
        .as_mut()
        .and_then(|dialog| dialog.take_given(now));
    given.map_or_else(Vec::new, |reply| pass_on(state, reply))
}

/// Puts the next question, unless one stands there.
fn put_next(state: &mut State, patience: Patience) {
    let is_beside = state.overlay.is_some() || state.panes.has_keys();
    if state.dialog.is_some() || is_beside || state.covers_until.is_some() {
        return;
    }
    let next = state.questions.next(patience);
    let is_more_to_come = next.is_none() && !state.questions.is_empty();
    state.gathers_until = is_more_to_come.then(|| state.now + GATHERING);
    let Some(requests) = next else {
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
    let at = (state.now, state.session.workspace.as_path());
    state.dialog = Some(Dialog::new((requests, place), about, field, at));
}

/// Puts the next question that came while something else was in sight.
pub(super) fn put_waiting(state: &mut State) {
    put_next(state, Patience::Left);
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
            let told = record(state, &said.answer, (&short, &requests));
            let is_covering = said.answer == ConfirmationAnswer::Session;
            let answers = to_each(requests, &said);
            match is_covering && !state.questions.is_empty() {
                true => state.covers_until = Some(now + COVERING),
                false => put_next(state, Patience::Left),
            }
            vec![told, Command::Answer(answers)]
        }
    }
}

/// What was answered to what, for the scrollback, with the differences that a yes lets be made.
fn record(
    state: &State,
    answer: &ConfirmationAnswer,
    (short, requests): (&str, &[ConfirmationRequest]),
) -> Command {
    let mut lines = vec![format!("· you answered {}", in_words(answer))];
    lines.extend(short.lines().map(str::to_owned));
    let faint = |line: &String| Paint::Colour.faint(line);
    let mut lines: Vec<String> = lines.iter().map(faint).collect();
    if !matches!(answer, ConfirmationAnswer::Deny { .. }) {
        let differences = differences(requests, Paint::Colour);
        // Behind a bar, as other texts of files and tools: no line of one looks like the UI's own.
        lines.extend(differences.lines().map(|line| format!("  | {line}")));
    }
    state.told(&lines)
}

/// A question was closed before it was answered here; whether it stood on the screen.
pub(super) fn closed(state: &mut State, id: ConfirmationId) -> bool {
    state.is_question_closed |= state.questions.close(id);
    if state.questions.is_empty() {
        state.covers_until = None;
    }
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
