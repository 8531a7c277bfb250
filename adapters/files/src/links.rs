//! Links among the protected places: where they lead, a change is one of the place itself.

use domain::limits::{LINK_ENTRIES, WALK_DEPTH};
use paths::{Lead, Look, is_inside, real_path, way_of};
use protected::{Protected, Protection};
use std::collections::VecDeque;
use std::fs::{self, DirEntry, FileType, ReadDir};
use std::path::{Path, PathBuf};

/// How deep is looked before each change of a file.
pub(crate) const LINK_DEPTH: usize = 4 * WALK_DEPTH;
/// Entries of one branch that are looked at before the next one has its turn.
const TURN: usize = 4_096;

/// Where protected places lead.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(crate) leads: Vec<Lead>,
    /// Folders that were not looked through: nothing tells what in them leads where.
    pub(crate) unseen: Vec<PathBuf>,
    /// Work trees whose configuration of git was not read to its end, with their repositories.
    pub(crate) unread: Vec<Lead>,
}

/// Where the protected places in these folders, those around them and in the home, and links on the
/// way to one, lead in them. None are looked for beneath the root of the file system. A folder that
/// its own user may not list stays as it is.
pub(crate) fn protected_links(protected: &Protected, roots: &[PathBuf]) -> Links {
    links_within(protected, roots, LINK_ENTRIES)
}

fn links_within(protected: &Protected, roots: &[PathBuf], entries: usize) -> Links {
    let mut real: Vec<PathBuf> = roots.iter().filter_map(|root| real_path(root)).collect();
    real.extend_from_slice(roots);
    real.retain(|root| root.parent().is_some());
    real.sort();
    real.dedup();
    let mut search = Search {
        protected,
        roots: &real,
        look: Look::new(&real, protected.homes(), entries),
        links: Links::default(),
    };
    let around = search.look.around(&|folder| protected.listed_in(folder));
    search.links.leads.extend(around);
    let branches = real.iter().map(|root| Branch {
        waiting: VecDeque::from([(root.clone(), 0)]),
        open: None,
    });
    search.run(branches.collect());
    search.links.unread = search.look.unread;
    search.links
}

/// Folders that are looked through in turn with others: a large one takes nothing from the rest.
#[derive(Debug)]
struct Branch {
    waiting: VecDeque<(PathBuf, usize)>,
    open: Option<(PathBuf, usize, ReadDir)>,
}

struct Search<'a> {
    protected: &'a Protected,
    roots: &'a [PathBuf],
    look: Look<'a>,
    links: Links,
}

impl Search<'_> {
    fn run(&mut self, mut branches: VecDeque<Branch>) {
        while let Some(mut branch) = branches.pop_front() {
            if self.look.left == 0 {
                let open = branch.open.map(|(folder, ..)| folder);
                let waiting = branch.waiting.into_iter().map(|(folder, _)| folder);
                self.links.unseen.extend(open.into_iter().chain(waiting));
                continue;
            }
            let fresh = self.turn(&mut branch);
            if branch.open.is_some() || !branch.waiting.is_empty() {
                branches.push_back(branch);
            }
            branches.extend(fresh);
        }
    }

    /// Looks at some entries of a branch. What lies directly in a root is a branch of its own.
    fn turn(&mut self, branch: &mut Branch) -> Vec<Branch> {
        let mut fresh = Vec::new();
        let mut left = TURN.min(self.look.left);
        while left > 0 {
            if branch.open.is_none() {
                let Some((folder, depth)) = branch.waiting.pop_front() else {
                    break;
                };
                let entries = fs::read_dir(&folder);
                branch.open = entries.ok().map(|entries| (folder, depth, entries));
                continue;
            }
            let Some((_, depth, entries)) = branch.open.as_mut() else {
                break;
            };
            let depth = *depth;
            let Some(entry) = entries.next() else {
                branch.open = None;
                continue;
            };
            left -= 1;
            self.look.left = self.look.left.saturating_sub(1);
            let Some(folder) = entry.ok().and_then(|entry| self.entry(&entry)) else {
                continue;
            };
            if depth >= LINK_DEPTH {
                self.links.unseen.push(folder);
            } else if depth == 0 {
                fresh.push(Branch {
                    waiting: VecDeque::from([(folder, 1)]),
                    open: None,
                });
            } else {
                branch.waiting.push_back((folder, depth + 1));
            }
        }
        fresh
    }

    /// Takes up one entry; a folder that is to be looked through comes back.
    fn entry(&mut self, entry: &DirEntry) -> Option<PathBuf> {
        // Most entries are files, and no file leads anywhere.
        let kind = entry.file_type().ok()?;
        let is_plain = !self.protected.may_refuse(&entry.file_name());
        let is_open = is_plain && !kind.is_symlink()
            || is_looked_through(self.protected, &entry.path(), self.roots);
        if !is_open {
            let leads = self.leads_of(entry, kind);
            self.links.leads.extend(leads);
        } else if kind.is_symlink() && self.protected.leads_to_listed(&entry.path()) {
            let leads = self.leads_of_link(entry);
            self.links.leads.extend(leads);
        } else if kind.is_dir() && !self.roots.contains(&entry.path()) {
            return Some(entry.path());
        }
        None
    }

    /// Where a protected place leads: a link, and what is in a folder.
    fn leads_of(&mut self, entry: &DirEntry, kind: FileType) -> Vec<Lead> {
        // What is closed or ours may be large, and is not run by others because of where it lies.
        match self.protected.refuses_write(&entry.path(), self.roots) {
            Some(Protection::RunsLater | Protection::Credentials) => self.look.from(&entry.path()),
            _ if kind.is_symlink() => self.leads_of_link(entry),
            _ => Vec::new(),
        }
    }

    /// The links on the way of one, and its end.
    fn leads_of_link(&self, entry: &DirEntry) -> Vec<Lead> {
        let name = entry.path();
        let hops = way_of(&name).into_iter();
        let inside = hops.filter(|hop| *hop != name && is_inside(hop, self.roots));
        let lead = |goal| Lead {
            goal,
            name: name.clone(),
        };
        inside.map(lead).collect()
    }
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
    fn a_look_that_is_cut_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/conf")).unwrap();
        symlink("conf", root.join("a/.cargo")).unwrap();
        let roots = [root.clone()];
        let within = |entries| links_within(&Protected::default(), &roots, entries);
        let whole = within(10_000);
        assert_eq!(whole.leads.len(), 1, "{whole:?}");
        assert!(whole.unseen.is_empty() && whole.leads[0].goal == root.join("a/conf"));
        assert_eq!(within(2).unseen, [root.join("a")]);
        // A deep folder and a large one take nothing from the others.
        fs::create_dir_all(root.join("d/".repeat(LINK_DEPTH + 3))).unwrap();
        for number in 0..3 * TURN {
            fs::write(root.join(format!("d/{number}")), "").unwrap();
        }
        let deep = within(1_000_000);
        assert_eq!(deep.unseen, [root.join("d/".repeat(LINK_DEPTH + 1))]);
        let large = within(2 * TURN);
        assert_eq!(large.leads.len(), 1, "{large:?}");
        let is_large = |path: &PathBuf| path.starts_with(root.join("d"));
        assert!(large.unseen.iter().all(is_large) && !large.unseen.is_empty());
    }
}
