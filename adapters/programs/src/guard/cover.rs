//! What is covered before a program runs: places that it may not change, and the folders that keep
//! their names meanwhile.

use super::places::{Found, Sight};
use api::executor::ToolFailure;
use api::failure::mendable;
use paths::{is_inside, link_target};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Most places that are covered for one program; each takes a descriptor while it starts.
const COVERED_PLACES: usize = 8_000;

/// The folders between the roots and what is hidden in them.
pub(crate) fn above(hidden: &[PathBuf], roots: &[PathBuf]) -> BTreeSet<PathBuf> {
    let between = |path: &PathBuf| -> Vec<PathBuf> {
        let is_inside = |folder: &&Path| {
            roots
                .iter()
                .any(|root| folder.starts_with(root) && folder != &root.as_path())
        };
        let folders = path.ancestors().skip(1).take_while(is_inside);
        folders.map(Path::to_path_buf).collect()
    };
    hidden.iter().flat_map(between).collect()
}

/// What a program may not change: each place; of a link, which no mount can freeze, what it leads to
/// where the program could write that.
pub(crate) fn frozen(found: Vec<Found>, roots: &[PathBuf]) -> Vec<PathBuf> {
    let is_within = |real: &PathBuf| is_inside(real, roots);
    let mut frozen = BTreeSet::new();
    for place in found {
        match place.link {
            None => frozen.extend(Some(place.path)),
            // One that leads nowhere cannot be followed.
            Some(_) => frozen.extend(place.path.canonicalize().ok().filter(is_within)),
        }
    }
    frozen.into_iter().collect()
}

/// With what else is to be frozen, in order and once; what lies in a frozen folder is.
pub(crate) fn with_goals(frozen: Vec<PathBuf>, goals: &[PathBuf]) -> Vec<PathBuf> {
    let all: BTreeSet<&Path> = frozen.iter().chain(goals).map(PathBuf::as_path).collect();
    let goals: BTreeSet<&Path> = goals.iter().map(PathBuf::as_path).collect();
    let is_within = |path: &Path| {
        let mut above = path.ancestors().skip(1);
        goals.contains(path) && above.any(|folder| all.contains(folder))
    };
    all.iter()
        .filter(|path| !is_within(path))
        .map(|path| path.to_path_buf())
        .collect()
}

/// Those of some places that are named pipes.
pub(crate) fn pipes(places: &[PathBuf]) -> Vec<PathBuf> {
    let is_pipe = |place: &&PathBuf| {
        let about = place.symlink_metadata();
        about.is_ok_and(|about| about.file_type().is_fifo())
    };
    places.iter().filter(is_pipe).cloned().collect()
}

/// Where links among protected places lead in these folders, and nothing is: what a program puts
/// there becomes one.
pub(crate) fn awaited(found: &[Found], roots: &[PathBuf]) -> BTreeSet<PathBuf> {
    let links = found.iter().filter(|place| place.link.is_some());
    let goals = links.filter_map(|place| link_target(&place.path));
    goals
        .filter(|goal| is_inside(goal, roots) && goal.symlink_metadata().is_err())
        .collect()
}

/// The refusal where there are more places to cover than a program can be started with; it names the
/// folder that has most of them.
pub(crate) fn crowd(sight: &Sight) -> Option<ToolFailure> {
    let found = sight.found.iter().map(|place| &place.path);
    let places = found.chain(&sight.hidden).chain(&sight.pipes);
    let places: BTreeSet<&PathBuf> = places.collect();
    if places.len() <= COVERED_PLACES {
        return None;
    }
    let mut by_folder: BTreeMap<&Path, usize> = BTreeMap::new();
    for place in &places {
        *by_folder.entry(place.parent()?).or_default() += 1;
    }
    let (folder, most) = by_folder.into_iter().max_by_key(|(_, count)| *count)?;
    Some(mendable(
        "too_many_files",
        format!(
            "There are {} keys and other protected places in the folders that may be written, more \
             than {COVERED_PLACES}, so they cannot be guarded; {most} of them lie in {}. Ask the user \
             to look at that folder, or to open a narrower one.",
            places.len(),
            folder.display()
        ),
    ))
}
