//! The brief of a task: all that the agent which does it is told.

use crate::confidence::Work;
use domain::report::Report;
use domain::task::Task;
use std::fmt::Write as _;

/// What an agent is started on.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The task.
    pub task: &'a Task,
    /// Doing it or checking it.
    pub work: Work,
    /// Why the try before failed, when this is the second.
    pub again: Option<&'a str>,
    /// The reports that it builds on, by task; for a check, the report in question alone.
    pub reports: &'a [(&'a str, &'a Report)],
}

/// The brief in two parts: what is to be done, and what other agents reported, which is data and
/// stands behind a fence. The second is empty when there is nothing to build on.
#[must_use]
pub fn brief(assignment: &Assignment<'_>) -> (String, String) {
    let task = assignment.task;
    let mut text = match assignment.work {
        Work::Do => task.goal.trim().to_owned(),
        Work::Check => format!(
            "Another agent was asked: {}\nLook whether its report below is right. Use tools; \
             change nothing. Report `success` when it is, and `failed` with what is wrong when it \
             is not.",
            task.goal.trim()
        ),
    };
    list(&mut text, "You need", &task.inputs);
    if assignment.work == Work::Do {
        list(&mut text, "Leave behind", &task.expected_artifacts);
    }
    if let Some(reason) = assignment.again {
        let line: String = reason
            .chars()
            .filter(|c| !c.is_control())
            .take(600)
            .collect();
        let _ = write!(text, "\n\nIt was tried once and failed: {line}");
    }
    (text, shown(assignment.reports))
}

fn list(text: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n\n{heading}:");
    for line in lines {
        let _ = write!(text, "\n- {line}");
    }
}

fn shown(reports: &[(&str, &Report)]) -> String {
    let mut text = String::new();
    for (task_id, report) in reports {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let _ = write!(text, "{task_id}: {}", report.summary.trim());
        for artifact in &report.artifacts {
            let _ = write!(text, "\n- {artifact}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failed_report;

    fn task() -> Task {
        Task {
            id: "c".to_owned(),
            agent_type: "coder".to_owned(),
            goal: "Join the lists.".to_owned(),
            inputs: vec!["The lists are sorted.".to_owned()],
            depends_on: vec!["a".to_owned()],
            expected_artifacts: vec!["all.txt".to_owned()],
        }
    }

    #[test]
    fn a_brief_holds_goal_inputs_files_and_of_reports_summary_and_paths_alone() {
        let mut report = failed_report("SECRET-REASON");
        report.summary = "Wrote a list.".to_owned();
        report.artifacts = vec!["/w/a.txt".to_owned()];
        report.new_memory_candidates = vec!["SECRET-FACT".to_owned()];
        let assignment = Assignment {
            task: &task(),
            work: Work::Do,
            again: Some("no such\nfile"),
            reports: &[("a", &report)],
        };
        let (text, reports) = brief(&assignment);
        assert_eq!(
            text,
            "Join the lists.\n\nYou need:\n- The lists are sorted.\n\nLeave behind:\n- all.txt\n\n\
             It was tried once and failed: no suchfile"
        );
        assert_eq!(reports, "a: Wrote a list.\n- /w/a.txt");
    }

    #[test]
    fn a_check_is_told_to_change_nothing_and_to_leave_nothing() {
        let report = failed_report("x");
        let assignment = Assignment {
            task: &task(),
            work: Work::Check,
            again: None,
            reports: &[("c", &report)],
        };
        let (text, reports) = brief(&assignment);
        assert!(text.contains("change nothing"));
        assert!(!text.contains("all.txt"));
        assert!(reports.starts_with("c: "));
    }
}
