//! What the guard knows and what it would say: tools, agent types, and its view of a call.

use anyhow::Result;
use api::broker::{AgentListing, GrantListing, ToolListing};
use domain::decision::{Decision, Verdict};
use domain::lineage::AgentType;
use jiff::tz::TimeZone;
use rendering::fit::{width, wrapped};
use rendering::{Paint, moments, print, table};
use serde_json::{Value, json};
use text::escape::{visible_json, visible_line};

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
    let (width, paint) = (
        width(&std::io::stdout()),
        Paint::for_stream(&std::io::stdout()),
    );
    let described = agents.iter().map(|agent| described(agent, paint, width));
    print(&described.collect::<Vec<_>>().join("\n"))?;
    Ok(())
}

/// An agent type: what it is for, what it starts, and its tools.
fn described(agent: &AgentListing, paint: Paint, width: Option<usize>) -> String {
    /// What the lines below the name stand behind, columns.
    const BELOW: usize = 2;
    let starts: Vec<&str> = agent.can_spawn.iter().map(AgentType::as_str).collect();
    let tools: Vec<&str> = agent.tools.iter().map(|tool| tool.as_str()).collect();
    let role = agent.model_role.as_str();
    let starts = match starts.is_empty() {
        true => "starts no other agent".to_owned(),
        false => format!("starts {}", starts.join(", ")),
    };
    let mut text = format!("{}\n", paint.strong(agent.agent_type.as_str()));
    for line in [
        visible_line(agent.description.trim()),
        format!("model role {role}; {starts}"),
        format!("tools: {}", or_dash(tools.join(", "))),
    ] {
        // A type of the user's own need not describe itself.
        if !line.is_empty() {
            text.push_str(&wrapped(&format!("{:BELOW$}{line}", ""), BELOW, width));
        }
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

/// What every layer says to a call, in lines of a width; `None`: as long as they are.
#[must_use]
pub fn explained(decision: &Decision, paint: Paint, width: Option<usize>) -> String {
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
    let lines = decision.user_reason.lines();
    let reason: String = lines
        .map(|line| wrapped(&format!("  {line}"), 2, width))
        .collect();
    let mut text = format!("{head}\n{reason}\n");
    for finding in &decision.findings {
        let layer = format!("{:<17}", finding.layer.as_str());
        let verdict = word(finding.verdict);
        // The reason that decided stands above.
        let reason = match finding.user_reason == decision.user_reason {
            true => String::new(),
            false => format!(": {}", finding.user_reason),
        };
        let line = format!("{layer} {verdict}  {}{reason}", finding.rule);
        text.push_str(&wrapped(&line, 2, width));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::decision::{Finding, Layer};

    #[test]
    fn an_explanation_fits_its_lines() {
        let finding = |layer, verdict| Finding {
            layer,
            verdict,
            rule: "outside_roots".to_owned(),
            model_reason: String::new(),
            user_reason: format!(
                "{layer} would change a file that is outside what may be written."
            ),
        };
        let path = finding(Layer::Path, Verdict::Deny);
        let decision = Decision::strictest(vec![path, finding(Layer::Egress, Verdict::Allow)]);
        let text = explained(&decision, Paint::Plain, Some(40));
        assert!(
            text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(&text),
            words(&explained(&decision, Paint::Plain, None))
        );
    }
}
