//! The agent type that sessions begin with and the tools that are taken away, checked against those
//! there are.

use super::load::Loaded;
use super::{VARIABLES, usage};
use anyhow::Result;
use configuration::nearest;
use terminal::exit::Failure;
use text::escape::visible_line;

/// Refuses a `chat.default_agent` that is no agent type of these.
///
/// # Errors
/// A usage failure that names the key, where it stands and the agent types there are.
pub fn check_default_agent(loaded: &Loaded, known: &[&str]) -> Result<()> {
    let agent = &loaded.config.chat.default_agent;
    let Some(how) = instead_of(known, agent) else {
        return Ok(());
    };
    let key = "chat.default_agent";
    let why = format!("no agent type is named `{agent}`");
    Err(usage(VARIABLES.wrong(&loaded.layers, key, &why, &how)))
}

/// Refuses an agent type named on the command line that is none of these.
///
/// # Errors
/// A usage failure that names the agent types there are.
pub fn check_typed_agent(agent: &str, known: &[&str]) -> Result<()> {
    let Some(how) = instead_of(known, agent) else {
        return Ok(());
    };
    let why = format!("--agent: no agent type is named `{}`", visible_line(agent));
    Err(Failure::usage(why, how).into())
}

/// What to write instead of an agent type that is none; `None` where it is one.
fn instead_of(known: &[&str], agent: &str) -> Option<String> {
    let hint = nearest(known, agent)?;
    let there_are = format!("`carl agents` lists them: {}.", known.join(", "));
    Some(match hint.starts_with("Did you") {
        true => format!("{hint} {there_are}"),
        false => hint,
    })
}

/// Refuses a tool of `disabled_tools` that is none: whoever wrote it believes that it is taken away.
///
/// # Errors
/// A usage failure that names the file, the key and the nearest tool.
pub fn check_disabled_tools(loaded: &Loaded, known: &[&str]) -> Result<()> {
    for tool in &loaded.config.policy.disabled_tools {
        let Some(hint) = nearest(known, tool) else {
            continue;
        };
        // Every tool there is would be a page.
        let near = hint.starts_with("Did you").then(|| format!("{hint} "));
        let how = near.unwrap_or_default() + "`carl tools` lists the tools.";
        let why = format!("there is no tool `{}`", visible_line(tool));
        return Err(match &loaded.project {
            Some((file, wishes)) if wishes.disabled_tools.contains(tool) => {
                let file = visible_line(&file.display().to_string());
                Failure::usage(format!("{file}: disabled_tools: {why}"), how).into()
            }
            _ => usage(VARIABLES.wrong(&loaded.layers, "policy.disabled_tools", &why, &how)),
        });
    }
    Ok(())
}
