//! What the policy says to a call of a tool that there is.

use anyhow::Result;
use api::broker::Control;
use domain::decision::Decision;
use domain::lineage::AgentType;
use domain::settings::SessionSettings;
use serde_json::Value;
use terminal::exit::{Failure, OrFail, not_explained};
use text::escape::visible_line;

/// What every layer says to a call.
///
/// # Errors
/// A usage failure when there is no such tool or agent type.
pub(super) async fn explained(
    control: &dyn Control,
    agent_type: AgentType,
    (tool, arguments): (&str, Value),
    settings: SessionSettings,
) -> Result<Decision> {
    let tools = control.list_tools().await.or_fail()?;
    let mut names = tools.iter().map(|known| known.definition.name.as_str());
    if !names.any(|known| known == tool) {
        let said = format!("no tool is named `{}`", visible_line(tool));
        return Err(Failure::usage(said, "`carl tools` lists the tools.").into());
    }
    let explained = control.explain(agent_type, tool.to_owned(), arguments, settings);
    Ok(explained.await.map_err(|error| not_explained(&error))?)
}
