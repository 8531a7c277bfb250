//! What the agents could do that a plan would start: for the user who approves it, and for whether
//! what was approved in advance goes that far.

use crate::inner::Inner;
use crate::state::Caller;
use api::broker::PlannedCall;
use domain::limits::SPAWN_DEPTH;
use domain::lineage::{AgentType, Ancestor, Lineage};
use domain::settings::SessionSettings;
use domain::tool::{EffectClass, ResultSource};
use serde_json::Value;
use std::collections::BTreeSet;

/// What agents do without being asked about it.
const UNASKED: [EffectClass; 2] = [EffectClass::Read, EffectClass::SelfWrite];

impl Inner {
    /// Every kind of effect, beyond looking and notes, that the agents could have which these calls
    /// name, those below them included: by their types' rights under the caller.
    pub(crate) fn effects_started(
        &self,
        caller: &Caller,
        calls: &[PlannedCall],
        settings: &SessionSettings,
    ) -> BTreeSet<EffectClass> {
        let starts = calls.iter().filter(|call| {
            let known = self.policy.table().find(&call.tool);
            known.is_some_and(|(_, tool)| tool.spec.result_source == ResultSource::Agents)
        });
        let mut named = BTreeSet::new();
        starts.for_each(|call| names_in(&call.arguments, &mut named));
        let mut effects = BTreeSet::new();
        self.effects_below(&caller.lineage, Some(&named), settings, &mut effects);
        effects
    }

    /// Adds the effects of agents that the last of a lineage can start; only of the named types, if
    /// any are.
    fn effects_below(
        &self,
        lineage: &Lineage,
        named: Option<&BTreeSet<&str>>,
        settings: &SessionSettings,
        effects: &mut BTreeSet<EffectClass>,
    ) {
        let Some(last) = lineage.last().filter(|_| lineage.len() < SPAWN_DEPTH) else {
            return;
        };
        let rule = self.policy.manifest().agents.get(&last.agent_type);
        let startable = rule.into_iter().flat_map(|rule| &rule.can_spawn);
        let wanted =
            |agent_type: &&AgentType| named.is_none_or(|named| named.contains(agent_type.as_str()));
        for agent_type in startable.filter(wanted) {
            let mut below = lineage.clone();
            below.push(Ancestor {
                agent_id: last.agent_id,
                agent_type: agent_type.clone(),
            });
            // A type that has no standing cannot be started either.
            let Ok(standing) = self.standing(&below, settings) else {
                continue;
            };
            let tools = self.policy.table().tools().iter().enumerate();
            let usable = tools.filter(|(index, _)| standing.may_use(*index));
            let usable = usable.map(|(_, tool)| tool.spec.effect);
            effects.extend(usable.filter(|effect| !UNASKED.contains(effect)));
            self.effects_below(&below, None, settings, effects);
        }
    }
}

/// Every text in the arguments of a call.
fn names_in<'a>(value: &'a Value, into: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) => {
            into.insert(text);
        }
        Value::Array(all) => all.iter().for_each(|one| names_in(one, into)),
        Value::Object(all) => all.values().for_each(|one| names_in(one, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
