//! The agents that others started: who started whom, for what, and how each ended.

use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::lineage::AgentType;
use domain::report::{Report, ReportStatus, ResultQuality};
use std::collections::BTreeMap;

/// Most characters that are kept of a brief and of a report's summary.
pub const GIST_CHARS: usize = 400;

/// How far an agent has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentState {
    /// It works.
    AtWork,
    /// It has reported.
    Reported {
        /// How the work went.
        status: ReportStatus,
        /// How sure that is.
        quality: ResultQuality,
        /// What it found, at most [`GIST_CHARS`] characters.
        summary: String,
    },
    /// It never reported, and the request that it worked for is over.
    Lost,
}

/// An agent that another one started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Which.
    pub id: AgentId,
    /// Who started it; `None` for the root agent.
    pub parent: Option<AgentId>,
    /// How many agents stand above it, 1 or more.
    pub depth: usize,
    /// Its type.
    pub agent_type: AgentType,
    /// What it was told, at most [`GIST_CHARS`] characters.
    pub task: String,
    /// How far it has come.
    pub state: AgentState,
    /// For which request it works.
    query_id: Option<QueryId>,
}

/// The agents of a session that others started: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTree {
    /// In the order in which they were started.
    agents: Vec<Agent>,
    places: BTreeMap<AgentId, usize>,
}

impl AgentTree {
    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::AgentSpawned {
                child,
                agent_type,
                task,
                ..
            } => self.started(event, *child, (agent_type, task)),
            EventBody::AgentFinished { child, report, .. } => self.reported(*child, report),
            EventBody::QueryFinished { .. } => {
                let own = self.agents.iter_mut().rev();
                for agent in own.filter(|agent| agent.query_id == event.query_id) {
                    if agent.state == AgentState::AtWork {
                        agent.state = AgentState::Lost;
                    }
                }
            }
            _ => {}
        }
    }

    fn started(&mut self, event: &Event, child: AgentId, (agent_type, task): (&AgentType, &str)) {
        let parent = event.agent_id.filter(|id| self.places.contains_key(id));
        self.places.insert(child, self.agents.len());
        self.agents.push(Agent {
            id: child,
            parent,
            depth: self.depth(parent) + 1,
            agent_type: agent_type.clone(),
            task: beginning(task),
            state: AgentState::AtWork,
            query_id: event.query_id,
        });
    }

    fn reported(&mut self, child: AgentId, report: &Report) {
        let place = self.places.get(&child);
        if let Some(agent) = place.and_then(|place| self.agents.get_mut(*place)) {
            agent.state = AgentState::Reported {
                status: report.status,
                quality: report.result_quality,
                summary: beginning(&report.summary),
            };
        }
    }

    /// All of them, in the order in which they were started.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter()
    }

    /// One of them.
    #[must_use]
    pub fn find(&self, id: AgentId) -> Option<&Agent> {
        self.agents.get(*self.places.get(&id)?)
    }

    /// Those that an agent started; with `None`, the root agent.
    pub fn children_of(&self, parent: Option<AgentId>) -> impl Iterator<Item = &Agent> {
        self.agents
            .iter()
            .filter(move |agent| agent.parent == parent)
    }

    /// How many agents stand above this one; 0 for the root agent.
    #[must_use]
    pub fn depth(&self, id: Option<AgentId>) -> usize {
        let known = id.and_then(|id| self.find(id));
        known.map_or(0, |agent| agent.depth)
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(GIST_CHARS).collect()
}
