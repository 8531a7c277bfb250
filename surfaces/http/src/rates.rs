//! How often each token may ask.

use crate::limits::REQUESTS_A_MINUTE;
use domain::token::TokenName;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What each token has left, by its name.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<TokenName, Bucket>>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    since: Instant,
}

impl Rates {
    /// Takes one request of a token's, if it has one left.
    pub(crate) fn take(&self, name: &TokenName, now: Instant) -> bool {
        let most = f64::from(REQUESTS_A_MINUTE);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = Bucket {
            left: most,
            since: now,
        };
        let bucket = all.entry(name.clone()).or_insert(full);
        let passed = now.saturating_duration_since(bucket.since).as_secs_f64();
        bucket.left = (bucket.left + passed * most / 60.0).min(most);
        bucket.since = now;
        let has_one = bucket.left >= 1.0;
        if has_one {
            bucket.left -= 1.0;
        }
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_token_that_asked_too_often_waits_and_no_other_does() {
        let rates = Rates::default();
        let names = ["one", "two"].map(|name| name.parse::<TokenName>().unwrap());
        let begin = Instant::now();
        for _ in 0..REQUESTS_A_MINUTE {
            assert!(rates.take(&names[0], begin));
        }
        assert!(!rates.take(&names[0], begin));
        assert!(rates.take(&names[1], begin));
        let later = begin + Duration::from_millis(60_000 / u64::from(REQUESTS_A_MINUTE) + 1);
        assert!(rates.take(&names[0], later));
        assert!(!rates.take(&names[0], later));
    }
}
