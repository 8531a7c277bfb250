//! What is done about what happened: pure, so that tables can test it.

mod answering;
mod bursting;
mod closing;
mod completing;
mod configuring;
mod copying;
mod events;
mod history;
mod lists;
mod marking;
mod options;
mod outcome;
mod overlaid;
mod overriding;
mod paging;
mod paned;
mod pointed;
mod programs;
mod results;
mod slash;
mod typing;

pub use bursting::gathers;
pub use outcome::left;

use crate::message::{Command, Message, Reason};
use crate::modes::known_size;
use crate::picker::Picker;
use crate::state::{LEAVING, STEPPING, State};
use domain::event::{Event, EventBody};
use domain::model::ModelChoice;
use domain::settings::SessionProfile;
use outcome::failed;
use std::time::Instant;

/// Takes what happened at a time into the state; what is to be done now, in this order.
pub fn update(state: &mut State, now: Instant, message: Message) -> Vec<Command> {
    state.now = now;
    forget_presses(state);
    let mut done = bursting::go_on(state);
    done.extend(taken(state, message));
    count_no_waiting(state);
    for command in &done {
        if let Command::Tell(lines) = command {
            state.panes.told(lines);
        }
    }
    done.extend(paned::follow(state));
    done.extend(programs::follow(state));
    done.extend(overlaid::refresh(state));
    done
}

/// The time of a request is that of its work: what it waits for an answer does not count.
fn count_no_waiting(state: &mut State) {
    let is_asking = !state.view.questions().is_empty();
    match (is_asking, state.asked_at) {
        (true, None) => state.asked_at = Some(state.now),
        (false, Some(at)) => {
            let waited = |began: Instant| state.now.duration_since(at.max(began));
            state.began = state.began.map(|began| began + waited(began));
            state.asked_at = None;
        }
        _ => {}
    }
}

fn taken(state: &mut State, message: Message) -> Vec<Command> {
    match message {
        Message::Key(key) => bursting::pressed(state, key),
        Message::Paste(text) => bursting::pasted(state, &text),
        Message::Gathered(text) => bursting::gathered(state, &text),
        Message::Pointed(what, at) => pointed::pointed(state, what, at),
        Message::Resized(columns, rows) => {
            resized(state, known_size(columns, rows));
            Vec::new()
        }
        Message::Happened(event) => {
            let mut done = events::happened(state, &event);
            done.extend(call(state, &event));
            overlaid::changed(state, &event.body);
            programs::happened(state, &event);
            done
        }
        Message::Focused(has_focus) => {
            state.has_focus = has_focus;
            Vec::new()
        }
        Message::Gone => gone(state),
        Message::Tick => answering::go_on(state),
        Message::Told(lines) => vec![state.told(&lines)],
        Message::TakenOut(text) => lists::taken_out(state, &text),
        Message::AskAgain(text) => vec![overriding::send(state, text)],
        Message::Failed { fault, draft } => {
            if let Some(draft) = draft.filter(|_| state.input.is_empty()) {
                state.input.set(&draft);
            }
            vec![failed(state, &fault)]
        }
        Message::Sent(query_id) => {
            state.sent.insert(query_id);
            Vec::new()
        }
        Message::OverrideOver(fault) => overriding::over(state, fault.as_ref()),
        Message::ModelNamed(model) => {
            vec![configuring::with_model(
                state,
                Some(ModelChoice::Exact(model)),
            )]
        }
        Message::ModelsListed(known) => options::listed(state, known),
        Message::NextModel(model) => options::next_known(state, model),
        Message::Configured(profile) => configured(state, *profile),
        Message::Inspected(subject, lines) => overlaid::filled(state, subject, lines),
        Message::ProgramsRead(id, wanted, told) => programs::read(state, (id, &wanted), told),
        Message::Files(hidden, entries) => {
            state.completion.read(hidden, entries);
            Vec::new()
        }
        Message::Mentions(of, known) => completing::mentions(state, of, known),
        Message::Earlier(said) => overlaid::filled_with(state, said),
        Message::Edited(edited) => overlaid::edited(state, edited),
        Message::Draft(text) => draft(state, &text),
        Message::Listed(sessions) => listed(state, |picker| picker.fill(sessions)),
        Message::Found(words, ids) => listed(state, |picker| picker.found(words, ids)),
        Message::Previewed(id, lines) => listed(state, |picker| picker.previewed(id, lines)),
        Message::PastRead(id, events) => {
            paned::past(state, id, &events);
            Vec::new()
        }
        Message::LastAnswer(answer) => copying::answer(state, answer.as_deref()),
        Message::Said(text) => overlaid::say(state, &text).into_iter().collect(),
        Message::GoTo(id) => vec![Command::GoTo(id)],
        Message::Terminate => vec![Command::Leave],
    }
}

/// A message that was taken back is to be edited.
fn draft(state: &mut State, text: &str) -> Vec<Command> {
    match state.input.is_empty() {
        true => state.input.set(text),
        // Up brings it back.
        false => state.input.keep(text),
    }
    Vec::new()
}

fn resized(state: &mut State, size: (u16, u16)) {
    let has_other_rows = size.0 != state.size.0;
    if let Some(dialog) = state.dialog.as_mut().filter(|_| has_other_rows) {
        dialog.laid_anew();
    }
    state.size = size;
    overlaid::resized(state);
}

/// A first press that a second one was to follow is forgotten after a while.
fn forget_presses(state: &mut State) {
    let now = state.now;
    state.leaving = state
        .leaving
        .filter(|since| now.duration_since(*since) < LEAVING);
    state.stepping = state
        .stepping
        .filter(|since| now.duration_since(*since) < STEPPING);
}

/// The session works by this profile now.
fn configured(state: &mut State, profile: SessionProfile) -> Vec<Command> {
    let mode = format!("mode: {}", profile.mode.as_str());
    let has_other_mode = profile.mode != state.profile.mode;
    let thinking = (profile.think != state.profile.think)
        .then(|| rendering::slash::thinking_in_words(profile.think));
    let model = (profile.model != state.profile.model).then(|| model_in_words(&profile));
    let finds = model.as_ref().map(|_| Command::FindNextModel);
    state.profile = profile;
    let told = has_other_mode.then_some(mode).into_iter();
    let told = told.chain(model).chain(thinking);
    let told = told.map(|text| state.note(&text));
    told.chain(finds).collect()
}

/// Calls a user who looks at another window, for a question or the end of all work.
fn call(state: &State, event: &Event) -> Option<Command> {
    let reason = match event.body {
        EventBody::ConfirmationAsked(_) => Reason::Question,
        EventBody::QueryFinished { .. } if state.shown_request.is_none() => Reason::Ended,
        _ => return None,
    };
    (!state.has_focus).then_some(Command::Call(reason))
}

/// The list of sessions has something new, and may want to know more.
fn listed(state: &mut State, fill: impl FnOnce(&mut Picker)) -> Vec<Command> {
    let Some(picker) = overlaid::picker(state) else {
        return Vec::new();
    };
    fill(picker);
    overlaid::read_for(picker)
}

fn model_in_words(profile: &SessionProfile) -> String {
    match &profile.model {
        Some(model) => format!("model: {}", rendering::values::model_in_words(model)),
        None => format!("model: what suits the agent type {}", profile.agent_type),
    }
}

/// Whoever served the session is gone: another UI goes on with it.
fn gone(state: &mut State) -> Vec<Command> {
    state.is_gone = true;
    state.dialog = None;
    state.began = None;
    let text = "the carl that served this session has ended; going on without it";
    vec![state.note(text), Command::HandOver]
}

#[cfg(test)]
mod tests;
