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

    /// A piece came from the model, empty when it was a part of the prompt that was read. Returns how
    /// many pieces of the answer there are, when the caller hears nothing else (`is_silent`) and
    /// should hear that.
    pub fn after(&mut self, piece: &str, is_silent: bool, now: Instant) -> Option<u64> {
        self.pieces += u64::from(!piece.is_empty());
        let is_due = now.duration_since(self.heard) >= LONGEST_SILENCE;
        if !is_silent || is_due {
            self.heard = now;
        }
        (is_silent && is_due).then_some(self.pieces)
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
        assert_eq!(signs.after("", true, at(4)), None);
        assert_eq!(signs.after("", true, at(5)), Some(0), "the prompt");
        assert_eq!(signs.after("{", true, at(9)), None);
        assert_eq!(signs.after("\"", true, at(10)), Some(2), "kept back");
        assert_eq!(signs.after("a", false, at(14)), None, "handed over");
        assert_eq!(signs.after("b", true, at(18)), None);
        assert_eq!(signs.after("c", true, at(19)), Some(5));
    }
}
