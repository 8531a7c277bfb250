//! The tools that only an agent in auto mode is offered.

use domain::settings::Mode;
use domain::tool::{CANCEL_TIMER, SET_TIMER, ToolDefinition, WATCH_PATH, YIELD_TO_USER};

pub(super) const TOOLS: [&str; 4] = [YIELD_TO_USER, SET_TIMER, CANCEL_TIMER, WATCH_PATH];

/// The tools that a request is offered: those of the drive only where there is one.
pub(crate) fn offered(
    mode: Mode,
    is_root: bool,
    tools: Vec<ToolDefinition>,
) -> Vec<ToolDefinition> {
    if mode == Mode::Auto && is_root {
        return tools;
    }
    let tools = tools.into_iter();
    tools
        .filter(|tool| !TOOLS.contains(&tool.name.as_str()))
        .collect()
}
