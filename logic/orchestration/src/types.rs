//! Whom an agent may hand tasks to, and what those tasks may use.

use crate::work::Work;
use domain::lineage::AgentType;
use domain::tool::EffectClass;
use orchestration::{Limits, Roster};
use std::collections::BTreeSet;

/// The types that an agent may start.
pub(crate) fn startable(work: &Work) -> Vec<AgentType> {
    let own = work.services.agents.get(&work.request.profile.agent_type);
    own.map(|listing| listing.can_spawn.clone())
        .unwrap_or_default()
}

/// Whom an agent may hand tasks to.
pub(crate) fn roster(work: &Work) -> Roster {
    Roster {
        types: startable(work).into_iter().collect(),
        depth: work.agent.lineage.len(),
    }
}

/// What its tasks may use.
pub(crate) fn limits(work: &Work) -> Limits {
    let types = startable(work);
    Limits {
        at_once: work.agent.resources.shared.at_work,
        tokens: work.agent.resources.budget.left(),
        checker: types.iter().find(|t| only_looks(work, t)).cloned(),
        stand_ins: types
            .iter()
            .filter_map(|one| {
                let other = types.iter().find(|other| can_more(work, other, one))?;
                Some((one.clone(), other.clone()))
            })
            .collect(),
    }
}

/// Whether agents of a type change nothing and start nobody: who looks a second time must not
/// repeat the work.
fn only_looks(work: &Work, agent_type: &AgentType) -> bool {
    let looks = |tool: &str| {
        matches!(
            work.services.effects.get(tool),
            Some(EffectClass::Read | EffectClass::SelfWrite | EffectClass::Egress)
        )
    };
    work.services.agents.get(agent_type).is_some_and(|listing| {
        listing.can_spawn.is_empty() && listing.tools.iter().all(|t| looks(t.as_str()))
    })
}

/// Whether one type has all tools of another, and more.
fn can_more(work: &Work, one: &AgentType, other: &AgentType) -> bool {
    let tools = |agent_type| -> BTreeSet<&str> {
        let listing = work.services.agents.get(agent_type);
        let tools = listing.map_or(&[][..], |listing| listing.tools.as_slice());
        tools.iter().map(|tool| tool.as_str()).collect()
    };
    let (one, other) = (tools(one), tools(other));
    one.is_superset(&other) && one.len() > other.len()
}
