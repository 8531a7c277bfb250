//! The tasks of a request as the session log has them: what was planned, who was started on it and
//! what was reported, so that an orchestration goes on after a crash.

use domain::decision::Layer;
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody};
use domain::id::{AgentId, CallId};
use domain::lineage::AgentType;
use domain::report::Report;
use domain::task::{Task, TaskStatus};
use orchestration::{Begun, Evidence, Refusal};
use std::collections::{BTreeMap, BTreeSet};

/// What one request's tasks have come to.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskLog {
    /// The tasks, as planned last.
    pub(crate) tasks: Vec<Task>,
    /// Where each was last said to be.
    pub(crate) said: BTreeMap<String, TaskStatus>,
    begun: Vec<(AgentId, Begun)>,
    /// Files that the agents on the tasks made or changed, those below them included.
    wrote: BTreeMap<AgentId, BTreeSet<String>>,
    /// What the agents on the tasks were refused.
    refused: BTreeMap<AgentId, Refused>,
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
                    // Refused by the house before anybody judged it: another try need not meet it.
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
    /// Tasks that nobody has begun.
    pub(crate) fn of(tasks: Vec<Task>) -> Self {
        Self {
            tasks,
            ..Self::default()
        }
    }

    /// An agent was started on a task.
    pub(crate) fn agent_begun(&mut self, child: AgentId, agent_type: &AgentType, label: &str) {
        let begun = Begun {
            label: label.to_owned(),
            agent_type: agent_type.clone(),
            outcome: None,
        };
        self.begun.push((child, begun));
    }

    /// An agent has reported. One that works on no task changes nothing.
    pub(crate) fn agent_ended(&mut self, child: AgentId, report: &Report) {
        let evidence = Evidence {
            report: report.clone(),
            refused: self.refusal(child),
        };
        let found = self.begun.iter_mut().find(|(id, _)| *id == child);
        if let Some((_, begun)) = found {
            begun.outcome = Some(evidence);
        }
    }

    /// A call for an agent on one of the tasks, or for one below it, made or changed these files.
    pub(crate) fn wrote(&mut self, child: AgentId, files: &[String]) {
        if self.begun.iter().any(|(id, _)| *id == child) {
            let own = self.wrote.entry(child).or_default();
            own.extend(files.iter().cloned());
        }
    }

    /// Something happened to a call of an agent on one of the tasks.
    pub(crate) fn called(&mut self, child: AgentId, event: &Event) {
        if self.begun.iter().any(|(id, _)| *id == child) {
            self.refused.entry(child).or_default().note(event);
        }
    }

    /// What an agent on one of the tasks was refused, and whether it ended on that.
    pub(crate) fn refusal(&self, child: AgentId) -> Refusal {
        let refused = self.refused.get(&child);
        refused.map_or(Refusal::Nothing, |refused| refused.so_far.clone())
    }

    /// Files that others than this agent made or changed when they tried the same task.
    pub(crate) fn earlier_files(&self, label: &str, child: AgentId) -> BTreeSet<String> {
        let others = self
            .begun
            .iter()
            .filter(|(id, begun)| *id != child && begun.label == label);
        let files = others.filter_map(|(id, _)| self.wrote.get(id));
        files.flatten().cloned().collect()
    }

    /// The agents that were started, in order.
    pub(crate) fn begun(&self) -> Vec<Begun> {
        self.begun.iter().map(|(_, begun)| begun.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn earlier_files_are_those_of_other_tries_of_the_same_task() {
        let agent = |number: u128| AgentId::from_uuid(Uuid::from_u128(number));
        let coder = AgentType::new("coder").unwrap();
        let mut log = TaskLog::default();
        for (number, label) in [(1, "a"), (2, "b"), (3, "a/check"), (4, "a")] {
            log.agent_begun(agent(number), &coder, label);
            log.wrote(agent(number), &[format!("/w/{number}")]);
        }
        log.wrote(agent(9), &["/w/9".to_owned()]);
        let earlier = |label, number| log.earlier_files(label, agent(number));
        assert_eq!(earlier("a", 4), BTreeSet::from(["/w/1".to_owned()]));
        assert_eq!(earlier("b", 2), BTreeSet::new());
        assert_eq!(earlier("c", 5), BTreeSet::new());
    }
}
