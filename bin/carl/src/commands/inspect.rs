//! `carl tools`, `carl agents` and `carl policy`: what the guard knows and what it would say.

use super::Setting;
use crate::cli::{ListArgs, PolicyCommand, SessionFlags};
use crate::exit::{Exit, Failure, OrFail};
use crate::profile;
use crate::render::{Paint, print, table};
use crate::wiring::House;
use anyhow::Result;
use domain::decision::{Decision, Verdict};
use domain::lineage::AgentType;
use serde_json::{Value, json};

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
pub async fn agents(args: &ListArgs) -> Result<Exit> {
    let house = House::look(&Setting::plain()?).await?;
    let agents = house.guard.control.list_agents().await.or_fail()?;
    if args.json {
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

/// Prints what every layer says to a call.
///
/// # Errors
/// When the arguments are not a JSON object or the agent type is unknown.
pub async fn policy(command: PolicyCommand) -> Result<Exit> {
    let PolicyCommand::Explain {
        agent_type,
        tool,
        arguments,
        json: as_json,
        ceiling,
    } = command;
    let setting = Setting::read(&SessionFlags {
        ceiling: ceiling.clone(),
        ..SessionFlags::default()
    })?;
    let arguments: Value = serde_json::from_str(&arguments).map_err(|error| {
        Failure::usage(
            format!("the arguments are not JSON: {error}"),
            r#"Write, for example: carl policy explain coder read_file '{"path": "notes.md"}'"#,
        )
    })?;
    let settings = profile::settings(&ceiling, &setting.loaded.config, &setting.workspace)?;
    let agent_type = AgentType::new(agent_type).map_err(|error| {
        Failure::usage(error.to_string(), "`carl agents` lists the agent types.")
    })?;
    let house = House::look(&setting).await?;
    let decision = house
        .guard
        .control
        .explain(agent_type, tool, arguments, settings)
        .await
        .or_fail()?;
    if as_json {
        print(&format!("{}\n", serde_json::to_string_pretty(&decision)?))?;
    } else {
        print(&explained(&decision, Paint::for_stream(&std::io::stdout())))?;
    }
    Ok(if decision.verdict == Verdict::Deny {
        Exit::Denied
    } else {
        Exit::Success
    })
}

fn explained(decision: &Decision, paint: Paint) -> String {
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
        text.push_str(&format!(
            "{layer} {verdict}  {}: {}\n",
            finding.rule, finding.user_reason
        ));
    }
    text
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
