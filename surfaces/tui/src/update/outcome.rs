//! What is said of failures, and of leaving.

use super::events::flush;
use crate::lines::{own, painted};
use crate::message::Command;
use crate::state::State;
use domain::fault::Fault;
use ratatui::text::Line;
use rendering::Paint;
use rendering::agents::gist;
use text::escape::{visible_line, visible_lines};

/// What stands on the screen when the user leaves: what streams, as far as it came, the request of this
/// window that runs, what waits, what is typed, and how the session goes on.
#[must_use]
pub fn left(state: &mut State) -> Vec<Line<'static>> {
    let streamed = flush(state)
        .into_iter()
        .filter_map(|command| match command {
            Command::Print(lines) => Some(lines),
            _ => None,
        });
    let streamed: Vec<Line<'static>> = streamed.flatten().collect();
    let shown = state.shown_request.filter(|id| state.sent.contains(id));
    let running = shown.and_then(|id| state.view.open_request(id));
    let running = running.map(|one| format!("stopped: {}", gist(&one.text)));
    let draft = Some(state.input.text()).filter(|text| !text.trim().is_empty());
    let waiting = state.waiting_requests().map(|one| one.text.clone());
    let undone = waiting.chain(draft);
    let undone = undone.map(|text| format!("not done: {}", gist(&text)));
    let id = state.session.session_id.to_string();
    let end = id.get(id.len().saturating_sub(12)..).unwrap_or(&id);
    let is_begun = !state.view.exchanges().standing().is_empty();
    let again = is_begun.then(|| format!("carl tui --resume {end} goes on with this session"));
    let width = usize::from(state.size.0);
    let line = |text| painted(&Paint::Colour.faint(&format!("· {text}")));
    let all = running.into_iter().chain(undone).chain(again);
    let told = all.flat_map(|text| own(&line(text), 2, width));
    streamed.into_iter().chain(told).collect()
}

/// What a failure reads like.
pub(super) fn failed(state: &State, fault: &Fault) -> Command {
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

/// What is typed cannot be done, and what can be.
pub(super) fn refused(state: &State, what: &str, hint: &str) -> Command {
    let fault = Fault {
        code: "carl.usage".to_owned(),
        message: what.to_owned(),
        hint: hint.to_owned(),
    };
    failed(state, &fault)
}

/// Leaves; the first time it only says which jobs would end.
pub(super) fn leave(state: &mut State) -> Vec<Command> {
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
