//! What model calls used, by the provider that answered them.

use domain::event::{Event, EventBody};
use domain::id::AgentId;
use domain::model::Usage;
use std::collections::BTreeMap;

/// Most agents whose provider is kept in mind.
const AGENTS: usize = 1_024;

/// What the model calls of a session used: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    /// Who answers each agent.
    answering: BTreeMap<Option<AgentId>, String>,
    used: BTreeMap<String, Usage>,
    has_unknown: bool,
}

impl Costs {
    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::ModelChosen { model, .. } => {
                let is_kept = self.answering.contains_key(&event.agent_id);
                if is_kept || self.answering.len() < AGENTS {
                    let provider = model.provider.clone();
                    self.answering.insert(event.agent_id, provider);
                }
            }
            EventBody::ModelAnswered { usage, .. } => match self.answering.get(&event.agent_id) {
                Some(provider) => {
                    let used = self.used.entry(provider.clone()).or_default();
                    *used = used.plus(*usage);
                }
                None => self.has_unknown = true,
            },
            EventBody::AgentFinished { child, .. } => {
                self.answering.remove(&Some(*child));
            }
            _ => {}
        }
    }

    /// What the calls to each provider used, by its name; `None` where it is not known of one of them who
    /// answered it.
    #[must_use]
    pub const fn by_provider(&self) -> Option<&BTreeMap<String, Usage>> {
        match self.has_unknown {
            true => None,
            false => Some(&self.used),
        }
    }
}
