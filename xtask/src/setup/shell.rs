//! Runs other programs.

use anyhow::{Context as _, Result, bail};
use std::process::{Command, Stdio};

/// The cargo that runs this task, or the one in the search path.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program whose messages the user should see.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<()> {
    // Standard output belongs to the task that runs setup, so messages go to stderr.
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", name(command));
    }
    Ok(())
}

/// Runs a program quietly and returns what it wrote to standard output.
///
/// # Errors
/// When it cannot be started or fails; then with what it wrote to stderr.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{} ended with {}\n{}",
            name(command),
            output.status,
            complaint.trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
