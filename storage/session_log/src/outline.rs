//! Where the pieces of answers stand in logs, as far as that was seen: nearly all of a long log are
//! such pieces, and whoever reads it without them need not read them again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is worth passing by instead of reading it, bytes.
const SHORTEST_GAP: u64 = 16 << 10;
/// Most logs of which it is known.
const LOGS: usize = 256;

/// Lines in a row that are pieces of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Where the first of them begins, bytes.
    pub(crate) begin: u64,
    /// Where the last of them ends, bytes. Another line begins there.
    pub(crate) end: u64,
    /// The number of the event in the last of them.
    pub(crate) last_seq: u64,
}

/// The gaps in logs, the same for all clones. A log only grows, so what is known of it stays true;
/// whoever passes one by looks whether it still is.
#[derive(Debug, Clone, Default)]
pub struct Outlines(Arc<Mutex<BTreeMap<PathBuf, Vec<Gap>>>>);

impl Outlines {
    /// The gaps of a log, in order.
    pub(crate) fn of(&self, path: &Path) -> Vec<Gap> {
        self.all().get(path).cloned().unwrap_or_default()
    }

    /// Takes a gap into account, unless it is too short to matter or known from another reader.
    pub(crate) fn note(&self, path: &Path, gap: Gap) {
        if gap.end.saturating_sub(gap.begin) < SHORTEST_GAP {
            return;
        }
        let mut all = self.all();
        if !all.contains_key(path) && all.len() >= LOGS {
            // Ids begin with the time, so this is the oldest session.
            all.pop_first();
        }
        let gaps = all.entry(path.to_owned()).or_default();
        let at = gaps.partition_point(|known| known.end <= gap.begin);
        if gaps.get(at).is_none_or(|later| gap.end <= later.begin) {
            gaps.insert(at, gap);
        }
    }

    /// A log is not what it was.
    pub(crate) fn forget(&self, path: &Path) {
        self.all().remove(path);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Vec<Gap>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(begin: u64, end: u64) -> Gap {
        let last_seq = end;
        Gap {
            begin: begin * SHORTEST_GAP,
            end: end * SHORTEST_GAP,
            last_seq,
        }
    }

    #[test]
    fn gaps_stand_in_order_and_none_within_another() {
        let (outlines, log) = (Outlines::default(), Path::new("/a"));
        for noted in [gap(5, 6), gap(1, 3), gap(3, 4), gap(2, 3), gap(3, 6)] {
            outlines.note(log, noted);
        }
        assert_eq!(outlines.of(log), [gap(1, 3), gap(3, 4), gap(5, 6)]);
        assert_eq!(outlines.of(Path::new("/b")), []);
        outlines.forget(log);
        assert_eq!(outlines.of(log), []);
    }

    #[test]
    fn short_gaps_and_logs_past_the_limit_are_not_kept() {
        let outlines = Outlines::default();
        let short = Gap {
            end: SHORTEST_GAP - 1,
            ..gap(0, 1)
        };
        outlines.note(Path::new("/0"), short);
        assert_eq!(outlines.all().len(), 0);
        for number in 0..=LOGS {
            outlines.note(Path::new(&format!("/{number:04}")), gap(0, 1));
        }
        assert_eq!(outlines.all().len(), LOGS);
        assert_eq!(outlines.of(Path::new("/0000")), []);
    }
}
