//! When the engine's process ends: asked to, orphaned, or idle.

use crate::activity::Activity;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use std::io;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// How often idleness is looked at.
const IDLE_CHECK: Duration = Duration::from_millis(250);

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

/// Waits for the end of the process's time; `parent` started it.
///
/// The kernel tells of the parent's death with SIGUSR1, but it means the parent's *thread*: a
/// parent that starts its children from a short-lived thread would lose them. Only a changed parent
/// counts.
///
/// # Errors
/// When signals cannot be watched.
pub async fn end(
    parent: Option<Pid>,
    activity: &Activity,
    idle_limit: Option<Duration>,
) -> io::Result<End> {
    let mut parent_thread_died = signal(SignalKind::user_defined1())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    set_parent_process_death_signal(Some(Signal::USR1))?;
    loop {
        // Also covers a parent that died before the kernel was asked to tell.
        if is_orphan(parent, getppid()) {
            return Ok(End::Orphaned);
        }
        tokio::select! {
            _ = terminate.recv() => return Ok(End::Asked),
            _ = interrupt.recv() => return Ok(End::Asked),
            // A parent outside of this process namespace has no number here to compare.
            _ = parent_thread_died.recv() => if parent.is_none() { return Ok(End::Orphaned) },
            () = idle(activity, idle_limit) => return Ok(End::Idle),
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
    while activity.idle_for(Instant::now()) < limit {
        sleep(IDLE_CHECK.min(limit)).await;
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
