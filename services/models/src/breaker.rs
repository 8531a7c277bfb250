//! A circuit breaker: after several failures in a row a provider is left alone for a while. After how
//! many, and for how long, stands in `config.rs`.

use std::time::Duration;
use tokio::time::Instant;

/// The state of one provider. Time is an argument.
#[derive(Debug)]
pub(crate) struct Breaker {
    limit: u32,
    pause: Duration,
    failures: u32,
    /// Until when nothing is sent.
    open_until: Option<Instant>,
    /// Whether the one request that may find out is on its way.
    probing: bool,
}

impl Breaker {
    pub(crate) fn new(limit: u32, pause: Duration) -> Self {
        Self {
            limit: limit.max(1),
            pause,
            failures: 0,
            open_until: None,
            probing: false,
        }
    }

    /// Whether a request may go out now; the error is how long to wait.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.open_until {
            None => Ok(()),
            Some(until) if now < until => Err(until - now),
            Some(_) if self.probing => Err(Duration::ZERO),
            Some(_) => {
                self.probing = true;
                Ok(())
            }
        }
    }

    /// It answered.
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
        self.open_until = None;
        self.probing = false;
    }

    /// It failed.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.probing = false;
        if self.failures >= self.limit {
            self.open_until = now.checked_add(self.pause);
        }
    }

    /// The request was given up by the caller: it says nothing of the provider.
    pub(crate) fn abandoned(&mut self) {
        self.probing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(30);

    #[test]
    fn it_opens_at_the_limit_and_lets_one_through_after_the_pause() {
        let start = Instant::now();
        let mut breaker = Breaker::new(2, PAUSE);
        breaker.failed(start);
        assert!(breaker.admit(start).is_ok(), "one failure is not enough");
        breaker.failed(start);
        assert_eq!(breaker.admit(start), Err(PAUSE));
        let later = start + PAUSE;
        assert!(breaker.admit(later).is_ok());
        assert!(breaker.admit(later).is_err(), "only one may find out");
        breaker.failed(later);
        assert!(breaker.admit(later).is_err());
        let much_later = later + PAUSE;
        assert!(breaker.admit(much_later).is_ok());
        breaker.succeeded();
        assert!(breaker.admit(much_later).is_ok());
    }

    #[test]
    fn a_probe_given_up_by_its_caller_lets_the_next_one_try() {
        let start = Instant::now();
        let mut breaker = Breaker::new(1, PAUSE);
        breaker.failed(start);
        let later = start + PAUSE;
        assert!(breaker.admit(later).is_ok());
        breaker.abandoned();
        assert!(breaker.admit(later).is_ok());
    }

    #[test]
    fn a_success_between_failures_starts_the_count_again() {
        let now = Instant::now();
        let mut breaker = Breaker::new(2, PAUSE);
        breaker.failed(now);
        breaker.succeeded();
        breaker.failed(now);
        assert!(breaker.admit(now).is_ok());
    }
}
