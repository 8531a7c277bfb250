//! What an agent's next model call will hold that no event has said yet: people may look at a
//! context before the first request, and an orchestrating agent is asked something before it is
//! offered a tool.

use crate::drive;

use api::broker::{AgentListing, ToolListing};
use context::NextPrompt;
use discovery::{OFFER_TOKENS, Offer, OfferedTools};
use domain::limits::SPAWN_DEPTH;
use domain::lineage::AgentType;
use domain::model::Reach;
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use orchestration::Roster;
use std::collections::BTreeMap;

/// The next prompt of a session with this profile, whose model is this capable: `tools` is the whole
/// table, `task` what the request is, as far as there is one, `room` the tokens that definitions may
/// take.
pub(crate) fn next_prompt(
    (profile, reach): (&SessionProfile, Reach),
    agents: &BTreeMap<AgentType, AgentListing>,
    (tools, task, room): (Vec<ToolListing>, &str, u64),
) -> NextPrompt {
    let Some(own) = agents.get(&profile.agent_type) else {
        return NextPrompt::default();
    };
    let is_open = profile.settings.override_level == OverrideLevel::All;
    let disabled = &profile.settings.disabled_tools;
    let usable = tools.into_iter().filter(|tool| {
        let name = &tool.definition.name;
        (is_open || own.tools.contains(name)) && !disabled.contains(name)
    });
    let offers = usable.map(|tool| Offer::of(tool.definition, &tool.capability));
    let room = room.min(OFFER_TOKENS);
    let offered = discovery::offer(offers.collect(), task, room);
    let offered = OfferedTools::new(drive::offered(profile.mode, true, offered), room).tools();
    let roster = Roster {
        types: own.can_spawn.iter().cloned().collect(),
        depth: 1,
    };
    let takes_apart = own.orchestrates && !roster.types.is_empty() && 1 < SPAWN_DEPTH;
    // A plan is made without tools, and the rules need no model.
    let (tools, asks) = match profile.mode {
        Mode::Loop | Mode::Auto => (offered, takes_apart),
        Mode::Plan => (Vec::new(), takes_apart),
        Mode::Deterministic | Mode::Bridge => (Vec::new(), false),
    };
    NextPrompt {
        tools,
        question: asks.then(|| orchestration::question(agents, &roster, reach)),
    }
}
