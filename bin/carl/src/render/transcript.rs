//! A session as a document, from its events alone.

use super::crew::{self, Crew};
use super::links;
use super::values::arguments;
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use text::escape::visible;
use text::links::Known;

/// The session as Markdown.
#[must_use]
pub fn markdown(events: &[Event]) -> String {
    let mut out = String::new();
    let mut known = Known::default();
    let mut crew = Crew::default();
    for event in events {
        links::note(&mut known, event);
        crew.note(event);
        let part = match crew.name(event.agent_id) {
            Some(name) => of_child(name, &event.body),
            None => part(event, &known),
        };
        if let Some(part) = part {
            out.push_str(part.trim_end());
            out.push_str("\n\n");
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn part(event: &Event, known: &Known) -> Option<String> {
    match &event.body {
        EventBody::SessionOpened {
            profile,
            forked_from,
        } => {
            let name = if profile.name.is_empty() {
                "Session"
            } else {
                profile.name.as_str()
            };
            let folder = profile.settings.workspace.display();
            let mut text = format!(
                "# {}\n\n- id: {}\n- began: {}\n- folder: {folder}\n- agent: {}",
                visible(name),
                event.session_id,
                event.time,
                profile.agent_type
            );
            if let Some((parent, seq)) = forked_from {
                text.push_str(&format!("\n- forked from: {parent} at event {seq}"));
            }
            Some(text)
        }
        EventBody::SessionResumed { .. } => Some(format!("*Resumed {}.*", event.time)),
        EventBody::QueryReceived { text, mode, .. } => Some(format!(
            "## User ({}, {})\n\n{}",
            mode.as_str(),
            event.time,
            visible(text)
        )),
        EventBody::ModelAnswered { thinking, .. } => thinking.as_ref().map(|thinking| {
            format!(
                "> *thinking*\n>\n> {}",
                visible(&thinking.text).replace('\n', "\n> ")
            )
        }),
        EventBody::GenerationFinished { answer, model, .. } => {
            let by = model
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_else(|| "rules".to_owned());
            Some(format!(
                "## Answer ({by})\n\n{}",
                links::document(answer, known)
            ))
        }
        EventBody::QueryFinished { status, error, .. } if *status != QueryStatus::Success => {
            let why = error
                .as_ref()
                .map(|fault| format!(": {}", fault.message))
                .unwrap_or_default();
            Some(format!("*Ended {status:?}{why}*"))
        }
        EventBody::Notice(fault) | EventBody::Error(fault) => {
            Some(format!("*{}: {}*", fault.code, visible(&fault.message)))
        }
        other => work(other),
    }
}

/// What an agent did and said that another one started.
fn of_child(name: &str, body: &EventBody) -> Option<String> {
    match body {
        EventBody::ModelAnswered { text, aside, .. } if !text.trim().is_empty() => {
            let what = if *aside { "for Housecarl" } else { "said" };
            let quoted = visible(text.trim()).replace('\n', "\n> ");
            Some(format!("> *{name}, {what}*\n>\n> {quoted}"))
        }
        EventBody::Notice(fault) | EventBody::Error(fault) => Some(format!(
            "*{name}: {}: {}*",
            fault.code,
            visible(&fault.message)
        )),
        other => work(other).map(|text| match text.strip_prefix("- ") {
            Some(call) => format!("- {name}: {call}"),
            None => text,
        }),
    }
}

/// What became of tasks and the agents on them.
fn agents(body: &EventBody) -> Option<String> {
    match body {
        EventBody::TasksPlanned { tasks } => {
            let lines = tasks.iter().map(|task| format!("- {}", crew::task(task)));
            let lines: Vec<String> = lines.collect();
            Some(format!("### Tasks\n\n{}", lines.join("\n")))
        }
        EventBody::TaskMoved {
            task_id,
            status,
            reason,
        } => crew::moved(task_id, *status, reason).map(|text| format!("*{text}*")),
        EventBody::AgentSpawned {
            agent_type,
            task,
            child,
            ..
        } => Some(format!(
            "### Agent {agent_type} ({child})\n\n> {}",
            visible(task).replace('\n', "\n> ")
        )),
        EventBody::AgentFinished {
            child,
            report,
            corrections,
            ..
        } => {
            let mut text = format!("**Report of {child}**: {}", crew::end(report));
            for artifact in &report.artifacts {
                text.push_str(&format!("\n- {}", visible(artifact)));
            }
            for correction in corrections {
                text.push_str(&format!("\n- corrected: {}", visible(correction)));
            }
            Some(text)
        }
        _ => None,
    }
}

/// What tools and plans did.
fn work(body: &EventBody) -> Option<String> {
    match body {
        EventBody::ToolRequested {
            tool,
            arguments: args,
            ..
        } => Some(format!("- `{}` {}", visible(tool), arguments(args))),
        EventBody::BrokerDecision {
            verdict,
            layer,
            reason,
            ..
        } => Some(format!(
            "  - {} by {layer}: {}",
            verdict.as_str(),
            visible(reason)
        )),
        EventBody::ConfirmationAnswered { answer, by, .. } => {
            Some(format!("  - answered by {by}: {answer:?}"))
        }
        EventBody::ToolResult {
            status,
            duration_ms,
            ..
        } => Some(format!("  - {} in {duration_ms} ms", word(*status))),
        EventBody::PlanProposed { plan, hash } => {
            let steps = plan.actions.iter().enumerate().map(|(index, action)| {
                let fields = serde_json::to_string(action).unwrap_or_default();
                format!("{}. `{}`", index + 1, visible(&fields))
            });
            let steps = steps.collect::<Vec<_>>().join("\n");
            Some(format!(
                "### Plan {}\n\n{}\n\n{steps}",
                hash.short(),
                visible(&plan.intent)
            ))
        }
        EventBody::PlanApproved { hash, by } => {
            Some(format!("*Plan {} approved: {by}.*", hash.short()))
        }
        other => agents(other),
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
