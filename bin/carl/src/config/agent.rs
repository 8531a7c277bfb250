//! The agent type that sessions begin with, checked against those there are.

use super::load::Loaded;
use super::{VARIABLES, usage};
use anyhow::Result;
use configuration::nearest;

/// Refuses a `chat.default_agent` that is no agent type of these.
///
/// # Errors
/// A usage failure that names the key, where it stands and the agent types there are.
pub fn check_default_agent(loaded: &Loaded, known: &[&str]) -> Result<()> {
    let agent = &loaded.config.chat.default_agent;
    let Some(hint) = nearest(known, agent) else {
        return Ok(());
    };
    let key = "chat.default_agent";
    let why = format!("no agent type is named `{agent}`");
    let there_are = format!("`carl agents` lists them: {}.", known.join(", "));
    let how = match hint.starts_with("Did you") {
        true => format!("{hint} {there_are}"),
        false => hint,
    };
    Err(usage(VARIABLES.wrong(&loaded.layers, key, &why, &how)))
}
