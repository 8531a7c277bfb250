//! `carl tools`, `carl agents` and `carl policy`: what the guard knows and what it would say.

use super::Setting;
use crate::cli::{AgentsArgs, ListArgs};
use crate::wiring::House;
use anyhow::Result;
use domain::lineage::AgentType;
use serde_json::{Value, json};
use terminal::exit::{Exit, OrFail};
use terminal::render::{print, table};

/// Lists the tool table.
///
/// # Errors
/// When the manifest cannot be used.
pub async fn tools(args: &ListArgs) -> Result<Exit> {
    let house = House::look(&Setting::plain()?).await?;
    let tools = house.guard.control.list_tools().await.or_fail()?;
    if args.json {
        let rows: Vec<Value> = tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.definition.name, "description": tool.definition.description,
                    "parameters": tool.definition.parameters, "capability": tool.capability,
                    "effect": tool.effect, "agent_types": tool.agent_types,
                })
            })
            .collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
        return Ok(Exit::Success);
    }
    let mut rows = vec![heads(&[
        "TOOL",
        "EFFECT",
        "CAPABILITY",
        "AGENTS",
        "WHAT IT DOES",
    ])];
    rows.extend(tools.iter().map(|tool| {
        vec![
            tool.definition.name.to_string(),
            tool.effect.as_str().to_owned(),
            tool.capability.clone(),
            tool.agent_types
                .iter()
                .map(AgentType::as_str)
                .collect::<Vec<_>>()
                .join(","),
            first_sentence(&tool.definition.description),
        ]
    }));
    print(&table(&rows))?;
    Ok(Exit::Success)
}

/// Lists the agent types.
///
/// # Errors
/// When the manifest cannot be used.
pub async fn agents(args: &AgentsArgs) -> Result<Exit> {
    if args.shipped {
        // The file of the user's own may be what is wrong.
        print(broker::SHIPPED_AGENTS)?;
        return Ok(Exit::Success);
    }
    let house = House::look(&Setting::plain()?).await?;
    let agents = house.guard.control.list_agents().await.or_fail()?;
    if args.list.json {
        let rows: Vec<Value> = agents
            .iter()
            .map(|agent| {
                json!({
                    "type": agent.agent_type, "description": agent.description,
                    "tools": agent.tools, "can_spawn": agent.can_spawn,
                    "model_role": agent.model_role,
                })
            })
            .collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
        return Ok(Exit::Success);
    }
    let mut rows = vec![heads(&["TYPE", "MODEL ROLE", "SPAWNS", "TOOLS"])];
    rows.extend(agents.iter().map(|agent| {
        let spawns: Vec<&str> = agent.can_spawn.iter().map(AgentType::as_str).collect();
        let tools: Vec<&str> = agent.tools.iter().map(|tool| tool.as_str()).collect();
        vec![
            agent.agent_type.to_string(),
            agent.model_role.as_str().to_owned(),
            or_dash(spawns.join(",")),
            or_dash(tools.join(",")),
        ]
    }));
    print(&table(&rows))?;
    Ok(Exit::Success)
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn or_dash(text: String) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].to_owned()
}
