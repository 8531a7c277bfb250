//! The tools that only an agent in auto mode is offered.

use domain::settings::Mode;
use domain::tool::{CANCEL_TIMER, SET_TIMER, ToolDefinition, WATCH_PATH, YIELD_TO_USER};
use std::collections::BTreeSet;

pub(super) const TOOLS: [&str; 4] = [YIELD_TO_USER, SET_TIMER, CANCEL_TIMER, WATCH_PATH];

/// The drive's tools where there is no drive, and they are of no use.
pub(crate) fn left_out(mode: Mode, is_root: bool) -> BTreeSet<String> {
    match mode == Mode::Auto && is_root {
        true => BTreeSet::new(),
        false => TOOLS.map(str::to_owned).into(),
    }
}

/// The tools that a request is offered: those of the drive only where there is one.
pub(crate) fn offered(
    mode: Mode,
    is_root: bool,
    tools: Vec<ToolDefinition>,
) -> Vec<ToolDefinition> {
    let left_out = left_out(mode, is_root);
    let tools = tools.into_iter();
    tools
        .filter(|tool| !left_out.contains(tool.name.as_str()))
        .collect()
}
