//! What is done about what happened: pure, so that tables can test it.

mod answering;
mod events;
mod slash;
mod typing;

pub use events::request_lines;
pub use slash::COMMANDS;

use crate::lines::painted;
use crate::message::{Command, Message};
use crate::state::State;
use domain::fault::Fault;
use ratatui::text::Line;
use rendering::Paint;
use rendering::agents::gist;
use std::time::{Duration, Instant};
use text::escape::{visible_line, visible_lines};

/// How long a second Ctrl+C belongs to the first.
pub const LEAVING: Duration = Duration::from_secs(2);

/// Takes what happened at a time into the state; what is to be done now, in this order.
pub fn update(state: &mut State, now: Instant, message: Message) -> Vec<Command> {
    state.now = now;
    if state
        .leaving
        .is_some_and(|since| now.duration_since(since) >= LEAVING)
    {
        state.leaving = None;
    }
    match message {
        Message::Key(key) => typing::pressed(state, key),
        Message::Paste(text) => typing::pasted(state, &text),
        Message::Resized(columns, rows) => {
            state.size = (columns.max(1), rows.max(1));
            Vec::new()
        }
        Message::Happened(event) => events::happened(state, &event),
        Message::Gone(why) => gone(state, &why),
        Message::Tick => answering::go_on(state),
        Message::Told(lines) => vec![state.told(&lines)],
        Message::Failed { fault, draft } => {
            if let Some(draft) = draft.filter(|_| state.input.is_empty()) {
                state.input.set(&draft);
            }
            vec![failed(state, &fault)]
        }
        Message::Configured(profile) => {
            let mode = format!("mode: {}", profile.mode.as_str());
            let has_other_mode = profile.mode != state.profile.mode;
            let model = (profile.model != state.profile.model).then(|| model_in_words(&profile));
            state.profile = profile;
            let told = has_other_mode.then_some(mode).into_iter().chain(model);
            told.map(|text| state.note(&text)).collect()
        }
        Message::Terminate => vec![Command::Leave],
    }
}

fn model_in_words(profile: &domain::settings::SessionProfile) -> String {
    match &profile.model {
        Some(model) => format!("model: {}", rendering::values::model_in_words(model)),
        None => format!("model: what suits the agent type {}", profile.agent_type),
    }
}

/// What waits and what is typed when the user leaves: it is not sent.
pub fn not_sent(state: &State) -> Vec<Line<'static>> {
    let waiting = state.waiting_requests().map(|one| gist(&one.text));
    let draft = Some(state.input.text()).filter(|text| !text.trim().is_empty());
    let all = waiting.chain(draft.map(|text| gist(&text)));
    let line = |text| painted(&Paint::Colour.faint(&format!("· not done: {text}")));
    all.map(line).collect()
}

/// What a failure reads like.
fn failed(state: &State, fault: &Fault) -> Command {
    let head = Paint::Colour.bad("error:");
    let what = visible_lines(&fault.message);
    // These two say no more than that it failed.
    let code = match fault.code.as_str() {
        "carl.failed" | "carl.usage" => String::new(),
        code => format!(" [{}]", visible_line(code)),
    };
    let mut lines: Vec<String> = format!("{head} {what}{code}")
        .lines()
        .map(str::to_owned)
        .collect();
    if !fault.hint.is_empty() {
        lines.extend(
            visible_lines(&fault.hint)
                .lines()
                .map(|line| format!("  {line}")),
        );
    }
    state.told(&lines)
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

/// Leaves; the first time it only says which jobs would end.
fn leave(state: &mut State) -> Vec<Command> {
    let jobs: Vec<String> = state.view.background().jobs().iter().cloned().collect();
    if jobs.is_empty() || state.has_told_jobs || state.is_gone {
        return vec![Command::Leave];
    }
    state.has_told_jobs = true;
    let names: Vec<String> = jobs
        .iter()
        .map(|job| format!("`{}`", visible_line(job)))
        .collect();
    let text = format!(
        "still running, and ending with this session: {}; leave once more to stop it",
        names.join(", ")
    );
    vec![state.note(&text)]
}

#[cfg(test)]
mod tests;
