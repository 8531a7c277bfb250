//! How often each may ask: a token, by its name, and whoever shows none that counts, by its address.

use crate::limits::{RATES, REQUESTS_A_MINUTE};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What each has left.
#[derive(Debug)]
pub(crate) struct Rates<K>(Mutex<HashMap<K, Bucket>>);

impl<K> Default for Rates<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    since: Instant,
}

impl Bucket {
    /// What is left by now.
    fn at(self, now: Instant) -> f64 {
        let most = f64::from(REQUESTS_A_MINUTE);
        let passed = now.saturating_duration_since(self.since).as_secs_f64();
        (self.left + passed * most / 60.0).min(most)
    }
}

impl<K: Eq + Hash + Clone> Rates<K> {
    /// Takes one request, if there is one left.
    pub(crate) fn take(&self, who: &K, now: Instant) -> bool {
        let most = f64::from(REQUESTS_A_MINUTE);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= RATES && !all.contains_key(who) {
            // Who has all of it left need not be known.
            all.retain(|_, bucket| bucket.at(now) < most);
            if all.len() >= RATES {
                return false;
            }
        }
        let full = Bucket {
            left: most,
            since: now,
        };
        let bucket = all.entry(who.clone()).or_insert(full);
        let left = bucket.at(now);
        let has_one = left >= 1.0;
        *bucket = Bucket {
            left: if has_one { left - 1.0 } else { left },
            since: now,
        };
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn who_asked_too_often_waits_and_no_other_does() {
        let rates = Rates::default();
        let begin = Instant::now();
        for _ in 0..REQUESTS_A_MINUTE {
            assert!(rates.take(&"one", begin));
        }
        assert!(!rates.take(&"one", begin));
        assert!(rates.take(&"two", begin));
        let later = begin + Duration::from_millis(60_000 / u64::from(REQUESTS_A_MINUTE) + 1);
        assert!(rates.take(&"one", later));
        assert!(!rates.take(&"one", later));
    }

    #[test]
    fn no_more_are_known_than_may_be() {
        let rates = Rates::default();
        let begin = Instant::now();
        assert!((0..RATES).all(|who| rates.take(&who, begin)));
        assert!(!rates.take(&RATES, begin));
        assert!(rates.take(&0, begin));
        let later = begin + Duration::from_secs(60);
        assert!(rates.take(&RATES, later));
        assert_eq!(rates.0.lock().unwrap().len(), 1);
    }
}
