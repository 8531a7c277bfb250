//! Which changes of a full undo history become one.

use crate::changes::{Change, Open};
use domain::hash::Digest;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes that are kept for these changes.
pub(crate) fn used(open: &[Open]) -> u64 {
    let kept = open.iter().filter_map(|open| open.change.kept());
    kept.map(|kept| kept.bytes).sum()
}

/// Two changes that become one, by their numbers, and what that leaves.
pub(crate) struct Merge {
    pub(crate) into: u64,
    pub(crate) later: u64,
    pub(crate) after: Digest,
}

impl Merge {
    /// Makes them one.
    pub(crate) fn apply(&self, open: &mut Vec<Open>) {
        open.retain(|one| one.number != self.later);
        let mut into = open.iter_mut().filter(|one| one.number == self.into);
        into.by_ref().for_each(|one| one.leaves(self.after));
    }
}

/// The oldest two changes of one file that can be taken back as one: nothing between them moved or
/// deleted anything, and the later one keeps what the earlier one left. Where it keeps something
/// else, somebody saved that in between, and only the later change can bring it back. What undo
/// passes over is never taken back, so nothing becomes part of it, and it of nothing. What a patch did
/// to one file is taken back with the others, and so becomes part of nothing either.
pub(crate) fn mergeable(open: &[Open]) -> Option<Merge> {
    let mut last: BTreeMap<&Path, (u64, Digest)> = BTreeMap::new();
    for one in open {
        let Change::Put {
            path,
            before,
            after,
            ..
        } = &one.change
        else {
            if !matches!(one.change, Change::Made { .. }) {
                last.clear();
            }
            continue;
        };
        if one.is_passed {
            last.remove(path.as_path());
            continue;
        }
        let found = before.as_ref().map(|kept| kept.digest);
        match last.insert(path, (one.number, *after)) {
            Some((earlier, left)) if found == Some(left) && !one.is_of_patch() => {
                return Some(Merge {
                    into: earlier,
                    later: one.number,
                    after: *after,
                });
            }
            _ => {}
        }
    }
    None
}
