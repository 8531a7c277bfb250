//! What the types of agents say of who may hand tasks to whom, and of who looks at the work of others.

use crate::check::Roster;
use api::broker::AgentListing;
use domain::lineage::AgentType;
use domain::tool::EffectClass;
use std::collections::{BTreeMap, BTreeSet};

/// Every type of agent that there is, with what each known tool does to the world.
#[derive(Debug, Clone, Copy)]
pub struct Types<'a> {
    /// By type.
    pub agents: &'a BTreeMap<AgentType, AgentListing>,
    /// By the tool's name. A tool that is not here may do anything.
    pub effects: &'a BTreeMap<String, EffectClass>,
}

impl<'a> Types<'a> {
    /// The types that an agent may start.
    #[must_use]
    pub fn startable(&self, own: &AgentType) -> &'a [AgentType] {
        let own = self.agents.get(own);
        own.map_or(&[], |listing| listing.can_spawn.as_slice())
    }

    /// Whom an agent may hand tasks to; `depth` agents are in its lineage, itself included.
    #[must_use]
    pub fn roster(&self, own: &AgentType, depth: usize) -> Roster {
        Roster {
            types: self.startable(own).iter().cloned().collect(),
            depth,
        }
    }

    /// The type that looks at the work of agents that it may start a second time, if there is one.
    #[must_use]
    pub fn checker(&self, own: &AgentType) -> Option<AgentType> {
        let mut types = self.startable(own).iter();
        types.find(|one| self.only_looks(one)).cloned()
    }

    /// For each type that an agent may start the one that takes over when it was refused something.
    #[must_use]
    pub fn stand_ins(&self, own: &AgentType) -> BTreeMap<AgentType, AgentType> {
        let types = self.startable(own);
        let stand_in = |one: &AgentType| {
            let other = types.iter().find(|other| self.can_more(other, one))?;
            Some((one.clone(), other.clone()))
        };
        types.iter().filter_map(stand_in).collect()
    }

    /// Whether agents of a type change nothing and start nobody: who looks a second time must not
    /// repeat the work.
    fn only_looks(&self, agent_type: &AgentType) -> bool {
        let looks = |tool: &str| {
            matches!(
                self.effects.get(tool),
                Some(EffectClass::Read | EffectClass::SelfWrite | EffectClass::Egress)
            )
        };
        self.agents.get(agent_type).is_some_and(|listing| {
            listing.can_spawn.is_empty() && listing.tools.iter().all(|t| looks(t.as_str()))
        })
    }

    /// Whether one type has all tools of another, and more.
    fn can_more(&self, one: &AgentType, other: &AgentType) -> bool {
        let tools = |agent_type| -> BTreeSet<&str> {
            let listing = self.agents.get(agent_type);
            let tools = listing.map_or(&[][..], |listing| listing.tools.as_slice());
            tools.iter().map(|tool| tool.as_str()).collect()
        };
        let (one, other) = (tools(one), tools(other));
        one.is_superset(&other) && one.len() > other.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::ModelRole;
    use domain::tool::ToolName;
    use std::time::Duration;

    fn named(name: &str) -> AgentType {
        AgentType::new(name).unwrap()
    }

    fn listing(name: &str, tools: &[&str], can_spawn: &[&str]) -> (AgentType, AgentListing) {
        let listing = AgentListing {
            agent_type: named(name),
            description: String::new(),
            tools: tools
                .iter()
                .map(|tool| ToolName::new(*tool).unwrap())
                .collect(),
            can_spawn: can_spawn.iter().map(|name| named(name)).collect(),
            model_role: ModelRole::Fast,
            orchestrates: false,
            tokens: 1,
            time: Duration::from_secs(1),
        };
        (named(name), listing)
    }

    #[test]
    fn who_only_looks_checks_and_who_can_more_takes_over() {
        let agents = BTreeMap::from([
            listing("boss", &[], &["coder", "reader", "sysadmin"]),
            listing("coder", &["read", "write"], &[]),
            listing("reader", &["read"], &[]),
            listing("sysadmin", &["read", "write", "shell"], &[]),
        ]);
        let effects = BTreeMap::from([
            ("read".to_owned(), EffectClass::Read),
            ("write".to_owned(), EffectClass::SharedWrite),
        ]);
        let types = Types {
            agents: &agents,
            effects: &effects,
        };
        let boss = named("boss");
        assert_eq!(types.checker(&boss), Some(named("reader")));
        let stand_ins = types.stand_ins(&boss);
        assert_eq!(stand_ins[&named("coder")], named("sysadmin"));
        assert_eq!(stand_ins.get(&named("sysadmin")), None);
        assert_eq!(types.roster(&boss, 1).types.len(), 3);
        assert!(types.startable(&named("coder")).is_empty());
        assert_eq!(types.checker(&named("nobody")), None);
    }
}
