//! Which of the tools an agent may use are offered for a task, and the tool by which it asks again.

use crate::call::Call;
use crate::inner::Inner;
use crate::state::{Agent, lock};
use ::discovery::{Holding, Offer};
use api::broker::{Error, ErrorKind, OfferBound};
use domain::label::Label;
use domain::settings::{OverrideLevel, SessionSettings};
use domain::tool::{
    ArgumentRole, Audience, BuiltInTool, EffectClass, FIND_TOOLS, ResultSource, ToolDefinition,
    ToolName, ToolOutput, ToolSpec, closed_object, text_argument,
};
use serde_json::{Value, json};

/// The capability whose tools every agent has at hand, whatever the task.
const ALWAYS: &str = "self";
/// Longest description of what is looked for, characters.
const TASK_CHARS: usize = 500;

/// How much definitions may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Room {
    /// So much.
    Of(OfferBound),
    /// As much as the agent said when it last asked what it is offered.
    AsBefore,
}

/// The broker's own tool. Its answer says no more than that something was found: names and
/// descriptions of tools may be an outsider's, and reach the model as definitions only.
pub(crate) fn finder() -> ToolSpec {
    BuiltInTool {
        name: FIND_TOOLS,
        version: "1",
        description: "Look for other tools than those you have, when none of them fits. What is \
                      found can be called from then on.",
        capability: ALWAYS,
        effect: EffectClass::Read,
        parameters: closed_object(
            json!({"task": text_argument("What the tool should do, in a few plain words.", TASK_CHARS)}),
            &["task"],
        ),
        arguments: &[("task", ArgumentRole::Payload, None)],
        audience: Audience::User,
        result_label: Label::untrusted("tools"),
        result_source: ResultSource::Arguments,
        names_pages: &[],
        is_wait: false,
        calls_per_minute: None,
    }
    .spec()
}

impl Inner {
    /// The tools worth offering to an agent for a task.
    pub(crate) fn worth_offering(
        &self,
        caller: &crate::state::Caller,
        task: &str,
        room: Room,
    ) -> Result<Vec<ToolDefinition>, Error> {
        let (mut usable, bound) = {
            let mut session = lock(&caller.session);
            let settings = session.settings.clone();
            let Some(agent) = session.agents.get_mut(&caller.agent_id) else {
                return Err(Error::new(
                    ErrorKind::UnknownAgent,
                    "The agent was released.",
                ));
            };
            if let Room::Of(bound) = room {
                agent.offered = bound;
            }
            let bound = agent.offered.clone();
            (self.usable(agent, &settings), bound)
        };
        usable.retain(|(spec, _)| !bound.without.contains(spec.definition.name.as_str()));
        Ok(offer(usable, task, &bound))
    }

    fn usable(&self, agent: &Agent, settings: &SessionSettings) -> Vec<(&ToolSpec, Holding)> {
        let is_open = settings.override_level == OverrideLevel::All;
        let is_granted = |name: &ToolName| settings.is_granted(&agent.agent_type, name);
        let tools = self.policy.table().tools().iter().enumerate();
        let usable = tools.filter_map(|(index, tool)| {
            let may_use = agent.standing.may_use(index);
            let holding = match may_use && !is_granted(&tool.spec.definition.name) {
                true => Holding::Own,
                false => Holding::Opened,
            };
            (is_open || may_use).then_some((&tool.spec, holding))
        });
        let is_enabled = |spec: &ToolSpec| !settings.disabled_tools.contains(&spec.definition.name);
        usable.filter(|(spec, _)| is_enabled(spec)).collect()
    }
}

impl Call {
    /// The answer to [`FIND_TOOLS`]; `None` for any other tool.
    pub(crate) fn found(&self, arguments: &Value) -> Option<ToolOutput> {
        if self.request.tool != FIND_TOOLS {
            return None;
        }
        let task = arguments["task"].as_str().unwrap_or_default();
        let offered = self
            .inner
            .worth_offering(&self.caller, task, Room::AsBefore);
        // Where everything is offered, there is nothing to find, and no finder among it.
        let is_finder = |tool: &ToolDefinition| tool.name.as_str() == FIND_TOOLS;
        let is_all_offered = matches!(&offered, Ok(tools) if !tools.iter().any(is_finder));
        let found = offered.map_or(0, |offered| {
            let table = self.inner.policy.table();
            let is_other = |tool: &&ToolDefinition| {
                let known = table.find(tool.name.as_str());
                known.is_some_and(|(_, tool)| tool.spec.capability != ALWAYS)
            };
            offered.iter().filter(is_other).count()
        });
        let text = match found {
            _ if is_all_offered => {
                "Nothing was left out: you have every tool that there is for you already. Go on \
                 with those, or report what you could not do."
            }
            0 => "There is no other tool. Go on without, or report what you could not do.",
            _ => {
                "The tools that come nearest can be called from now on. If none of them fits, ask \
                 once more in other words, or go on without."
            }
        };
        Some(ToolOutput {
            data: json!({"found": if is_all_offered { 0 } else { found }}),
            text: text.to_owned(),
            origin: "tools".to_owned(),
            artifacts: Vec::new(),
            labels: Vec::new(),
        })
    }
}

/// What `discovery` picks from `usable`: everything while that is little, else what fits the task.
fn offer(usable: Vec<(&ToolSpec, Holding)>, task: &str, bound: &OfferBound) -> Vec<ToolDefinition> {
    let offers = usable
        .into_iter()
        .map(|(tool, holding)| Offer::of(tool.definition.clone(), &tool.capability, holding));
    match bound.is_search {
        true => ::discovery::search(offers.collect(), task, bound.room_tokens),
        false => ::discovery::offer(offers.collect(), task, bound.room_tokens),
    }
}
