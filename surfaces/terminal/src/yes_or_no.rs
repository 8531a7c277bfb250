//! Questions of the user's own commands that yes or no answers; what an agent's calls need is asked
//! by `rendering::confirm`.

use crate::exit::Failure;
use crate::signals::Signals;
use anyhow::{Context, Result};
use rendering::confirm;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const UNREADABLE: &str = "the answer cannot be read";

/// Puts a question to whoever is at the terminal, and reads whether the answer is yes; anything else
/// is a no. The question ends with a question mark.
///
/// # Errors
/// When the terminal cannot be written or read.
pub fn is_yes(question: &str) -> Result<bool> {
    confirm::is_yes(question).context(UNREADABLE)
}

/// The same for a question of a chat, whose signals end no process: `None` where one of them came in
/// place of an answer.
///
/// # Errors
/// When the terminal cannot be written or read.
pub async fn is_yes_unless_stopped(
    question: String,
    signals: &mut Signals,
) -> Result<Option<bool>> {
    let is_closed = Arc::new(AtomicBool::new(false));
    let closes = Arc::clone(&is_closed);
    let asking = move || confirm::is_yes_unless(&question, &closes);
    let mut asking = tokio::task::spawn_blocking(asking);
    let answer = tokio::select! {
        answer = &mut asking => answer,
        _caught = signals.next() => {
            is_closed.store(true, Ordering::SeqCst);
            // Nothing else may read the terminal before it is through.
            asking.await.map(|left| left.map(|_late| None))
        }
    };
    let answer = answer.context("the question could not be asked")?;
    answer.context(UNREADABLE)
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
