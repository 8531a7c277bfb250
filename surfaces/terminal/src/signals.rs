//! The signals that stop what runs, and how long a chat that is told to end waits for it.

use anyhow::{Context, Result};
use std::fs;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a command of a chat or a request may go on after SIGTERM; then it is left, and ends with
/// the session.
const ENDING_PATIENCE: Duration = Duration::from_secs(10);

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

/// Whether SIGTERM has come since this was made. A chat keeps one from its beginning to its end, since
/// it listens for signals only while it waits or works on a request: one that came in between would be
/// lost, and what is watched once no longer ends the process by itself.
#[derive(Debug)]
pub struct Termination {
    has_come: CancellationToken,
    _watching: DropGuard,
}

impl Termination {
    /// Watches for it from now on.
    ///
    /// # Errors
    /// When it cannot be watched for.
    pub fn watch() -> Result<Self> {
        let mut terminate = terminate()?;
        let (has_come, watching) = (CancellationToken::new(), CancellationToken::new());
        let (comes, is_over) = (has_come.clone(), watching.clone());
        tokio::spawn(async move {
            tokio::select! {
                _received = terminate.recv() => comes.cancel(),
                () = is_over.cancelled() => {}
            }
        });
        Ok(Self {
            has_come,
            _watching: watching.drop_guard(),
        })
    }

    /// Whether it has.
    #[must_use]
    pub fn has_come(&self) -> bool {
        self.has_come.is_cancelled()
    }

    /// Waits until it has come and [`ENDING_PATIENCE`] is over.
    pub fn waited_for(&self) -> impl Future<Output = ()> + use<> {
        let has_come = self.has_come.clone();
        async move {
            has_come.cancelled().await;
            tokio::time::sleep(ENDING_PATIENCE).await;
        }
    }
}

/// Where SIGTERM is learnt from, until it was told once.
#[derive(Debug)]
enum Terminate {
    /// From the system.
    Watched(Signal),
    /// From what a chat keeps.
    Kept(CancellationToken),
    /// It was told.
    Told,
}

impl Terminate {
    async fn received(&mut self) {
        match self {
            Self::Watched(signal) => {
                signal.recv().await;
            }
            Self::Kept(has_come) => {
                has_come.cancelled().await;
                *self = Self::Told;
            }
            Self::Told => std::future::pending().await,
        }
    }
}

/// Signals that are watched for. What is watched once no longer ends the process by itself, for as
/// long as it runs.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Terminate,
    hang_up: Option<Signal>,
}

impl Signals {
    /// For a chat, which goes on after Ctrl-C, and which waits for those that it serves when it is
    /// asked to end or its terminal is gone.
    ///
    /// # Errors
    /// When one of them cannot be watched for.
    pub fn of_chat(termination: &Termination) -> Result<Self> {
        Self::with(Terminate::Kept(termination.has_come.clone()))
    }

    /// Everything that asks a process to end.
    ///
    /// # Errors
    /// When one of them cannot be watched for.
    pub fn all() -> Result<Self> {
        Self::with(Terminate::Watched(terminate()?))
    }

    /// SIGHUP stays ignored where whoever started the process had it ignored, as `nohup` does.
    fn with(terminate: Terminate) -> Result<Self> {
        let hang_up = if ignores_hang_up(&fs::read_to_string(STATUS).unwrap_or_default()) {
            None
        } else {
            Some(signal(SignalKind::hangup()).context("SIGHUP cannot be watched for")?)
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("Ctrl-C cannot be watched for")?,
            terminate,
            hang_up,
        })
    }

    /// Waits until the process is asked to end or its terminal is gone: Ctrl-C does neither here.
    pub async fn ending(&mut self) -> Caught {
        tokio::select! {
            () = self.terminate.received() => Caught::Terminate,
            () = received(&mut self.hang_up) => Caught::HangUp,
        }
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
            () = self.terminate.received() => Caught::Terminate,
            () = received(&mut self.hang_up) => Caught::HangUp,
        }
    }
}

fn terminate() -> Result<Signal> {
    signal(SignalKind::terminate()).context("SIGTERM cannot be watched for")
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
    use tokio::time::timeout;

    #[test]
    fn an_ignored_hang_up_is_seen_in_the_mask() {
        let status = |mask: &str| format!("Name:\tcarl\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert!(ignores_hang_up(&status("0000000000001001")));
        assert!(!ignores_hang_up(&status("0000000000001000")));
        assert!(!ignores_hang_up(""));
    }

    #[tokio::test(start_paused = true)]
    async fn after_sigterm_what_does_not_listen_is_left_in_time() {
        let has_come = CancellationToken::new();
        let termination = Termination {
            has_come: has_come.clone(),
            _watching: CancellationToken::new().drop_guard(),
        };
        let mut left = std::pin::pin!(termination.waited_for());
        let hour = Duration::from_secs(3_600);
        assert!(timeout(hour, &mut left).await.is_err(), "nobody asked");
        has_come.cancel();
        let almost = Duration::from_millis(9_900);
        assert!(timeout(almost, &mut left).await.is_err(), "too early");
        let rest = timeout(Duration::from_millis(200), &mut left);
        assert!(rest.await.is_ok(), "too late");
    }
}
