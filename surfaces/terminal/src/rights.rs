//! What the guard knows and what it would say: tools, agent types, and its view of a call.

use anyhow::Result;
use api::broker::{AgentListing, GrantListing, ToolListing};
use domain::decision::{Decision, Verdict};
use domain::lineage::AgentType;
use jiff::tz::TimeZone;
use rendering::{Paint, moments, print, table};
use serde_json::{Value, json};
use text::escape::visible_json;

/// Prints the tool table.
///
/// # Errors
/// When standard output cannot be written.
pub fn tools(tools: &[ToolListing], json: bool) -> Result<()> {
    if json {
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
        print(&visible_json(&format!(
            "{}\n",
            serde_json::to_string_pretty(&rows)?
        )))?;
        return Ok(());
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
    Ok(())
}

/// Prints the agent types.
///
/// # Errors
/// When standard output cannot be written.
pub fn agents(agents: &[AgentListing], json: bool) -> Result<()> {
    if json {
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
        print(&visible_json(&format!(
            "{}\n",
            serde_json::to_string_pretty(&rows)?
        )))?;
        return Ok(());
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
    Ok(())
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

/// Prints what the user allowed for the rest of a session.
///
/// # Errors
/// When standard output cannot be written.
pub fn grants(grants: &[GrantListing]) -> Result<()> {
    if grants.is_empty() {
        print("Nothing was allowed for the rest of this session.\n")?;
    }
    for grant in grants {
        print(&format!(
            "{} since {}: {}\n",
            grant.tool,
            moments::second(grant.given, &TimeZone::system()),
            grant.scope
        ))?;
    }
    Ok(())
}

/// What every layer says to a call.
#[must_use]
pub fn explained(decision: &Decision, paint: Paint) -> String {
    let word = |verdict: Verdict| match verdict {
        Verdict::Allow => paint.good("allow"),
        Verdict::Confirm => paint.warn("confirm"),
        Verdict::Deny => paint.bad("deny"),
    };
    let head = format!(
        "{} by {} ({})",
        word(decision.verdict),
        decision.layer,
        decision.rule
    );
    let mut text = format!("{head}\n  {}\n\n", decision.user_reason);
    for finding in &decision.findings {
        let layer = format!("{:<17}", finding.layer.as_str());
        let verdict = word(finding.verdict);
        // The reason that decided stands above.
        let reason = match finding.user_reason == decision.user_reason {
            true => String::new(),
            false => format!(": {}", finding.user_reason),
        };
        text.push_str(&format!("{layer} {verdict}  {}{reason}\n", finding.rule));
    }
    text
}
