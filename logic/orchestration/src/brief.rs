//! The brief of a task: all that the agent which does it is told.

use crate::confidence::{Work, Worth};
use crate::machine::Input;
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
    /// The reports that it builds on; for a check, the report in question alone.
    pub reports: &'a [Input<'a>],
}

/// The brief: what is to be done, and what other agents reported, which is data and stands behind a
/// fence that `nonce` marks.
#[must_use]
pub fn brief(assignment: &Assignment<'_>, nonce: &str) -> String {
    let (mut text, reports) = parts(assignment);
    if !reports.is_empty() {
        let shown = text::firewall::defuse(&reports);
        let note = shown.report.note();
        let fenced = text::fence::wrap_noted("reports", nonce, false, &note, &shown.text);
        text.push_str("\n\nReports it builds on:\n");
        text.push_str(&fenced);
    }
    text
}

/// What is to be done, and what other agents reported; the second is empty when there is nothing to
/// build on.
fn parts(assignment: &Assignment<'_>) -> (String, String) {
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
    for input in assignment.reports {
        let short = match input.worth {
            Worth::Whole => continue,
            Worth::Part => "only part of it is done",
            Worth::Unverified => "nothing shows that it is right",
        };
        let _ = write!(
            text,
            "\n\nOf `{}`, which this builds on, {short}.",
            input.task_id
        );
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

fn shown(reports: &[Input<'_>]) -> String {
    let mut text = String::new();
    for Input {
        task_id, report, ..
    } in reports
    {
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
            reports: &[Input {
                task_id: "a",
                report: &report,
                worth: Worth::Whole,
            }],
        };
        let (text, reports) = parts(&assignment);
        assert_eq!(
            text,
            "Join the lists.\n\nYou need:\n- The lists are sorted.\n\nLeave behind:\n- all.txt\n\n\
             It was tried once and failed: no suchfile"
        );
        assert_eq!(reports, "a: Wrote a list.\n- /w/a.txt");
    }

    #[test]
    fn what_is_short_of_what_it_builds_on_is_said_outside_the_reports() {
        let report = failed_report("x");
        let input = |task_id, worth| Input {
            task_id,
            report: &report,
            worth,
        };
        let reports = [
            input("a", Worth::Part),
            input("b", Worth::Whole),
            input("d", Worth::Unverified),
        ];
        let assignment = Assignment {
            task: &task(),
            work: Work::Do,
            again: None,
            reports: &reports,
        };
        let (text, _) = parts(&assignment);
        assert!(
            text.ends_with(
                "\n\nOf `a`, which this builds on, only part of it is done.\n\nOf `d`, which this \
                 builds on, nothing shows that it is right."
            ),
            "{text}"
        );
    }

    #[test]
    fn a_check_is_told_to_change_nothing_and_to_leave_nothing() {
        let report = failed_report("x");
        let assignment = Assignment {
            task: &task(),
            work: Work::Check,
            again: None,
            reports: &[Input {
                task_id: "c",
                report: &report,
                worth: Worth::Whole,
            }],
        };
        let (text, reports) = parts(&assignment);
        assert!(text.contains("change nothing"));
        assert!(!text.contains("all.txt"));
        assert!(reports.starts_with("c: "));
    }
}
