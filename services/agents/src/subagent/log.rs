//! The tasks of a request as the session log has them: what was planned, who was started on it and
//! what was reported, so that an orchestration goes on after a crash.

use crate::subagent::means::tokens;
use domain::id::AgentId;
use domain::lineage::AgentType;
use domain::model::Usage;
use domain::report::Report;
use domain::task::{Task, TaskStatus};
use orchestration::{Begun, Evidence};
use std::collections::BTreeMap;

/// What one request's tasks have come to.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskLog {
    /// The tasks, as planned last.
    pub(crate) tasks: Vec<Task>,
    /// Where each was last said to be.
    pub(crate) said: BTreeMap<String, TaskStatus>,
    begun: Vec<(AgentId, Begun)>,
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
    pub(crate) fn agent_ended(&mut self, child: AgentId, report: &Report, usage: Usage) {
        let found = self.begun.iter_mut().find(|(id, _)| *id == child);
        if let Some((_, begun)) = found {
            let evidence = Evidence {
                report: report.clone(),
                refused: false,
            };
            begun.outcome = Some((evidence, tokens(usage)));
        }
    }

    /// The agents that were started, in order.
    pub(crate) fn begun(&self) -> Vec<Begun> {
        self.begun.iter().map(|(_, begun)| begun.clone()).collect()
    }
}
