//! Links among the protected places: where they lead, a change is one of the place itself.

use domain::limits::{LINK_ENTRIES, WALK_DEPTH};
use paths::{is_inside, link_target};
use policy::protected::{Protected, Protection};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// How deep is looked before each change of a file.
const LINK_DEPTH: usize = 4 * WALK_DEPTH;

/// Links among the protected places, or on the way to one, with where they lead in these folders.
/// Beyond so many entries none are looked for, and none beneath the root of the file system. A
/// folder that its own user may not list stays as it is.
pub(crate) fn protected_links(protected: &Protected, roots: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut left = LINK_ENTRIES;
    let mut found = Vec::new();
    let below = roots.iter().filter(|root| root.parent().is_some());
    let mut waiting: VecDeque<(PathBuf, usize)> = below.map(|root| (root.clone(), 0)).collect();
    while let Some((folder, depth)) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            // Most entries are files, and no file leads anywhere.
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && depth < LINK_DEPTH {
                let is_plain = !protected.may_refuse(&entry.file_name());
                let path = entry.path();
                if is_plain || is_looked_through(protected, &path, roots) {
                    waiting.push_back((path, depth + 1));
                }
            } else if kind.is_symlink() && is_protected_link(protected, &entry.path(), roots) {
                let path = entry.path();
                found.extend(link_target(&path).map(|goal| (goal, path)));
            }
        }
    }
    found.retain(|(goal, _)| is_inside(goal, roots));
    found
}

/// Whether a folder is no protected place, or one on the way to what is open.
fn is_looked_through(protected: &Protected, folder: &Path, roots: &[PathBuf]) -> bool {
    match protected.refuses_write(folder, roots) {
        None => true,
        Some(Protection::Closed) => protected.leads_to_opened(folder, roots),
        Some(_) => false,
    }
}

fn is_protected_link(protected: &Protected, link: &Path, roots: &[PathBuf]) -> bool {
    !is_looked_through(protected, link, roots) || protected.leads_to_listed(link)
}
