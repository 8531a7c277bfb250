//! What is known of sites: their robots rules, and when they may be visited next. How long to wait in
//! between stands in `config.rs`.

use crate::robots::Rules;
use domain::limits::{HOST_PAUSE, REMEMBERED_HOSTS, ROBOTS_LIFE};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sites by origin: scheme, host and port.
pub(crate) struct Polite {
    pause: Duration,
    sites: Mutex<HashMap<String, Site>>,
}

#[derive(Default)]
struct Site {
    rules: Option<(Arc<Rules>, Instant)>,
    /// Before this nothing is asked of it.
    next: Option<Instant>,
}

impl Polite {
    pub(crate) fn new(pause: Duration) -> Self {
        Self {
            pause: pause.min(HOST_PAUSE),
            sites: Mutex::default(),
        }
    }

    /// The rules of a site, while they may be remembered.
    pub(crate) fn rules(&self, origin: &str, now: Instant) -> Option<Arc<Rules>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let (rules, read) = sites.get(origin)?.rules.as_ref()?;
        (now.saturating_duration_since(*read) < ROBOTS_LIFE).then(|| Arc::clone(rules))
    }

    /// Remembers the rules of a site.
    pub(crate) fn learn(&self, origin: &str, rules: Arc<Rules>, now: Instant) {
        self.with(origin, now, |site| site.rules = Some((rules, now)));
    }

    /// Takes the next turn with a site, and says when it is.
    pub(crate) fn turn(&self, origin: &str, asked: Option<Duration>, now: Instant) -> Instant {
        let pause = self.pause.max(asked.unwrap_or_default().min(HOST_PAUSE));
        self.with(origin, now, |site| {
            let turn = site.next.map_or(now, |next| next.max(now));
            site.next = Some(turn + pause);
            turn
        })
    }

    fn with<T>(&self, origin: &str, now: Instant, use_it: impl FnOnce(&mut Site) -> T) -> T {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= REMEMBERED_HOSTS && !sites.contains_key(origin) {
            // A turn that is still to come is kept; everything else can be asked again.
            sites.retain(|_, site| site.next.is_some_and(|next| next > now));
            if sites.len() >= REMEMBERED_HOSTS {
                sites.clear();
            }
        }
        use_it(sites.entry(origin.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn visits_to_one_site_are_apart_and_others_do_not_wait() {
        let polite = Polite::new(SECOND);
        let now = Instant::now();
        assert_eq!(polite.turn("a", None, now), now);
        assert_eq!(polite.turn("a", Some(3 * SECOND), now), now + SECOND);
        assert_eq!(
            polite.turn("a", Some(1_000 * SECOND), now),
            now + 4 * SECOND
        );
        assert_eq!(polite.turn("a", None, now), now + 4 * SECOND + HOST_PAUSE);
        assert_eq!(polite.turn("b", None, now), now);
        let later = now + 100 * SECOND;
        assert_eq!(polite.turn("a", None, later), later);
    }

    #[test]
    fn rules_are_forgotten_after_a_day_and_sites_are_bounded() {
        let polite = Polite::new(SECOND);
        let now = Instant::now();
        polite.learn("a", Arc::default(), now);
        assert!(polite.rules("a", now + ROBOTS_LIFE - SECOND).is_some());
        assert!(polite.rules("a", now + ROBOTS_LIFE).is_none());
        for site in 0..2 * REMEMBERED_HOSTS {
            polite.turn(&site.to_string(), None, now);
        }
        let known = polite.sites.lock().unwrap().len();
        assert!(known <= REMEMBERED_HOSTS, "{known}");
    }
}
