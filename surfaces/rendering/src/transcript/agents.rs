//! What sub-agents and tasks came to.

use super::extent::{shown, shown_line};
use domain::event::{Event, EventBody};
use domain::id::AgentId;
use domain::report::{Report, ReportSource};
use domain::task::{Task, TaskStatus};

/// Agents that worked for others, in the order they began.
pub(super) fn in_order(events: &[Event]) -> Vec<AgentId> {
    let spawned = events.iter().filter_map(|event| match &event.body {
        EventBody::AgentSpawned { child, .. } => Some(*child),
        _ => None,
    });
    spawned.collect()
}

/// How an agent's own page begins.
pub(super) fn heading(event: &Event, began: &str) -> Option<String> {
    match &event.body {
        EventBody::AgentSpawned {
            child,
            agent_type,
            task,
            ..
        } => Some(format!(
            "# Agent {agent_type}\n\n- id: {child}\n- began: {began}\n\n{}",
            shown(task)
        )),
        _ => None,
    }
}

/// How an agent's own page ends.
pub(super) fn report(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::AgentFinished { .. } => line(event).map(|line| format!("## Report\n\n{line}")),
        _ => None,
    }
}

/// What the agent that started others tells of them.
pub(super) fn line(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::AgentSpawned {
            child,
            agent_type,
            task,
            task_id,
            ..
        } => {
            let task_id = task_id
                .as_ref()
                .map(|id| format!(", task {}", shown_line(id)));
            Some(format!(
                "- agent `{agent_type}` {child} begins{}: {}",
                task_id.unwrap_or_default(),
                shown_line(task)
            ))
        }
        EventBody::AgentFinished {
            child,
            report,
            corrections,
            usage,
            duration_ms,
        } => {
            let mut text = format!(
                "- agent {child} reports ({} tokens, {duration_ms} ms): {}",
                usage.prompt_tokens + usage.completion_tokens,
                in_words(report)
            );
            for correction in corrections {
                text.push_str(&format!("\n  - corrected: {}", shown_line(correction)));
            }
            Some(text)
        }
        EventBody::TasksProposed { tasks, hash } => {
            let tasks = tasks.iter().map(planned).collect::<Vec<_>>();
            Some(format!(
                "### Proposed tasks {}\n\n{}",
                hash.short(),
                tasks.join("\n")
            ))
        }
        EventBody::TasksPlanned { tasks } => {
            let tasks = tasks.iter().map(planned).collect::<Vec<_>>();
            Some(format!("### Tasks\n\n{}", tasks.join("\n")))
        }
        EventBody::TaskMoved {
            task_id,
            status,
            reason,
        } => {
            let why = match reason.as_str() {
                "" => String::new(),
                reason => format!(": {}", shown_line(reason)),
            };
            Some(format!(
                "- task {} {}{why}",
                shown_line(task_id),
                moved(*status)
            ))
        }
        _ => None,
    }
}

fn planned(task: &Task) -> String {
    let after = match task.depends_on.is_empty() {
        true => String::new(),
        false => format!(" after {}", shown_line(&task.depends_on.join(", "))),
    };
    let leaves = match task.expected_artifacts.is_empty() {
        true => String::new(),
        false => format!(
            "; leaves {}",
            shown_line(&task.expected_artifacts.join(", "))
        ),
    };
    format!(
        "- {} (`{}`{after}): {}{leaves}",
        shown_line(&task.id),
        shown_line(&task.agent_type),
        shown_line(&task.goal)
    )
}

/// A report with everything in it.
fn in_words(report: &Report) -> String {
    let mut text = format!(
        "{}, {}, from {}: {}",
        report.status.as_str(),
        report.result_quality.as_str(),
        source(report.source),
        shown_line(&report.summary)
    );
    if let Some(reason) = &report.failure_reason {
        text.push_str(&format!("\n  - because: {}", shown_line(reason)));
    }
    if !report.artifacts.is_empty() {
        text.push_str(&format!(
            "\n  - files: {}",
            shown_line(&report.artifacts.join(", "))
        ));
    }
    for fact in &report.new_memory_candidates {
        text.push_str(&format!("\n  - worth remembering: {}", shown_line(fact)));
    }
    text
}

const fn source(source: ReportSource) -> &'static str {
    match source {
        ReportSource::ToolOutput => "tools",
        ReportSource::ModelKnowledge => "what the model knew",
        ReportSource::Web => "the web",
    }
}

/// Where a task stands.
#[must_use]
pub const fn moved(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Waiting => "waits",
        TaskStatus::Running => "runs",
        TaskStatus::Done => "is done",
        TaskStatus::Failed => "failed",
        TaskStatus::Skipped => "was not begun",
    }
}
