//! Questions of the user's own commands that yes or no answers; what an agent's calls need is asked
//! by `rendering::confirm`.

use crate::exit::Failure;
use anyhow::{Context, Result};
use rendering::confirm;
use std::io::IsTerminal;

/// Puts a question to whoever is at the terminal, and reads whether the answer is yes; anything else
/// is a no. The question ends with a question mark.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn is_yes(question: &str) -> Result<bool> {
    confirm::is_yes(question).context("the answer cannot be read")
}

/// Refuses what cannot be undone where nobody is there to be asked. `what`: such as "forgetting".
///
/// # Errors
/// A usage failure without a terminal.
pub fn needs_somebody(what: &str) -> Result<()> {
    if std::io::stdin().is_terminal() {
        return Ok(());
    }
    let message = format!("{what} cannot be undone, and nobody is here to be asked");
    Err(Failure::usage(message, "Add --yes.").into())
}
