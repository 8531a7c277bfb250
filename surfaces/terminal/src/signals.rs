//! The signals that stop what runs.

use anyhow::{Context, Result};
use std::fs;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Has a write beyond a limit on file sizes fail with an error, which is told and recorded, instead
/// of ending the process without a word. Called inside a runtime.
///
/// # Errors
/// When the signal cannot be watched for.
pub fn outlive_file_limits() -> Result<()> {
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // What is watched for once stays so; nobody has to look.
    signal(kind)
        .map(drop)
        .context("SIGXFSZ cannot be watched for")
}

/// Which signal came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caught {
    /// Ctrl-C.
    CtrlC,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone.
    HangUp,
}

/// Signals that are watched for. What is watched once no longer ends the process by itself, for as
/// long as it runs.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
}

impl Signals {
    /// Those of a terminal: for a chat, which goes on after Ctrl-C, and which waits for those that
    /// it serves when its terminal is gone. SIGHUP stays ignored where whoever started the process
    /// had it ignored, as `nohup` does.
    ///
    /// # Errors
    /// When one of them cannot be watched for.
    pub fn of_terminal() -> Result<Self> {
        let hang_up = if ignores_hang_up(&fs::read_to_string(STATUS).unwrap_or_default()) {
            None
        } else {
            Some(signal(SignalKind::hangup()).context("SIGHUP cannot be watched for")?)
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("Ctrl-C cannot be watched for")?,
            terminate: None,
            hang_up,
        })
    }

    /// Everything that asks a process to end.
    ///
    /// # Errors
    /// When one of them cannot be watched for.
    pub fn all() -> Result<Self> {
        let terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be watched for")?;
        Ok(Self {
            terminate: Some(terminate),
            ..Self::of_terminal()?
        })
    }

    /// Waits until the terminal is gone.
    pub async fn hung_up(&mut self) {
        received(&mut self.hang_up).await;
    }

    /// Waits for the next that does not come from a terminal that is gone: a shell that ends passes
    /// SIGHUP on once more.
    pub async fn next_of_user(&mut self) {
        while self.next().await == Caught::HangUp {}
    }

    /// Waits for the next.
    pub async fn next(&mut self) -> Caught {
        tokio::select! {
            _received = self.interrupt.recv() => Caught::CtrlC,
            () = received(&mut self.terminate) => Caught::Terminate,
            () = received(&mut self.hang_up) => Caught::HangUp,
        }
    }
}

/// What the system says of this process: proc(5).
const STATUS: &str = "/proc/self/status";

/// Whether the mask of ignored signals, in hexadecimal with SIGHUP as its lowest bit, holds SIGHUP.
fn ignores_hang_up(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let lowest = mask.and_then(|mask| mask.trim().chars().last()?.to_digit(16));
    lowest.is_some_and(|digit| digit & 1 == 1)
}

/// Waits for ever where it is not watched for.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_hang_up_is_seen_in_the_mask() {
        let status = |mask: &str| format!("Name:\tcarl\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert!(ignores_hang_up(&status("0000000000001001")));
        assert!(!ignores_hang_up(&status("0000000000001000")));
        assert!(!ignores_hang_up(""));
    }
}
