//! Which of the tools an agent may use are offered for a task.

use ::discovery::Offer;
use domain::tool::{ToolDefinition, ToolSpec};

/// The capability whose tools every agent has at hand, whatever the task.
const ALWAYS: &str = "self";

/// What `discovery` picks from `usable`: everything while that is little, else what fits the task.
pub(crate) fn offer(usable: Vec<&ToolSpec>, task: &str) -> Vec<ToolDefinition> {
    let offers = usable.into_iter().map(|tool| Offer {
        definition: tool.definition.clone(),
        is_always: tool.capability == ALWAYS,
    });
    ::discovery::offer(offers.collect(), task)
}
