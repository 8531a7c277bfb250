//! When a page that stands open is read anew: after something happened in the session, and so seldom that
//! reading takes a small part of the time.

use std::time::{Duration, Instant};

/// Shortest time from the end of one reading to the next.
const PAUSE: Duration = Duration::from_millis(500);
/// How many times as long as a reading took nothing is read after it.
const REST: u32 = 10;

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// What is shown is what there is, as far as anybody said.
    #[default]
    Fresh,
    /// It is being read.
    Reading {
        /// Since when.
        since: Instant,
        /// Whether something happened since then.
        is_old: bool,
    },
    /// It is to be read once this time has come.
    Due(Instant),
}

/// Whether a page is read, or is to be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Refresh {
    phase: Phase,
    /// Before this it is not read again.
    not_before: Option<Instant>,
}

impl Refresh {
    /// A page that is being read for the first time.
    #[must_use]
    pub fn reading(since: Instant) -> Self {
        let is_old = false;
        Self {
            phase: Phase::Reading { since, is_old },
            not_before: None,
        }
    }

    /// Something happened that the page may show.
    pub fn changed(&mut self, now: Instant) {
        match &mut self.phase {
            Phase::Fresh => {
                self.phase = Phase::Due(self.not_before.map_or(now, |time| time.max(now)));
            }
            Phase::Reading { is_old, .. } => *is_old = true,
            Phase::Due(_) => {}
        }
    }

    /// The page changes by itself with the time: it is read again after this.
    pub fn goes_on(&mut self, after: Instant) {
        if self.phase == Phase::Fresh {
            self.phase = Phase::Due(self.not_before.map_or(after, |time| time.max(after)));
        }
    }

    /// It was read.
    pub fn was_read(&mut self, now: Instant) {
        let Phase::Reading { since, is_old } = self.phase else {
            return;
        };
        let took = now.saturating_duration_since(since);
        self.not_before = Some(now + PAUSE.max(took * REST));
        self.phase = Phase::Fresh;
        if is_old {
            self.changed(now);
        }
    }

    /// Whether it is to be read now; it counts as being read then.
    pub fn begins(&mut self, now: Instant) -> bool {
        let is_due = matches!(self.phase, Phase::Due(time) if time <= now);
        if is_due {
            *self = Self::reading(now);
        }
        is_due
    }

    /// When it is to be read.
    #[must_use]
    pub const fn wakes_at(&self) -> Option<Instant> {
        match self.phase {
            Phase::Due(time) => Some(time),
            Phase::Fresh | Phase::Reading { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_again_only_after_something_happened_and_a_pause() {
        let begin = Instant::now();
        let after = |ms| begin + Duration::from_millis(ms);
        let mut page = Refresh::reading(begin);
        page.was_read(after(20));
        assert_eq!((page.wakes_at(), page.begins(after(9_000))), (None, false));
        page.changed(after(30));
        page.changed(after(40));
        assert_eq!(page.wakes_at(), Some(after(520)));
        assert!(!page.begins(after(519)) && page.begins(after(520)));
        assert!(!page.begins(after(520)), "one reading at a time");
        page.changed(after(530));
        assert_eq!(page.wakes_at(), None);
        page.was_read(after(720));
        assert_eq!(page.wakes_at(), Some(after(2_720)), "a slow one rests");
        assert!(page.begins(after(3_000)));
        page.was_read(after(3_001));
        page.changed(after(60_000));
        assert!(page.begins(after(60_000)));
        page.was_read(after(60_001));
        page.goes_on(after(62_000));
        assert!(!page.begins(after(61_999)) && page.begins(after(62_000)));
    }
}
