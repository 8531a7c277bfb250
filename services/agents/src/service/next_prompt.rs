//! What an agent's next model call will hold that no event has said yet: people may look at a
//! context before the first request, and an orchestrating agent is asked something before it is
//! offered a tool.

use crate::drive;
use crate::work::adaptive::works_by_plan;

use api::broker::{AgentListing, ToolListing};
use context::NextPrompt;
use discovery::{Holding, Offer, OfferedTools};
use domain::limits::SPAWN_DEPTH;
use domain::lineage::AgentType;
use domain::model::{ModelClass, Reach};
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use orchestration::Roster;
use std::collections::BTreeMap;

/// The next prompt of a session with this profile, whose model is of this class: `tools` is the whole
/// table, `task` what the request is, as far as there is one, `room` the tokens that definitions may
/// take.
pub(crate) fn next_prompt(
    (profile, class): (&SessionProfile, Option<ModelClass>),
    agents: &BTreeMap<AgentType, AgentListing>,
    (tools, task, room): (Vec<ToolListing>, &str, u64),
) -> NextPrompt {
    let Some(own) = agents.get(&profile.agent_type) else {
        return NextPrompt::default();
    };
    let settings = &profile.settings;
    let is_open = settings.override_level == OverrideLevel::All;
    let disabled = &settings.disabled_tools;
    let left_out = drive::left_out(profile.mode, true);
    let offers = tools.into_iter().filter_map(|tool| {
        let name = &tool.definition.name;
        let is_granted = settings.is_granted(&profile.agent_type, name);
        let is_opened = is_open || is_granted;
        let holding = match own.tools.contains(name) && !is_granted {
            true => Holding::Own,
            false if is_opened => Holding::Opened,
            false => return None,
        };
        let is_enabled = !disabled.contains(name) && !left_out.contains(name.as_str());
        is_enabled.then(|| Offer::of(tool.definition, &tool.capability, holding))
    });
    let room = room.min(discovery::room_for(class));
    let offered = discovery::offer(offers.collect(), task, room);
    let offered = OfferedTools::new(offered, room).tools();
    let roster = Roster {
        types: own.can_spawn.iter().cloned().collect(),
        depth: 1,
    };
    let takes_apart = own.orchestrates && !roster.types.is_empty() && 1 < SPAWN_DEPTH;
    // A plan is made without tools, and the rules need no model.
    let (tools, asks) = match profile.mode {
        Mode::Adaptive if works_by_plan(class) && !takes_apart => (Vec::new(), false),
        Mode::Loop | Mode::Auto | Mode::Adaptive => (offered, takes_apart),
        Mode::Plan => (Vec::new(), takes_apart),
        Mode::Deterministic | Mode::Bridge | Mode::Command => (Vec::new(), false),
    };
    NextPrompt {
        tools,
        question: asks.then(|| orchestration::question(agents, &roster, Reach::of(class))),
    }
}
