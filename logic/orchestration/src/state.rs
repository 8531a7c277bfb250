//! Where an orchestration stands, as the orchestrating agent is shown it: task state as JSON, and
//! one rolling summary.

use crate::machine::Orchestration;
use domain::limits::ROLLING_SUMMARY_TOKENS;
use domain::task::{Task, TaskStatus};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters that surely are no more than one token in three, in any script a model reads here.
const CHARS_PER_TOKEN: u64 = 3;
/// Longest goal or note that is repeated, characters.
const NOTE_CHARS: usize = 160;

const fn word(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Waiting => "waiting",
        TaskStatus::Running => "running",
        TaskStatus::Done => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Skipped => "skipped",
    }
}

/// Where one task stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The task.
    pub task: &'a Task,
    /// Where.
    pub status: TaskStatus,
    /// Why; may be empty.
    pub reason: &'a str,
    /// The paths that were left.
    pub artifacts: &'a [String],
}

/// Tasks with their state, why, and the paths they left.
#[must_use]
pub fn tasks_in_json<'a>(standing: impl IntoIterator<Item = Standing<'a>>) -> Value {
    let tasks: Vec<Value> = standing
        .into_iter()
        .map(|one| {
            let (task, status, reason, artifacts) =
                (one.task, one.status, one.reason, one.artifacts);
            let mut one = json!({
                "id": task.id,
                "agent": task.agent_type,
                "goal": cut(&task.goal),
                "status": word(status),
            });
            if !reason.is_empty() {
                one["note"] = Value::from(cut(reason));
            }
            if !task.depends_on.is_empty() {
                one["needs"] = Value::from(task.depends_on.clone());
            }
            if !artifacts.is_empty() {
                one["artifacts"] = Value::from(artifacts);
            }
            one
        })
        .collect();
    json!({ "tasks": tasks })
}

/// Every task with its state, why, and the paths it left; no report's words.
#[must_use]
pub fn task_state(orchestration: &Orchestration) -> Value {
    let standing = orchestration
        .standing()
        .map(|(task, status, reason, report)| Standing {
            task,
            status,
            reason,
            artifacts: report.map_or(&[][..], |report| report.artifacts.as_slice()),
        });
    let mut state = tasks_in_json(standing);
    if let Some(left) = orchestration.left() {
        state["tokens_left"] = Value::from(left);
    }
    state
}

/// The state in words, within [`ROLLING_SUMMARY_TOKENS`].
#[must_use]
pub fn rolling_summary(orchestration: &Orchestration) -> String {
    let all: Vec<_> = orchestration.standing().collect();
    let done = all
        .iter()
        .filter(|(_, s, ..)| *s == TaskStatus::Done)
        .count();
    let mut text = format!("{done} of {} tasks done.", all.len());
    let order = [
        TaskStatus::Failed,
        TaskStatus::Skipped,
        TaskStatus::Running,
        TaskStatus::Waiting,
        TaskStatus::Done,
    ];
    for wanted in order {
        for (task, status, reason, _) in all.iter().filter(|(_, s, ..)| *s == wanted) {
            let is_plain = reason.is_empty();
            match *status {
                TaskStatus::Done if is_plain => continue,
                _ if is_plain => {
                    let _ = write!(text, " `{}` is {}.", task.id, word(*status));
                }
                _ => {
                    let _ = write!(text, " `{}` {}: {}.", task.id, word(*status), cut(reason));
                }
            }
        }
    }
    let most = usize::try_from(ROLLING_SUMMARY_TOKENS * CHARS_PER_TOKEN).unwrap_or(usize::MAX);
    if text.chars().count() > most {
        text = text.chars().take(most.saturating_sub(1)).collect();
        text.push('…');
    }
    text
}

fn cut(text: &str) -> String {
    let mut line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(NOTE_CHARS)
        .collect();
    if text.chars().count() > NOTE_CHARS {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::Evidence;
    use crate::failed_report;
    use crate::machine::Limits;
    use crate::refusal::Refusal;
    use std::collections::BTreeMap;

    fn orchestration(count: usize) -> Orchestration {
        let task = |n: usize| Task {
            id: format!("t{n}"),
            agent_type: "coder".to_owned(),
            goal: "goal ".repeat(200),
            inputs: Vec::new(),
            depends_on: Vec::new(),
            expected_artifacts: Vec::new(),
        };
        let limits = Limits {
            at_once: 12,
            tokens: Some(1_000),
            checker: None,
            stand_ins: BTreeMap::new(),
        };
        Orchestration::new((0..count).map(task).collect(), limits)
    }

    #[test]
    fn the_state_names_every_task_and_no_reports_words() {
        let mut whole = orchestration(2);
        let _ = whole.begin();
        let mut report = failed_report("x");
        report.status = domain::report::ReportStatus::Success;
        report.summary = "WORDS".to_owned();
        report.artifacts = vec!["/w/a".to_owned()];
        let outcome = Evidence {
            report,
            refused: Refusal::Nothing,
        };
        let _ = whole.reported("t0", outcome, 10);
        let state = task_state(&whole);
        assert_eq!(state["tasks"][0]["status"], "done");
        assert_eq!(state["tasks"][0]["artifacts"][0], "/w/a");
        assert_eq!(state["tasks"][1]["status"], "running");
        assert_eq!(state["tokens_left"], 990);
        assert!(!state.to_string().contains("WORDS"));
        assert_eq!(
            rolling_summary(&whole),
            "1 of 2 tasks done. `t1` is running. `t0` done: uncertain: it may be wrong."
        );
    }

    #[test]
    fn the_summary_stays_within_its_tokens() {
        let mut whole = orchestration(12);
        let _ = whole.begin();
        for n in 0..12 {
            for _ in 0..2 {
                let outcome = Evidence {
                    report: failed_report(&"why ".repeat(140)),
                    refused: Refusal::Nothing,
                };
                let _ = whole.reported(&format!("t{n}"), outcome, 0);
            }
        }
        let summary = rolling_summary(&whole);
        assert!(summary.chars().count() as u64 <= ROLLING_SUMMARY_TOKENS * CHARS_PER_TOKEN);
        assert!(summary.contains("`t0` failed"));
    }
}
