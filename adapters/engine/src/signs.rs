//! Signs of life: that the work goes on when there was nothing to hand over for a while.
//!
//! A long prompt is read in silence, and JSON is kept until it is whole. Who waits cannot tell that
//! from an engine that hangs, so it hears from the model's own thread now and then.

use std::time::Duration;
use tokio::time::Instant;

/// Longest a caller hears nothing while the model works. Callers give up after a minute and more.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// What one caller has heard.
#[derive(Debug)]
pub struct SignsOfLife {
    pieces: u64,
    heard: Instant,
}

impl SignsOfLife {
    /// Nothing was heard since `now`.
    #[must_use]
    pub const fn from(now: Instant) -> Self {
        Self {
            pieces: 0,
            heard: now,
        }
    }

    /// A part of the prompt was read. Returns whether the caller should hear how far it is.
    pub fn reading(&mut self, now: Instant) -> bool {
        let is_due = self.is_due(now);
        if is_due {
            self.heard = now;
        }
        is_due
    }

    /// A piece of the answer came from the model. Returns how many there are, when the caller hears
    /// nothing else (`is_silent`) and should hear that.
    pub fn writing(&mut self, is_silent: bool, now: Instant) -> Option<u64> {
        self.pieces += 1;
        let is_due = self.is_due(now);
        if !is_silent || is_due {
            self.heard = now;
        }
        (is_silent && is_due).then_some(self.pieces)
    }

    fn is_due(&self, now: Instant) -> bool {
        now.duration_since(self.heard) >= LONGEST_SILENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_comes_after_five_silent_seconds_and_not_before() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut signs = SignsOfLife::from(begun);
        assert!(!signs.reading(at(4)));
        assert!(signs.reading(at(5)));
        assert_eq!(signs.writing(true, at(9)), None);
        assert_eq!(signs.writing(true, at(10)), Some(2), "kept back");
        assert_eq!(signs.writing(false, at(14)), None, "handed over");
        assert_eq!(signs.writing(true, at(18)), None);
        assert_eq!(signs.writing(true, at(19)), Some(5));
    }
}
