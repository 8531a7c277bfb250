//! What models, tools and plans did, in words: answers, thinking, calls with their results, questions
//! with their answers, plans.

use super::extent::{Extent, quoted, shown_line};
use crate::transcript::agents;
use crate::values::{arguments, whole_arguments};
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody};
use domain::notes::ShownNotes;
use domain::plan::Action;
use text::escape::prose;
use text::fence;

/// Most of a tool's result that a document holds, characters; the events have all of it.
const RESULT_CHARS: usize = 4_000;

/// What one event says; `is_shown_below` where a model's text is the answer of its request, which
/// stands under a heading of its own.
pub(super) fn part(event: &Event, extent: Extent, is_shown_below: bool) -> Option<String> {
    match &event.body {
        EventBody::ModelAnswered {
            text,
            thinking,
            tool_calls,
            aside,
            ..
        } => {
            let thinking = thinking.as_ref().filter(|block| !block.text.is_empty());
            let mut parts: Vec<String> = thinking
                .map(|block| format!("> *thinking*\n>\n> {}", quoted(&block.text)))
                .into_iter()
                .collect();
            // What ends an answer stands under its heading; what leads to calls stands here.
            let leads_on = !tool_calls.is_empty() || *aside || extent == Extent::Whole;
            if leads_on && !is_shown_below && !text.trim().is_empty() {
                let head = if *aside { "> *for itself*\n>\n" } else { "" };
                parts.push(format!("{head}> {}", quoted(text)));
            }
            (!parts.is_empty()).then(|| parts.join("\n\n"))
        }
        EventBody::ModelNudged { text } => Some(format!("*Housecarl: {}*", shown_line(text))),
        EventBody::MemoryRecalled {
            memories, query, ..
        } if extent == Extent::Whole => Some(format!(
            "*Recalled {} for: {}*",
            memories.len(),
            shown_line(query)
        )),
        EventBody::ToolRequested {
            tool,
            arguments: args,
            ..
        } => Some(match extent {
            Extent::Overview => {
                format!("- `{}` {}", shown_line(tool), shown_line(&arguments(args)))
            }
            Extent::Whole => format!("- `{}` {}", shown_line(tool), shown_line(&args.to_string())),
        }),
        EventBody::BrokerDecision {
            verdict,
            layer,
            rule,
            reason,
        } => Some(format!(
            "  - {} by {layer} ({}): {}",
            verdict.as_str(),
            shown_line(rule),
            shown_line(reason)
        )),
        EventBody::ConfirmationAnswered {
            answer, by, token, ..
        } => {
            let token = token.as_ref().map(|name| format!(" (token {name})"));
            let token = token.unwrap_or_default();
            Some(format!("  - answered by {by}{token}: {}", answered(answer)))
        }
        EventBody::ToolResult {
            status,
            text,
            duration_ms,
            artifacts,
            ..
        } => Some(result(*status, *duration_ms, artifacts, text, extent)),
        body => shown(body, extent).or_else(|| agents::line(event).or_else(|| planned(body))),
    }
}

/// What a prompt holds that no tool returned.
fn shown(body: &EventBody, extent: Extent) -> Option<String> {
    match body {
        EventBody::NotesShown { notes, .. } if extent == Extent::Whole => {
            let one = |notes: &ShownNotes| {
                let standing = if notes.trusted {
                    "trusted"
                } else {
                    "untrusted"
                };
                let path = shown_line(&notes.path);
                format!("{path}, version {}, {standing}", notes.version.short())
            };
            let all: Vec<String> = notes.iter().map(one).collect();
            Some(format!("*Project notes: {}*", all.join("; ")))
        }
        EventBody::PictureShown { name, picture, .. } => Some(format!(
            "*Picture shown: {}, {} × {} pixels*",
            shown_line(name),
            picture.width,
            picture.height
        )),
        EventBody::InputGiven { name, text, .. } => Some(match extent {
            Extent::Overview => format!("*Data given: {}*", shown_line(name)),
            Extent::Whole => format!("*Data given: {}*\n\n> {}", shown_line(name), quoted(text)),
        }),
        _ => None,
    }
}

fn result(
    status: CallStatus,
    duration_ms: u64,
    artifacts: &[String],
    text: &str,
    extent: Extent,
) -> String {
    let mut out = format!("  - {} in {duration_ms} ms", word(status));
    if !artifacts.is_empty() {
        out.push_str(&format!("; files: {}", shown_line(&artifacts.join(", "))));
    }
    if extent == Extent::Whole && !text.trim().is_empty() {
        // Indented so far, it is code: nothing in it is drawn.
        out.push_str(&format!("\n\n        {}", capped(fence::body(text))));
    }
    out
}

fn capped(text: &str) -> String {
    let text = prose(text);
    let indented = |text: &str| text.trim_end().replace('\n', "\n        ");
    match text.char_indices().nth(RESULT_CHARS) {
        None => indented(&text),
        Some((cut, _)) => {
            let more = text[cut..].chars().count();
            format!(
                "{}\n        […{more} more characters; the events have them]",
                indented(&text[..cut])
            )
        }
    }
}

fn planned(body: &EventBody) -> Option<String> {
    match body {
        EventBody::PlanProposed { plan, hash } => {
            let steps =
                plan.actions.iter().enumerate().map(|(index, action)| {
                    format!("{}. `{}`", index + 1, shown_line(&step(action)))
                });
            let steps = steps.collect::<Vec<_>>().join("\n");
            Some(format!(
                "### Plan {}\n\n{}\n\n{steps}",
                hash.short(),
                shown_line(&plan.intent)
            ))
        }
        EventBody::PlanApproved { hash, by } => {
            Some(format!("*Plan {} approved: {by}.*", hash.short()))
        }
        _ => None,
    }
}

/// A step of a plan as it is shown before it runs, with all that it says.
fn step(action: &Action) -> String {
    let mut fields = serde_json::to_value(action).unwrap_or_default();
    if let Some(members) = fields.as_object_mut() {
        members.shift_remove("kind");
    }
    format!("{} {}", action.kind(), whole_arguments(&fields))
        .trim_end()
        .to_owned()
}

const fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "done",
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "stopped",
    }
}

/// An answer to a question, in words.
fn answered(answer: &ConfirmationAnswer) -> String {
    match answer {
        ConfirmationAnswer::Once => "yes, once".to_owned(),
        ConfirmationAnswer::Session => "yes, for the session".to_owned(),
        ConfirmationAnswer::Deny { message } if message.is_empty() => "no".to_owned(),
        ConfirmationAnswer::Deny { message } => format!("no: {}", shown_line(message)),
    }
}
