//! Knows whether anyone uses the engine, so that an idle one can leave.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts running requests and remembers when the last one ended.
#[derive(Debug, Clone)]
pub struct Activity(Arc<State>);

#[derive(Debug)]
struct State {
    running: AtomicUsize,
    quiet_since: Mutex<Instant>,
}

/// One running request. Dropping it ends the request.
#[derive(Debug)]
pub struct Running(Activity);

impl Default for Activity {
    fn default() -> Self {
        let quiet_since = Mutex::new(Instant::now());
        Self(Arc::new(State {
            running: AtomicUsize::new(0),
            quiet_since,
        }))
    }
}

impl Activity {
    /// A request begins.
    #[must_use]
    pub fn begin(&self) -> Running {
        self.0.running.fetch_add(1, Ordering::SeqCst);
        Running(self.clone())
    }

    /// For how long nothing has run at `now`; zero while something does.
    #[must_use]
    pub fn idle_for(&self, now: Instant) -> Duration {
        if self.0.running.load(Ordering::SeqCst) > 0 {
            return Duration::ZERO;
        }
        let quiet_since = self.0.quiet_since.lock();
        now.saturating_duration_since(*quiet_since.unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let state = &self.0.0;
        *state
            .quiet_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        state.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_request_is_never_idle() {
        let activity = Activity::default();
        let later = Instant::now() + Duration::from_secs(3600);
        let running = activity.begin();
        assert_eq!(activity.idle_for(later), Duration::ZERO);
        drop(running);
        let idle = activity.idle_for(later);
        assert!(idle > Duration::from_secs(3500) && idle <= Duration::from_secs(3600));
    }
}
