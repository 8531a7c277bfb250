//! What was there before programs ran, shared among those that run at once: what one of them may have
//! made is new to every other one that begins meanwhile, until both have ended. What it made before
//! another one began is left to its own end: that other one cannot have made it.

use super::places::{Found, Mark};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static ALL: Mutex<All> = Mutex::new(All {
    by_number: BTreeMap::new(),
    next: 0,
});

struct All {
    by_number: BTreeMap<u64, Before>,
    next: u64,
}

impl All {
    /// Whether no program that runs may have made a place.
    fn was_there(&self, place: &Found) -> bool {
        let mut others = self.by_number.values();
        others.all(|before| !before.reaches(place) || before.marks.contains(&place.mark()))
    }
}

/// Whether a program that runs may have made what is at a path.
pub(crate) fn is_doubtful(path: &Path) -> bool {
    let place = Found::at(path, 0);
    place.is_ok_and(|place| change(|all| !all.was_there(&place)))
}

/// What one program found.
#[derive(Clone)]
struct Before {
    roots: Vec<PathBuf>,
    marks: BTreeSet<Mark>,
    /// All that was there, also what others may have made.
    seen: BTreeSet<Mark>,
}

impl Before {
    fn reaches(&self, place: &Found) -> bool {
        self.roots.iter().any(|root| place.path.starts_with(root))
    }
}

/// The protected places that were there before a program ran, and that no other one which still runs may
/// have made.
#[derive(Debug)]
pub(crate) struct Known {
    marks: BTreeSet<Mark>,
    /// What others may have made, where it was.
    doubtful: BTreeSet<(PathBuf, Mark)>,
    number: u64,
}

impl Known {
    /// Takes up what was found beneath the roots of a program that begins.
    pub(crate) fn begin<'f>(found: impl Iterator<Item = &'f Found>, roots: &[PathBuf]) -> Self {
        change(|all| {
            let (there, doubtful): (Vec<_>, Vec<_>) = found.partition(|place| all.was_there(place));
            let marks: BTreeSet<Mark> = there.into_iter().map(Found::mark).collect();
            let placed = |place: &Found| (place.path.clone(), place.mark());
            let doubtful: BTreeSet<_> = doubtful.into_iter().map(placed).collect();
            let new = doubtful.iter().map(|(_, mark)| mark.clone());
            all.next += 1;
            let before = Before {
                roots: roots.to_vec(),
                seen: marks.iter().cloned().chain(new).collect(),
                marks: marks.clone(),
            };
            all.by_number.insert(all.next, before);
            Self {
                marks,
                doubtful,
                number: all.next,
            }
        })
    }

    pub(crate) fn holds(&self, place: &Found) -> bool {
        self.marks.contains(&place.mark())
    }

    /// Whether another program made a place before this one began, and still runs: its own end comes,
    /// and until then it may go on with what it made. Nobody else may pass it on: whoever began when it
    /// was there already does not count.
    pub(crate) fn leaves(&self, place: &Found) -> bool {
        let mark = place.mark();
        // Without its birth, another file of the same number could be taken for it.
        let is_same = |mark: &Mark| mark.1.is_some();
        if !is_same(&mark) || !self.doubtful.contains(&(place.path.clone(), mark.clone())) {
            return false;
        }
        change(|all| {
            let mut others = all.by_number.values();
            others.any(|before| before.reaches(place) && !before.seen.contains(&mark))
        })
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        change(|all| all.by_number.remove(&self.number));
    }
}

fn change<T>(change: impl FnOnce(&mut All) -> T) -> T {
    change(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}
