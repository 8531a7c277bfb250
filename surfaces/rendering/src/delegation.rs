//! What is said of delegated work: of the beginning and end of agents, and of a request's tasks.

use domain::report::Report;
use domain::task::{Task, TaskStatus};
use text::escape::visible_line;

/// Longest part of a brief that stands on one line, characters.
const BRIEF_CHARS: usize = 100;

/// What an agent is about to do, in one line.
pub(super) fn beginning(task: &str, task_id: Option<&str>) -> String {
    let line = visible_line(task.lines().next().unwrap_or_default());
    let cut: String = line.chars().take(BRIEF_CHARS).collect();
    let more = if cut.len() < line.len() || task.lines().count() > 1 {
        "…"
    } else {
        ""
    };
    match task_id {
        Some(id) => format!("[{}] {cut}{more}", visible_line(id)),
        None => format!("{cut}{more}"),
    }
}

/// What an agent returned, in one line.
pub(super) fn end(report: &Report) -> String {
    let status = report.status.as_str();
    let quality = report.result_quality.as_str();
    let why = report.failure_reason.as_deref().map(visible_line);
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "{status}, {quality}: {}{why}",
        visible_line(&report.summary)
    )
}

/// One task of a request, in one line.
pub(super) fn task(task: &Task) -> String {
    let needs = if task.depends_on.is_empty() {
        String::new()
    } else {
        format!(", after {}", visible_line(&task.depends_on.join(", ")))
    };
    format!(
        "{} ({}{needs}): {}",
        visible_line(&task.id),
        visible_line(&task.agent_type),
        beginning(&task.goal, None)
    )
}

/// A task that waits for approval, with the files that it would leave.
pub(super) fn proposed(one: &Task) -> String {
    let leaves = match one.expected_artifacts.is_empty() {
        true => String::new(),
        false => format!(
            "; leaves {}",
            visible_line(&one.expected_artifacts.join(", "))
        ),
    };
    format!("{}{leaves}", task(one))
}

/// Where a task came to, when that is worth a line.
pub(super) fn moved(task_id: &str, status: TaskStatus, reason: &str) -> Option<String> {
    let word = match status {
        TaskStatus::Failed => "failed",
        TaskStatus::Skipped => "skipped",
        TaskStatus::Done if !reason.is_empty() => "done",
        TaskStatus::Running if !reason.is_empty() => "goes on",
        TaskStatus::Done | TaskStatus::Running | TaskStatus::Waiting => return None,
    };
    Some(format!(
        "{} {word}: {}",
        visible_line(task_id),
        visible_line(reason)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_is_one_line_and_nothing_in_it_moves_the_cursor() {
        assert_eq!(beginning("Look.\nThere", Some("a")), "[a] Look.…");
        assert!(!beginning("a\u{1b}[2Jb", None).contains('\u{1b}'));
        let long = "x".repeat(BRIEF_CHARS + 1);
        assert_eq!(beginning(&long, None).chars().count(), BRIEF_CHARS + 1);
    }

    #[test]
    fn a_task_that_simply_runs_or_is_done_needs_no_line() {
        assert_eq!(moved("a", TaskStatus::Done, ""), None);
        assert_eq!(
            moved("a", TaskStatus::Skipped, "needs `b`"),
            Some("a skipped: needs `b`".to_owned())
        );
    }
}
