//! Who is logged in to the page: browsers that showed a login code.
//!
//! A browser sends a cookie to every port of this machine, and so to servers of other users. What is
//! good for something is therefore two halves: the cookie, which no script reads, and a key in the
//! page's own storage, which no other port reads.

use crate::limits::{LOGIN_IDLE, LOGIN_LIFE, LOGINS};
use crate::secret::{fresh, is_same};
use domain::Timestamp;
use domain::hash::Digest;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zeroize::Zeroizing;

/// The browsers that are logged in. They are kept in memory: with the server they are gone.
#[derive(Debug, Default)]
pub(crate) struct Logins(Mutex<Vec<Login>>);

#[derive(Debug)]
struct Login {
    cookie: Digest,
    key: Digest,
    begun: Timestamp,
    used: Timestamp,
}

/// A login, by the digest of its cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginId(Digest);

/// Both halves of a new login, which are kept nowhere.
pub(crate) struct Begun {
    pub(crate) cookie: Zeroizing<String>,
    pub(crate) key: Zeroizing<String>,
}

impl Login {
    fn counts(&self, now: Timestamp) -> bool {
        let within =
            |since: Timestamp, most: Duration| now.duration_since(since).unsigned_abs() < most;
        within(self.begun, LOGIN_LIFE) && within(self.used, LOGIN_IDLE)
    }
}

impl Logins {
    fn all(&self, now: Timestamp) -> MutexGuard<'_, Vec<Login>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.counts(now));
        all
    }

    /// Logs a browser in. The one that was logged in first makes room.
    pub(crate) fn begin(&self, now: Timestamp) -> Begun {
        let begun = Begun {
            cookie: fresh(""),
            key: fresh(""),
        };
        let mut all = self.all(now);
        let surplus = (all.len() + 1).saturating_sub(LOGINS);
        all.drain(..surplus);
        all.push(Login {
            cookie: Digest::of(begun.cookie.as_bytes()),
            key: Digest::of(begun.key.as_bytes()),
            begun: now,
            used: now,
        });
        begun
    }

    /// The login whose both halves are shown.
    pub(crate) fn find(&self, cookie: &str, key: &str, now: Timestamp) -> Option<LoginId> {
        let (cookie, key) = (Digest::of(cookie.as_bytes()), Digest::of(key.as_bytes()));
        let mut found = None;
        for one in self.all(now).iter_mut() {
            if is_same(&one.cookie, &cookie) & is_same(&one.key, &key) {
                one.used = now;
                found = Some(LoginId(one.cookie));
            }
        }
        found
    }

    /// Whether a login still counts; whoever asks uses it.
    pub(crate) fn still_counts(&self, id: &LoginId, now: Timestamp) -> bool {
        let mut all = self.all(now);
        let found = all.iter_mut().find(|one| one.cookie == id.0);
        found.map(|one| one.used = now).is_some()
    }

    /// Ends a login.
    pub(crate) fn end(&self, id: &LoginId, now: Timestamp) {
        self.all(now).retain(|one| one.cookie != id.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Timestamp {
        Timestamp::from_second(i64::try_from(second).unwrap()).unwrap()
    }

    #[test]
    fn a_login_needs_both_halves_and_ends() {
        let logins = Logins::default();
        let (one, other) = (logins.begin(at(0)), logins.begin(at(0)));
        assert_eq!(logins.find(&one.cookie, "", at(1)), None);
        assert_eq!(logins.find("", &one.key, at(1)), None);
        assert_eq!(logins.find(&one.cookie, &other.key, at(1)), None);
        let id = logins.find(&one.cookie, &one.key, at(1)).unwrap();
        assert!(logins.still_counts(&id, at(2)));
        logins.end(&id, at(2));
        assert!(!logins.still_counts(&id, at(2)));
        assert_eq!(logins.find(&one.cookie, &one.key, at(2)), None);
        assert!(logins.find(&other.cookie, &other.key, at(2)).is_some());
    }

    #[test]
    fn a_login_that_is_not_used_or_old_counts_no_more() {
        let logins = Logins::default();
        let begun = logins.begin(at(0));
        let found = |second| logins.find(&begun.cookie, &begun.key, at(second)).is_some();
        let (idle, life) = (LOGIN_IDLE.as_secs(), LOGIN_LIFE.as_secs());
        let mut now = 0;
        while now + idle - 1 < life {
            now += idle - 1;
            assert!(found(now), "{now}");
        }
        assert!(!found(life));
        let begun = logins.begin(at(0));
        assert!(logins.find(&begun.cookie, &begun.key, at(idle)).is_none());
    }

    #[test]
    fn the_browser_that_was_logged_in_first_makes_room() {
        let logins = Logins::default();
        let all: Vec<_> = (0..=LOGINS).map(|_| logins.begin(at(0))).collect();
        assert!(logins.find(&all[0].cookie, &all[0].key, at(1)).is_none());
        assert!(logins.find(&all[1].cookie, &all[1].key, at(1)).is_some());
    }
}
