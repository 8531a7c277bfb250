//! The tasks that an agent handed out, folded from the session log: what was planned, who was
//! started on it, what was reported and refused, and where each task stands. By it an orchestration
//! goes on after a crash, and the agent is shown its tasks when the request is over, too.

use crate::confidence::Evidence;
use crate::machine::Begun;
use crate::refusal::Refusal;
use crate::state::{Standing, tasks_in_json};
use domain::decision::Layer;
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody};
use domain::id::{AgentId, CallId};
use domain::lineage::AgentType;
use domain::report::{Report, ReportStatus};
use domain::task::{Task, TaskStatus};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What one agent has handed out last.
#[derive(Debug, Clone, Default)]
pub struct TaskLog {
    /// The tasks, as planned last.
    tasks: Vec<LoggedTask>,
    /// Whether the request that they are parts of is being worked on.
    is_open: bool,
    begun: Vec<(AgentId, Begun)>,
    /// Files that the agents on the tasks made or changed, those below them included.
    wrote: BTreeMap<AgentId, BTreeSet<String>>,
    /// What the agents on the tasks were refused.
    refused: BTreeMap<AgentId, Refused>,
    /// Agents at work, on a task or on none, each with what its report is told under.
    names: BTreeMap<AgentId, String>,
}

#[derive(Debug, Clone)]
struct LoggedTask {
    task: Task,
    /// Where it was last said to be.
    said: Option<TaskStatus>,
    reason: String,
    artifacts: Vec<String>,
}

/// What an agent was refused, as its events say it one after the other.
#[derive(Debug, Clone, Default)]
struct Refused {
    so_far: Refusal,
    /// Calls that have no result yet: the last layer that spoke, and who said no.
    open: BTreeMap<CallId, (Layer, Option<String>)>,
}

impl Refused {
    fn note(&mut self, event: &Event) {
        let Some(call_id) = event.call_id else {
            return;
        };
        match &event.body {
            EventBody::BrokerDecision { layer, .. } => {
                self.open.insert(call_id, (*layer, None));
            }
            EventBody::ConfirmationAnswered {
                answer: ConfirmationAnswer::Deny { .. },
                by,
                ..
            } => {
                if let Some((_, no)) = self.open.get_mut(&call_id) {
                    *no = Some(by.clone());
                }
            }
            EventBody::ToolResult { tool, status, .. } => {
                let judged = self.open.remove(&call_id);
                self.so_far = match (status, judged) {
                    (CallStatus::Denied, Some((layer, no))) => {
                        Refusal::of(tool, layer, no.as_deref())
                    }
                    // Refused before anybody judged it: another try need not meet it.
                    (CallStatus::Denied, None) => Refusal::Passing,
                    (CallStatus::Ok | CallStatus::Failed | CallStatus::Cancelled, _) => {
                        std::mem::take(&mut self.so_far).passed()
                    }
                };
            }
            _ => {}
        }
    }
}

impl TaskLog {
    /// A request was taken apart into these tasks. Nobody has begun one.
    pub fn planned(&mut self, tasks: &[Task]) {
        let logged = |task: &Task| LoggedTask {
            task: task.clone(),
            said: None,
            reason: String::new(),
            artifacts: Vec::new(),
        };
        *self = Self {
            tasks: tasks.iter().map(logged).collect(),
            is_open: true,
            names: std::mem::take(&mut self.names),
            ..Self::default()
        };
    }

    /// A task stands somewhere else.
    pub fn moved(&mut self, task_id: &str, status: TaskStatus, reason: &str) {
        if let Some(one) = self.tasks.iter_mut().find(|one| one.task.id == task_id) {
            one.said = Some(status);
            reason.clone_into(&mut one.reason);
        }
    }

    /// The request is over; where its tasks stand remains.
    pub fn request_ended(&mut self) {
        self.is_open = false;
        self.begun.clear();
        self.wrote.clear();
        self.refused.clear();
    }

    /// The log, if the request that its tasks are parts of is being worked on.
    #[must_use]
    pub fn open(&self) -> Option<&Self> {
        self.is_open.then_some(self)
    }

    /// An agent was started, on one of the tasks or on none.
    pub fn agent_started(&mut self, child: AgentId, agent_type: &AgentType, label: Option<&str>) {
        let name = label.map_or_else(|| agent_type.to_string(), str::to_owned);
        self.names.insert(child, name);
        if let Some(label) = label.filter(|_| self.is_open) {
            let begun = Begun {
                label: label.to_owned(),
                agent_type: agent_type.clone(),
                outcome: None,
            };
            self.begun.push((child, begun));
        }
    }

    /// An agent has reported, on one of the tasks or on none: the report in words. The agent wrote
    /// them, and they are to be defused before a model is shown them.
    pub fn agent_reported(&mut self, child: AgentId, report: &Report) -> String {
        let name = self.names.remove(&child).unwrap_or_default();
        if let Some(one) = self.tasks.iter_mut().find(|one| one.task.id == name) {
            one.artifacts.clone_from(&report.artifacts);
        }
        let evidence = Evidence {
            report: report.clone(),
            refused: self.refusal(child),
        };
        if let Some((_, begun)) = self.begun.iter_mut().find(|(id, _)| *id == child) {
            begun.outcome = Some(evidence);
        }
        in_words(&name, report)
    }

    /// A call for an agent on one of the tasks, or for one below it, made or changed these files.
    pub fn wrote(&mut self, child: AgentId, files: &[String]) {
        if self.begun.iter().any(|(id, _)| *id == child) {
            let own = self.wrote.entry(child).or_default();
            own.extend(files.iter().cloned());
        }
    }

    /// Something happened to a call of an agent on one of the tasks.
    pub fn called(&mut self, child: AgentId, event: &Event) {
        if self.begun.iter().any(|(id, _)| *id == child) {
            self.refused.entry(child).or_default().note(event);
        }
    }

    /// What an agent on one of the tasks was refused, and whether it ended on that.
    pub fn refusal(&self, child: AgentId) -> Refusal {
        let refused = self.refused.get(&child);
        refused.map_or(Refusal::Nothing, |refused| refused.so_far.clone())
    }

    /// Files that others than this agent made or changed when they tried the same task.
    pub fn earlier_files(&self, label: &str, child: AgentId) -> BTreeSet<String> {
        let others = self
            .begun
            .iter()
            .filter(|(id, begun)| *id != child && begun.label == label);
        let files = others.filter_map(|(id, _)| self.wrote.get(id));
        files.flatten().cloned().collect()
    }

    /// The agents that were started on the tasks, in order.
    #[must_use]
    pub fn begun(&self) -> Vec<Begun> {
        self.begun.iter().map(|(_, begun)| begun.clone()).collect()
    }

    /// The tasks, as planned last.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        self.tasks.iter().map(|one| one.task.clone()).collect()
    }

    /// Where each task was last said to be.
    #[must_use]
    pub fn said(&self) -> BTreeMap<String, TaskStatus> {
        let said = self.tasks.iter();
        said.filter_map(|one| Some((one.task.id.clone(), one.said?)))
            .collect()
    }

    /// Where the tasks stand, as JSON; `None` when none was handed out. Reasons and paths are
    /// agents' words, and are to be defused before a model is shown them.
    #[must_use]
    pub fn state(&self) -> Option<Value> {
        if self.tasks.is_empty() {
            return None;
        }
        let standing = self.tasks.iter().map(|one| Standing {
            task: &one.task,
            status: one.said.unwrap_or(TaskStatus::Waiting),
            reason: &one.reason,
            artifacts: &one.artifacts,
        });
        Some(tasks_in_json(standing))
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
    use crate::failed::failed_report;
    use uuid::Uuid;

    fn agent(number: u128) -> AgentId {
        AgentId::from_uuid(Uuid::from_u128(number))
    }

    fn coder() -> AgentType {
        AgentType::new("coder").unwrap()
    }

    fn task(id: &str) -> Task {
        Task {
            id: id.to_owned(),
            agent_type: "coder".to_owned(),
            goal: format!("do {id}"),
            inputs: Vec::new(),
            depends_on: Vec::new(),
            expected_artifacts: Vec::new(),
        }
    }

    #[test]
    fn earlier_files_are_those_of_other_tries_of_the_same_task() {
        let mut log = TaskLog::default();
        log.planned(&[task("a"), task("b")]);
        for (number, label) in [(1, "a"), (2, "b"), (3, "a/check"), (4, "a")] {
            log.agent_started(agent(number), &coder(), Some(label));
            log.wrote(agent(number), &[format!("/w/{number}")]);
        }
        log.wrote(agent(9), &["/w/9".to_owned()]);
        let earlier = |label, number| log.earlier_files(label, agent(number));
        assert_eq!(earlier("a", 4), BTreeSet::from(["/w/1".to_owned()]));
        assert_eq!(earlier("b", 2), BTreeSet::new());
        assert_eq!(earlier("c", 5), BTreeSet::new());
    }

    #[test]
    fn a_report_is_told_under_its_task_and_moves_the_state() {
        let mut log = TaskLog::default();
        assert_eq!(log.state(), None);
        log.planned(&[task("a"), task("b")]);
        log.agent_started(agent(1), &coder(), Some("a"));
        log.moved("a", TaskStatus::Done, "");
        log.moved("b", TaskStatus::Skipped, "it needs a");
        let mut report = failed_report("no disk");
        report.summary = "Half of it.".to_owned();
        report.artifacts = vec!["/w/a.txt".to_owned()];
        let words = log.agent_reported(agent(1), &report);
        assert_eq!(
            words,
            "a: failed, uncertain. Half of it.\nFailed because: no disk\nFiles: /w/a.txt"
        );
        let state = log.state().unwrap();
        assert_eq!(state["tasks"][0]["status"], "done");
        assert_eq!(state["tasks"][0]["artifacts"][0], "/w/a.txt");
        assert_eq!(state["tasks"][1]["note"], "it needs a");
        assert_eq!(log.begun()[0].outcome.as_ref().unwrap().report, report);
    }

    #[test]
    fn the_state_of_tasks_outlasts_their_request() {
        let mut log = TaskLog::default();
        log.planned(&[task("a")]);
        log.agent_started(agent(1), &coder(), Some("a"));
        log.moved("a", TaskStatus::Running, "");
        assert_eq!(log.open().map(TaskLog::tasks), Some(vec![task("a")]));
        let said = BTreeMap::from([("a".to_owned(), TaskStatus::Running)]);
        assert_eq!(log.said(), said);
        log.request_ended();
        assert!(log.open().is_none() && log.begun().is_empty());
        assert_eq!(log.state().unwrap()["tasks"][0]["status"], "running");
        // An agent that is started now works on none of them, and is told under its type.
        log.agent_started(agent(2), &coder(), None);
        let words = log.agent_reported(agent(2), &failed_report("no"));
        assert!(words.starts_with("coder: failed"), "{words}");
        log.planned(&[task("b")]);
        assert!(log.said().is_empty());
    }
}
