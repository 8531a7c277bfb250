//! What was there before programs ran, shared among those that run at once: what one of them may have
//! made is new to every other one that begins meanwhile, until both have ended.

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
        others.all(|before| {
            let mut roots = before.roots.iter();
            let reaches = roots.any(|root| place.path.starts_with(root));
            !reaches || before.marks.contains(&place.mark())
        })
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
}

/// The protected places that were there before a program ran, and that no other one which still runs may
/// have made.
#[derive(Debug)]
pub(crate) struct Known {
    marks: BTreeSet<Mark>,
    number: u64,
}

impl Known {
    /// Takes up what was found beneath the roots of a program that begins.
    pub(crate) fn begin<'f>(found: impl Iterator<Item = &'f Found>, roots: &[PathBuf]) -> Self {
        change(|all| {
            let was_there = |place: &&Found| all.was_there(place);
            let marks: BTreeSet<Mark> = found.filter(was_there).map(Found::mark).collect();
            all.next += 1;
            let before = Before {
                roots: roots.to_vec(),
                marks: marks.clone(),
            };
            all.by_number.insert(all.next, before);
            Self {
                marks,
                number: all.next,
            }
        })
    }

    pub(crate) fn holds(&self, place: &Found) -> bool {
        self.marks.contains(&place.mark())
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
