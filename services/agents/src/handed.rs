//! What an agent has handed out, folded from the session log: where its tasks stand, and in what
//! words a report is carried on. It outlasts the request that it was for.

use domain::id::AgentId;
use domain::lineage::AgentType;
use domain::report::{Report, ReportStatus};
use domain::task::{Task, TaskStatus};
use orchestration::{Standing, tasks_in_json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Tasks and the agents at work on them.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    tasks: Vec<One>,
    /// Agents at work, each with what its report is told under.
    names: BTreeMap<AgentId, String>,
}

#[derive(Debug)]
struct One {
    task: Task,
    status: TaskStatus,
    reason: String,
    artifacts: Vec<String>,
}

impl Handed {
    /// A request was taken apart into these tasks.
    pub(crate) fn planned(&mut self, tasks: &[Task]) {
        let one = |task: &Task| One {
            task: task.clone(),
            status: TaskStatus::Waiting,
            reason: String::new(),
            artifacts: Vec::new(),
        };
        self.tasks = tasks.iter().map(one).collect();
    }

    /// A task stands somewhere else.
    pub(crate) fn moved(&mut self, task_id: &str, status: TaskStatus, reason: &str) {
        if let Some(one) = self.tasks.iter_mut().find(|one| one.task.id == task_id) {
            one.status = status;
            reason.clone_into(&mut one.reason);
        }
    }

    /// An agent was started, on one of the tasks or on none.
    pub(crate) fn begun(&mut self, child: AgentId, agent_type: &AgentType, label: Option<&str>) {
        let name = label.map_or_else(|| agent_type.to_string(), str::to_owned);
        self.names.insert(child, name);
    }

    /// It has reported: the report in words, defused, since the agent wrote it.
    pub(crate) fn ended(&mut self, child: AgentId, report: &Report) -> String {
        let name = self.names.remove(&child).unwrap_or_default();
        if let Some(one) = self.tasks.iter_mut().find(|one| one.task.id == name) {
            one.artifacts.clone_from(&report.artifacts);
        }
        text::firewall::defuse(&in_words(&name, report)).text
    }

    /// Where the tasks stand, as JSON; `None` when none was handed out.
    pub(crate) fn state(&self) -> Option<String> {
        if self.tasks.is_empty() {
            return None;
        }
        let standing = self.tasks.iter().map(|one| Standing {
            task: &one.task,
            status: one.status,
            reason: &one.reason,
            artifacts: &one.artifacts,
        });
        let state = tasks_in_json(standing).to_string();
        Some(text::firewall::defuse(&state).text)
    }
}

fn in_words(name: &str, report: &Report) -> String {
    let status = report.status.as_str();
    let quality = report.result_quality.as_str();
    let mut words = format!("{name}: {status}, {quality}. {}", report.summary.trim());
    let failed = report.status != ReportStatus::Success;
    if let Some(reason) = report.failure_reason.as_ref().filter(|_| failed) {
        let _ = write!(words, "\nFailed because: {reason}");
    }
    if !report.artifacts.is_empty() {
        let _ = write!(words, "\nFiles: {}", report.artifacts.join(", "));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestration::failed_report;
    use uuid::Uuid;

    #[test]
    fn the_state_follows_the_events_and_a_report_is_told_under_its_task() {
        let mut handed = Handed::default();
        assert_eq!(handed.state(), None);
        let task = |id: &str| Task {
            id: id.to_owned(),
            agent_type: "coder".to_owned(),
            goal: format!("do {id}"),
            inputs: Vec::new(),
            depends_on: Vec::new(),
            expected_artifacts: Vec::new(),
        };
        handed.planned(&[task("a"), task("b")]);
        let child = AgentId::from_uuid(Uuid::from_u128(1));
        handed.begun(child, &AgentType::new("coder").unwrap(), Some("a"));
        handed.moved("a", TaskStatus::Done, "");
        handed.moved("b", TaskStatus::Skipped, "it needs a");
        let mut report = failed_report("no disk");
        report.summary = "Half of it.".to_owned();
        report.artifacts = vec!["/w/a.txt".to_owned()];
        let words = handed.ended(child, &report);
        assert_eq!(
            words,
            "a: failed, uncertain. Half of it.\nFailed because: no disk\nFiles: /w/a.txt"
        );
        let state: serde_json::Value = serde_json::from_str(&handed.state().unwrap()).unwrap();
        assert_eq!(state["tasks"][0]["status"], "done");
        assert_eq!(state["tasks"][0]["artifacts"][0], "/w/a.txt");
        assert_eq!(state["tasks"][1]["note"], "it needs a");
    }
}
