//! When the engine's process ends: asked to, orphaned, or idle.

use crate::activity::Activity;
use rustix::process::{Pid, getppid, set_parent_process_death_signal};
use std::io;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

/// Why the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// SIGTERM or SIGINT.
    Asked,
    /// The process that started this one is gone.
    Orphaned,
    /// Nothing to do for as long as allowed.
    Idle,
}

/// The process that started this one; `None` for one in another process namespace. To be asked for
/// before anything that others wait for: a parent that dies afterwards would otherwise pass for the
/// one that took its place.
#[must_use]
pub fn parent() -> Option<Pid> {
    getppid()
}

/// The signals that end the process. From here on none of them kills it.
#[derive(Debug)]
pub struct Signals {
    parent_thread_died: Signal,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Watches the signals. To be called before the socket is there, since whoever sees the socket
    /// may ask the process to leave.
    ///
    /// # Errors
    /// When signals cannot be watched.
    pub fn watch() -> io::Result<Self> {
        let signals = Self {
            parent_thread_died: signal(SignalKind::user_defined1())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        };
        set_parent_process_death_signal(Some(rustix::process::Signal::USR1))?;
        Ok(signals)
    }

    /// Waits for the end of the process's time; `parent` started it.
    ///
    /// The kernel tells of the parent's death with SIGUSR1, but it means the parent's *thread*: a
    /// parent that starts its children from a short-lived thread would lose them. Only a changed
    /// parent counts.
    pub async fn end(
        mut self,
        parent: Option<Pid>,
        activity: &Activity,
        idle_limit: Option<Duration>,
    ) -> End {
        loop {
            // Also covers a parent that died before the kernel was asked to tell.
            if is_orphan(parent, getppid()) {
                return End::Orphaned;
            }
            tokio::select! {
                _ = self.terminate.recv() => return End::Asked,
                _ = self.interrupt.recv() => return End::Asked,
                // A parent outside of this process namespace has no number here to compare.
                _ = self.parent_thread_died.recv() => {
                    if parent.is_none() { return End::Orphaned }
                }
                () = idle(activity, idle_limit) => return End::Idle,
            }
        }
    }
}

fn is_orphan(before: Option<Pid>, now: Option<Pid>) -> bool {
    before.is_some() && before != now
}

async fn idle(activity: &Activity, limit: Option<Duration>) {
    let Some(limit) = limit else {
        return std::future::pending().await;
    };
    // Asleep until it can be so at the earliest: an engine with nothing to do wakes nobody.
    loop {
        match limit.checked_sub(activity.idle_for(Instant::now())) {
            None | Some(Duration::ZERO) => return,
            Some(left) => sleep(left).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_changed_parent_makes_an_orphan() {
        let (one, other) = (Pid::from_raw(100), Pid::from_raw(1));
        assert!(!is_orphan(one, one));
        assert!(is_orphan(one, other));
        assert!(
            !is_orphan(None, None),
            "a parent in another process namespace"
        );
    }

    #[tokio::test]
    async fn an_idle_engine_ends_and_a_busy_one_does_not() {
        let activity = Activity::default();
        let running = activity.begin();
        let limit = Some(Duration::from_millis(20));
        let busy = tokio::time::timeout(Duration::from_millis(100), idle(&activity, limit)).await;
        assert!(busy.is_err());
        drop(running);
        let quiet = tokio::time::timeout(Duration::from_secs(5), idle(&activity, limit)).await;
        assert!(quiet.is_ok());
    }
}
