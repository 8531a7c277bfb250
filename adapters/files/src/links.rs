//! Links among the protected places: where they lead, a change is one of the place itself.

use domain::limits::{LINK_ENTRIES, WALK_DEPTH};
use paths::{Lead, is_inside, leads_from, link_target};
use policy::protected::{Protected, Protection};
use std::collections::VecDeque;
use std::fs::{self, DirEntry, FileType};
use std::path::{Path, PathBuf};

/// How deep is looked before each change of a file.
pub(crate) const LINK_DEPTH: usize = 4 * WALK_DEPTH;

/// Where protected places lead.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(crate) leads: Vec<Lead>,
    /// Whether there was more than may be looked through: nothing tells what else leads where.
    pub(crate) is_cut: bool,
}

/// Where the protected places in these folders, and links on the way to one, lead in them. None are
/// looked for beneath the root of the file system. A folder that its own user may not list stays as
/// it is.
pub(crate) fn protected_links(protected: &Protected, roots: &[PathBuf]) -> Links {
    links_within(protected, roots, LINK_ENTRIES)
}

fn links_within(protected: &Protected, roots: &[PathBuf], entries: usize) -> Links {
    let mut links = Links::default();
    let mut left = entries;
    let below = roots.iter().filter(|root| root.parent().is_some());
    let mut waiting: VecDeque<(PathBuf, usize)> = below.map(|root| (root.clone(), 0)).collect();
    while let Some((folder, depth)) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if left == 0 {
                links.is_cut = true;
                return links;
            }
            left -= 1;
            // Most entries are files, and no file leads anywhere.
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_plain = !protected.may_refuse(&entry.file_name());
            if is_plain && !kind.is_symlink() || is_looked_through(protected, &entry.path(), roots)
            {
                if kind.is_dir() && depth < LINK_DEPTH {
                    waiting.push_back((entry.path(), depth + 1));
                } else if kind.is_dir() {
                    links.is_cut = true;
                } else if kind.is_symlink() && protected.leads_to_listed(&entry.path()) {
                    links.leads.extend(lead_of(&entry));
                }
            } else {
                links
                    .leads
                    .extend(leads_of(protected, &entry, kind, roots, &mut left));
                links.is_cut |= left == 0;
            }
        }
    }
    links.leads.retain(|lead| is_inside(&lead.goal, roots));
    links
}

/// Where a protected place leads: a link, and what is in a folder.
fn leads_of(
    protected: &Protected,
    entry: &DirEntry,
    kind: FileType,
    roots: &[PathBuf],
    left: &mut usize,
) -> Vec<Lead> {
    // What is closed or ours may be large, and is not run by others because of where it lies.
    match protected.refuses_write(&entry.path(), roots) {
        Some(Protection::RunsLater | Protection::Credentials) => {
            leads_from(&entry.path(), roots, left)
        }
        _ if kind.is_symlink() => lead_of(entry).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn lead_of(entry: &DirEntry) -> Option<Lead> {
    let name = entry.path();
    link_target(&name).map(|goal| Lead { goal, name })
}

/// Whether a folder is no protected place, or one on the way to what is open.
fn is_looked_through(protected: &Protected, folder: &Path, roots: &[PathBuf]) -> bool {
    match protected.refuses_write(folder, roots) {
        None => true,
        Some(Protection::Closed) => protected.leads_to_opened(folder, roots),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_look_that_is_cut_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/conf")).unwrap();
        symlink("conf", root.join("a/.cargo")).unwrap();
        let roots = [root.clone()];
        let within = |entries| links_within(&Protected::default(), &roots, entries);
        let whole = within(3);
        assert_eq!(whole.leads.len(), 1, "{whole:?}");
        assert!(!whole.is_cut && whole.leads[0].goal == root.join("a/conf"));
        assert!(within(2).is_cut);
    }
}
