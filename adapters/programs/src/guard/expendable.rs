//! Which covers may go without the program's end: those over what another program, which still runs,
//! may have made. It is no secret of the user's from that program, and what is new there is set aside
//! in the end. A job that makes and removes a repository (an installer, a test suite) would else end
//! every program that began meanwhile.

use super::known::Known;
use super::places::Found;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why places are covered: by which protected places.
#[derive(Debug)]
pub(crate) struct Reasons {
    by_place: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Folders that are hidden as a whole.
    pub(crate) deep: Vec<Found>,
    doubtful: BTreeSet<PathBuf>,
}

impl Reasons {
    /// A protected place and a deep folder is covered because of itself, and what it leads to because
    /// of it; `led` names the goals, each with its place.
    pub(crate) fn of(found: &[Found], deep: &[PathBuf], led: &[(PathBuf, PathBuf)]) -> Self {
        let deep: Vec<Found> = deep
            .iter()
            .filter_map(|path| Found::at(path, 0).ok())
            .collect();
        let mut by_place: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        let mut add = |place: &Path, reason: &Path| {
            let reasons = by_place.entry(place.to_path_buf()).or_default();
            reasons.insert(reason.to_path_buf());
        };
        for place in found.iter().chain(&deep) {
            add(&place.path, &place.path);
            let goal = place.link.as_ref().map(|_| place.path.canonicalize());
            if let Some(Ok(goal)) = goal {
                add(&goal, &place.path);
            }
        }
        for (goal, place) in led {
            add(goal, place);
        }
        Self {
            by_place,
            deep,
            doubtful: BTreeSet::new(),
        }
    }

    /// With what was not there before every program that runs.
    pub(crate) fn doubted_by(mut self, known: &Known, found: &[Found]) -> Self {
        let all = found.iter().chain(&self.deep);
        let fresh = all.filter(|place| !known.holds(place));
        self.doubtful = fresh.map(|place| place.path.clone()).collect();
        self
    }

    /// Those of the covered and the held places that may go. A folder is held for what is in it.
    pub(crate) fn expendable<'p>(
        &self,
        covered: impl Iterator<Item = &'p PathBuf>,
        held: &[PathBuf],
    ) -> Vec<PathBuf> {
        if self.doubtful.is_empty() {
            return Vec::new();
        }
        let (may_go, must_stay): (Vec<_>, Vec<_>) = covered.partition(|place| self.may_go(place));
        let firm = self.by_place.iter().filter(|(_, by)| !self.is_doubtful(by));
        let firm: BTreeSet<&PathBuf> = firm.map(|(place, _)| place).chain(must_stay).collect();
        let is_above_firm = |folder: &&PathBuf| {
            // In order, what lies in a folder follows it.
            let mut from = firm.range::<&PathBuf, _>(*folder..);
            from.next().is_some_and(|place| place.starts_with(folder))
        };
        let held = held.iter().filter(|folder| !is_above_firm(folder));
        may_go.into_iter().chain(held).cloned().collect()
    }

    /// Whether all that a place is covered for may have been made meanwhile. A pipe is covered for the
    /// place that it lies in.
    fn may_go(&self, place: &Path) -> bool {
        let reasons = place.ancestors().find_map(|above| self.by_place.get(above));
        reasons.is_some_and(|by| self.is_doubtful(by))
    }

    fn is_doubtful(&self, reasons: &BTreeSet<PathBuf>) -> bool {
        reasons.iter().all(|reason| self.doubtful.contains(reason))
    }
}
