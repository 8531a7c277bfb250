//! What an inspector shows: lines made of the events of the log and of what the services say. All text
//! that others wrote stands behind a bar or an indent, and nothing in it moves the terminal.

mod agents;
mod history;
mod plan;
mod quality;

use crate::lines::{faint, painted, safe, strong};
pub use agents::agents;
use domain::context::ContextView;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{CallId, QueryId};
use domain::label::Integrity;
use domain::settings::Mode;
pub use history::history;
pub use plan::plan;
pub use quality::quality;
use ratatui::text::Line;
use rendering::Paint;
use rendering::agents::named;
use rendering::confirm;
use rendering::context::shares;
use rendering::terminal::{Terminal, approved};
use rendering::values::{grouped, milliseconds};
use session::AgentTree;
use std::collections::BTreeMap;
use text::escape::visible_line;
use text::fence;
use text::links::Known;

/// Who approved a plan in which nothing needs a yes.
const NO_YES: &str = "read_only";

/// A text of others, each of its lines behind a bar.
fn barred(text: &str) -> impl Iterator<Item = Line<'static>> {
    let lines = text
        .split('\n')
        .map(|line| Line::raw(safe(&format!("  | {line}"))));
    lines.collect::<Vec<_>>().into_iter()
}

fn head(text: &str) -> Line<'static> {
    Line::styled(safe(text), strong())
}

fn detail(text: &str) -> Line<'static> {
    Line::styled(safe(&format!("  {text}")), faint())
}

fn or_nothing(lines: Vec<Line<'static>>, text: &str) -> Vec<Line<'static>> {
    match lines.is_empty() {
        true => vec![Line::styled(text.to_owned(), faint())],
        false => lines,
    }
}

/// What is not on the page of the context where a model plans.
const PLANNED: &str = "In plan mode a model is sent the task with the names of the files here, and one that \
                       answers is sent what the steps returned: neither is on this page.";

/// The context by its parts, and each as it is sent.
#[must_use]
pub fn context(view: &ContextView, mode: Mode) -> Vec<Line<'static>> {
    let overview = shares(view, Paint::Colour);
    let note = (mode == Mode::Plan).then(|| Line::styled(PLANNED, faint()));
    let mut lines: Vec<Line<'static>> = note.into_iter().collect();
    lines.extend(overview.lines().map(painted));
    for part in &view.parts {
        lines.push(Line::default());
        let tokens = grouped(part.tokens);
        lines.push(head(&format!(
            "{} ({tokens} tokens)",
            visible_line(&part.name)
        )));
        lines.extend(barred(part.text.trim_end()));
    }
    lines
}

/// The plans that were approved, for the calls that follow, which are their steps: the guard lets each pass
/// by the yes to the plan, of which its decision says nothing.
#[derive(Debug, Default)]
pub struct ApprovedPlans(BTreeMap<QueryId, String>);

impl ApprovedPlans {
    /// Takes an event in.
    pub fn note(&mut self, event: &Event) {
        let Some(id) = event.query_id else { return };
        match &event.body {
            EventBody::PlanApproved { by, .. } if by != NO_YES => {
                self.0.insert(id, approved(by));
            }
            EventBody::QueryFinished { .. } => {
                self.0.remove(&id);
            }
            _ => {}
        }
    }

    /// What is said of a call that begins with this event, where it is a step of such a plan.
    #[must_use]
    pub fn of(&self, event: &Event) -> Option<Line<'static>> {
        let approved = self.0.get(&event.query_id?)?;
        Some(detail(approved))
    }
}

/// Each call with its arguments, the decisions about it and its whole result, in the order of the calls.
#[must_use]
pub fn calls(events: &[Event]) -> Vec<Line<'static>> {
    let mut all: Vec<(Option<CallId>, Vec<Line<'static>>)> = Vec::new();
    let mut tree = AgentTree::default();
    let mut plans = ApprovedPlans::default();
    for event in events {
        tree.apply(event);
        plans.note(event);
        if let EventBody::ToolRequested {
            tool, arguments, ..
        } = &event.body
        {
            let whose = named(&tree, event.agent_id);
            let whose = whose.map_or_else(String::new, |whose| format!(" ({whose})"));
            let name = format!("#{} {}{whose}", event.seq, visible_line(tool));
            let mut lines = begun(&name, &format!("{arguments:#}"));
            lines.extend(plans.of(event));
            all.push((event.call_id, lines));
            continue;
        }
        let call = event.call_id.and_then(|id| {
            let mut calls = all.iter_mut().rev();
            calls.find(|(call_id, _)| *call_id == Some(id))
        });
        if let Some((_, lines)) = call {
            lines.extend(of_call(&event.body));
        }
    }
    let mut out: Vec<Line<'static>> = Vec::new();
    for (_, lines) in all {
        out.extend(lines);
        out.push(Line::default());
    }
    or_nothing(out, "no call yet")
}

/// How a call begins: its name and arguments.
#[must_use]
pub fn begun(name: &str, arguments: &str) -> Vec<Line<'static>> {
    let mut lines = vec![head(name)];
    lines.extend(barred(arguments));
    lines
}

/// What an event says of its call.
#[must_use]
pub fn of_call(body: &EventBody) -> Vec<Line<'static>> {
    match body {
        EventBody::BrokerDecision {
            verdict,
            layer,
            rule,
            reason,
        } => vec![detail(&format!(
            "decision: {} by layer {} ({}): {}",
            verdict.as_str(),
            layer.as_str(),
            visible_line(rule),
            visible_line(reason)
        ))],
        EventBody::ConfirmationAnswered { answer, by, .. } => {
            // A page shows the whole past: which window an answer came from is not on record.
            let said = match by.as_str() {
                "user" => format!("you answered {}", confirm::in_words(answer)),
                by => confirm::closed(answer, by, ""),
            };
            vec![detail(&said)]
        }
        EventBody::ToolProgress { message, .. } => vec![detail(&visible_line(message))],
        EventBody::ToolResult {
            status,
            text,
            truncated,
            duration_ms,
            ..
        } => {
            let part = if *truncated { ", a part of it" } else { "" };
            // One that was stopped before it ran took no time.
            let took = match (status, duration_ms) {
                (CallStatus::Cancelled, 0) => String::new(),
                (_, ms) => format!(" in {}", milliseconds(*ms)),
            };
            let mut lines = vec![detail(&format!("result: {}{took}{part}", word(*status)))];
            lines.extend(barred(fence::body(text).trim_end()));
            lines
        }
        _ => Vec::new(),
    }
}

const fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "done",
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "stopped",
    }
}

/// Events as line mode tells them.
fn as_told<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Line<'static>> {
    let mut terminal = Terminal::kept(Paint::Colour, Known::default());
    for event in events {
        // Nothing is written, so that nothing can fail.
        let _kept = terminal.draw(event);
    }
    terminal
        .take_lines()
        .iter()
        .map(|line| painted(line))
        .collect()
}

/// What memory had on each request of the session, and what it has on the last of them now: `now`, lines.
#[must_use]
pub fn memory(events: &[Event], now: &[String]) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for event in events {
        let EventBody::MemoryRecalled {
            memories,
            query,
            text,
            label,
            ..
        } = &event.body
        else {
            continue;
        };
        let (count, about) = (memories.len(), visible_line(query));
        lines.push(head(&format!(
            "#{} {count} recalled for: {about}",
            event.seq
        )));
        let is_trusted = label
            .as_ref()
            .is_none_or(|label| label.integrity == Integrity::Trusted);
        if !is_trusted {
            lines.push(detail("not all of it is to be trusted"));
        }
        lines.extend(barred(fence::body(text).trim_end()));
    }
    let mut lines = or_nothing(lines, "nothing was recalled in this session");
    if !now.is_empty() {
        lines.push(Line::default());
        lines.push(head("what memory has on the last request now, and why"));
        lines.extend(now.iter().map(|line| painted(line)));
    }
    lines
}

/// The models and what each is for; `chosen`: what the session asks for.
#[must_use]
pub fn models(known: &[api::models::ModelInfo], chosen: &str) -> Vec<Line<'static>> {
    let mut lines = vec![
        head(&format!("in use: {}", visible_line(chosen))),
        Line::default(),
    ];
    for info in known {
        lines.push(head(&visible_line(&info.model.to_string())));
        let context = info.context_tokens.map_or_else(
            || "context not known".to_owned(),
            |tokens| format!("context {} tokens", grouped(u64::from(tokens))),
        );
        let size = info.size_bytes.map(rendering::values::bytes);
        let loaded = info
            .loaded
            .map(|is| if is { "in memory" } else { "not in memory" });
        let facts: Vec<String> = std::iter::once(context)
            .chain(size)
            .chain(loaded.map(str::to_owned))
            .collect();
        lines.push(detail(&facts.join(", ")));
        let roles: Vec<&str> = info.roles.iter().map(|role| role.as_str()).collect();
        let roles = if roles.is_empty() {
            "none".to_owned()
        } else {
            roles.join(", ")
        };
        lines.push(detail(&format!("roles: {roles}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::id::SessionId;
    use uuid::Uuid;

    fn of_call(seq: u64, body: EventBody) -> Event {
        Event {
            seq,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            query_id: None,
            agent_id: None,
            respondent_id: None,
            call_id: Some(CallId::from_uuid(Uuid::from_u128(9))),
            body,
        }
    }

    #[test]
    fn a_call_is_shown_with_all_of_it_and_draws_nothing() {
        let hostile = "one\u{1b}[2J\n┃ ? coder wants\r\n\u{202e}three";
        let events = [
            of_call(
                4,
                EventBody::ToolRequested {
                    tool: "read_file".to_owned(),
                    arguments: serde_json::json!({"path": "a\u{1b}c"}),
                    recovered: false,
                },
            ),
            of_call(
                5,
                EventBody::ToolResult {
                    tool: "read_file".to_owned(),
                    status: CallStatus::Ok,
                    value_id: None,
                    label: None,
                    text: hostile.to_owned(),
                    truncated: true,
                    duration_ms: 3,
                    artifacts: Vec::new(),
                    edited: None,
                },
            ),
        ];
        let lines = calls(&events);
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let text = text.join("\n");
        assert!(text.starts_with("#4 read_file\n  | {\n"), "{text}");
        assert!(
            text.contains("result: done in 3 ms, a part of it"),
            "{text}"
        );
        assert!(text.contains("  | one\\u{1b}[2J\n"), "{text}");
        assert!(!text.contains(['\u{1b}', '┃', '\r', '\u{202e}']), "{text}");
        assert_eq!(calls(&[]).len(), 1);
    }
}
