//! How much is spent on what git is configured to do.

use std::time::{Duration, Instant};

/// Most of all configuration that is read for one repository, bytes.
const BYTES: u64 = 8 << 20;
/// Most places that are looked at for what the configuration of one repository names.
const LOOKS: usize = 200_000;
/// The same for all repositories of one look, and the time that goes into it: a project may hold any
/// number of them.
const ALL_BYTES: u64 = 32 << 20;
const ALL_LOOKS: usize = 1_000_000;
const ALL_TIME: Duration = Duration::from_secs(4);

/// What is left for all repositories of a look.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    bytes: u64,
    looks: usize,
    time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: ALL_BYTES,
            looks: ALL_LOOKS,
            time: ALL_TIME,
        }
    }
}

impl Budget {
    /// What one repository may spend, from now on.
    pub(crate) fn share(&self) -> Share {
        let (bytes, looks) = (BYTES.min(self.bytes), LOOKS.min(self.looks));
        Share {
            given: (bytes, looks),
            bytes,
            looks,
            time: self.time,
            began: Instant::now(),
        }
    }

    /// Takes off what a repository has spent of its share.
    pub(crate) fn take(&mut self, share: &Share) {
        let (bytes, looks) = share.given;
        self.bytes -= bytes - share.bytes;
        self.looks -= looks - share.looks;
        self.time = self.time.saturating_sub(share.began.elapsed());
    }
}

/// What is left for one repository.
#[derive(Debug)]
pub(crate) struct Share {
    given: (u64, usize),
    pub(super) bytes: u64,
    looks: usize,
    time: Duration,
    began: Instant,
}

impl Share {
    /// Takes off so many looks. `None` where that is more than is left, or the time is over.
    pub(crate) fn spend(&mut self, looks: usize) -> Option<()> {
        self.holds(looks)?;
        self.looks -= looks;
        Some(())
    }

    /// `None` where so many looks are more than is left, or the time is over.
    pub(super) fn holds(&self, looks: usize) -> Option<()> {
        (looks <= self.looks && self.began.elapsed() <= self.time).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_repositories_share_one_budget() {
        let mut all = Budget::default();
        for left in (0..ALL_LOOKS / LOOKS).rev() {
            let mut share = all.share();
            assert_eq!(share.spend(LOOKS), Some(()));
            assert_eq!(share.spend(1), None);
            share.bytes = 0;
            all.take(&share);
            assert_eq!(all.looks, left * LOOKS);
        }
        assert_eq!((all.share().bytes, all.share().spend(1)), (0, None));
        let late = Budget {
            time: Duration::ZERO,
            ..Budget::default()
        };
        assert_eq!(late.share().spend(0), None);
    }
}
