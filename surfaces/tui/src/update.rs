//! What is done about what happened: pure, so that tables can test it.

mod answering;
mod events;
mod outcome;
mod overlaid;
mod paned;
mod results;
mod slash;
mod typing;

pub use outcome::not_sent;

use crate::message::{Command, Message};
use crate::picker::Picker;
use crate::state::{LEAVING, State};
use domain::fault::Fault;
use outcome::failed;
use std::time::Instant;
use text::escape::visible_line;

/// Takes what happened at a time into the state; what is to be done now, in this order.
pub fn update(state: &mut State, now: Instant, message: Message) -> Vec<Command> {
    state.now = now;
    if state
        .leaving
        .is_some_and(|since| now.duration_since(since) >= LEAVING)
    {
        state.leaving = None;
    }
    let mut done = taken(state, message);
    for command in &done {
        if let Command::Tell(lines) = command {
            state.panes.told(lines);
        }
    }
    done.extend(paned::follow(state));
    done
}

fn taken(state: &mut State, message: Message) -> Vec<Command> {
    match message {
        Message::Key(key) => typing::pressed(state, key),
        Message::Paste(text) => typing::pasted(state, &text),
        Message::Resized(columns, rows) => {
            if columns != state.size.0
                && let Some(dialog) = &mut state.dialog
            {
                dialog.laid_anew();
            }
            state.size = (columns.max(1), rows.max(1));
            overlaid::resized(state);
            Vec::new()
        }
        Message::Happened(event) => events::happened(state, &event),
        Message::Gone(why) => gone(state, &why),
        Message::Tick => answering::go_on(state),
        Message::Told(lines) => vec![state.told(&lines)],
        Message::AskAgain(text) => vec![Command::Send(text)],
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
        Message::Configured(profile) => {
            let mode = format!("mode: {}", profile.mode.as_str());
            let has_other_mode = profile.mode != state.profile.mode;
            let model = (profile.model != state.profile.model).then(|| model_in_words(&profile));
            state.profile = *profile;
            let told = has_other_mode.then_some(mode).into_iter().chain(model);
            told.map(|text| state.note(&text)).collect()
        }
        Message::Inspected(subject, lines) => {
            overlaid::filled(state, subject, lines);
            Vec::new()
        }
        Message::Listed(sessions) => listed(state, |picker| picker.fill(sessions)),
        Message::Previewed(id, lines) => listed(state, |picker| picker.previewed(id, lines)),
        Message::PastRead(id, events) => {
            paned::past(state, id, &events);
            Vec::new()
        }
        Message::Said(text) => overlaid::say(state, &text).into_iter().collect(),
        Message::GoTo(id) => vec![Command::GoTo(id)],
        Message::Terminate => vec![Command::Leave],
    }
}

/// The list of sessions has something new, and may want to know more.
fn listed(state: &mut State, fill: impl FnOnce(&mut Picker)) -> Vec<Command> {
    let Some(picker) = overlaid::picker(state) else {
        return Vec::new();
    };
    fill(picker);
    picker
        .next_preview()
        .map(Command::Preview)
        .into_iter()
        .collect()
}

fn model_in_words(profile: &domain::settings::SessionProfile) -> String {
    match &profile.model {
        Some(model) => format!("model: {}", rendering::values::model_in_words(model)),
        None => format!("model: what suits the agent type {}", profile.agent_type),
    }
}

/// Whoever served the session is gone.
fn gone(state: &mut State, why: &str) -> Vec<Command> {
    state.is_gone = true;
    state.dialog = None;
    state.began = None;
    let why = match why {
        "" => String::new(),
        why => format!(": {}", visible_line(why)),
    };
    let id = state.session.session_id;
    let fault = Fault {
        code: "sessions.unreachable".to_owned(),
        message: format!("whoever served this session has ended{why}"),
        hint: format!("What was said is kept. Leave with Ctrl+D and type: carl tui --resume {id}"),
    };
    vec![failed(state, &fault)]
}

#[cfg(test)]
mod tests;
