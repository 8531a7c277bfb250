//! Where what lies in a place leads: the links in it, those in what they lead to, and what a
//! repository names of itself in other folders.

use crate::git::{Budget, Configuration, Repository, configuration_of};
use crate::{is_inside, way_of};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The folder of a repository that holds what was committed, in many files and no links.
const OBJECTS: &str = "objects";
/// Most entries that are looked at in one place, so that none takes the turn of all others.
const PLACE_ENTRIES: usize = 100_000;
/// How far is looked into a place that lies out of the folders: most entries, and levels.
const FAR_ENTRIES: usize = 1_000;
const FAR_DEPTH: usize = 3;

/// A path by two names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lead {
    /// Where it lies.
    pub goal: PathBuf,
    /// By which name of the place it is found.
    pub name: PathBuf,
}

/// A look for where places lead within some folders.
#[derive(Debug)]
pub struct Look<'a> {
    roots: &'a [PathBuf],
    homes: &'a [PathBuf],
    /// What git does in every repository of this user.
    everywhere: Configuration,
    /// What is left for what repositories are configured to do.
    budget: Budget,
    /// How many entries may still be looked at.
    pub left: usize,
    /// Work trees whose configuration of git was not read to its end, by the folders of their
    /// repositories: all of it leads there.
    pub unread: Vec<Lead>,
    /// Whether a place in the folders leads out of them by a relative name, so that it leads
    /// elsewhere when they are moved.
    pub leads_out: bool,
    /// Named pipes in the places, and in what they lead to in the folders.
    pub pipes: BTreeSet<PathBuf>,
}

/// The way of one place.
#[derive(Debug, Default)]
struct Way {
    found: BTreeSet<Lead>,
    waiting: VecDeque<Stop>,
    seen: BTreeSet<PathBuf>,
}

/// A folder on the way, or something that is none.
#[derive(Debug)]
struct Stop {
    folder: PathBuf,
    name: PathBuf,
    depth: usize,
}

impl<'a> Look<'a> {
    /// A look in these folders, for the user with this home in all its spellings.
    #[must_use]
    pub fn new(roots: &'a [PathBuf], homes: &'a [PathBuf], left: usize) -> Self {
        Self {
            roots,
            homes,
            everywhere: configuration_of(homes),
            budget: Budget::default(),
            left,
            unread: Vec::new(),
            leads_out: false,
            pipes: BTreeSet::new(),
        }
    }

    /// Where a place leads within the folders: a link, a folder with links, or a repository.
    pub fn from(&mut self, place: &Path) -> Vec<Lead> {
        let mut way = Way::default();
        let mut here = self.left.min(PLACE_ENTRIES);
        self.left -= here;
        self.enter(&mut way, place.to_path_buf(), place.to_path_buf(), 0);
        while let Some(stop) = way.waiting.pop_front() {
            if here == 0 {
                break;
            }
            if way.seen.insert(stop.folder.clone()) {
                self.list(&mut way, stop, &mut here);
            }
        }
        self.left += here;
        way.found.into_iter().collect()
    }

    /// Where places lead that lie around the folders: in those above them and in the home. `listed`
    /// says which names in a folder are places.
    pub fn around(&mut self, listed: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<Lead> {
        let above = self.roots.iter().flat_map(|root| root.ancestors().skip(1));
        let folders: BTreeSet<&Path> = above
            .chain(self.homes.iter().map(PathBuf::as_path))
            .collect();
        let folders = folders.into_iter().filter(|folder| !self.holds(folder));
        let places: Vec<PathBuf> = folders
            .flat_map(|folder| present(&listed(folder)))
            .collect();
        // It takes nothing from what may be looked at in the folders.
        let left = std::mem::replace(&mut self.left, PLACE_ENTRIES);
        let leads = places.iter().flat_map(|place| self.from(place)).collect();
        self.left = left;
        leads
    }

    /// Whether a path is one of the folders or lies in one.
    fn holds(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    fn list(&mut self, way: &mut Way, stop: Stop, left: &mut usize) {
        let Stop {
            folder,
            name,
            depth,
        } = stop;
        let is_far = !self.holds(&folder);
        if is_far && depth >= FAR_DEPTH {
            return;
        }
        let most = match is_far {
            true => FAR_ENTRIES.min(*left),
            false => *left,
        };
        for entry in fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(most)
        {
            *left -= 1;
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            // A folder of the look is no part of the place that it lies in.
            if is_far && self.holds(&path) {
                continue;
            }
            if kind.is_fifo() && !is_far {
                self.pipes.insert(path);
                continue;
            }
            let is_git = entry.file_name().eq_ignore_ascii_case(".git");
            if kind.is_symlink() || is_git || (kind.is_dir() && !is_store(&path)) {
                self.enter(way, path, name.join(entry.file_name()), depth + 1);
            }
        }
    }

    /// Takes up a link, a repository or a folder.
    fn enter(&mut self, way: &mut Way, path: PathBuf, name: PathBuf, depth: usize) {
        self.repository(way, &path, &name);
        let link = fs::read_link(&path).ok();
        let is_relative = link.is_some_and(|to| to.is_relative());
        let hops = way_of(&path);
        if hops.as_slice() == [path.as_path()] {
            way.waiting.push_back(Stop {
                folder: path,
                name,
                depth,
            });
            return;
        }
        self.lead(way, &hops, &path, &name, is_relative);
    }

    /// What `.git` names of itself elsewhere: the folders that it stands for, and what git runs or
    /// reads from there by its configuration.
    fn repository(&mut self, way: &mut Way, place: &Path, name: &Path) {
        let Some(repository) = Repository::at(place) else {
            self.of_the_user(way, place, name);
            return;
        };
        for folder in [&repository.folder, &repository.common] {
            if folder != place && *folder != repository.work {
                self.lead(way, &way_of(folder), place, name, true);
            }
        }
        for part in repository.parts() {
            self.lead(way, &way_of(&part), place, name, false);
        }
        let mut left = self.budget.share();
        let own = repository.configuration(self.homes, &mut left);
        let trees = repository.trees(&own);
        let bases = repository.bases(&trees);
        let by = name.join("config");
        let mut is_cut = own.is_cut || self.everywhere.is_cut;
        let mut leads = Vec::new();
        // Those that git finds in every repository are sought where it lies then.
        let settings = own.settings.iter().map(|setting| (setting, true));
        let everywhere = self.everywhere.settings.iter();
        for (setting, is_own) in settings.chain(everywhere.map(|setting| (setting, false))) {
            let Some(named) = setting.paths(&bases, self.homes, &mut left) else {
                is_cut = true;
                break;
            };
            let relative = named.relative.into_iter().map(|path| (path, is_own));
            leads.extend(relative.chain(named.fixed.into_iter().map(|path| (path, false))));
        }
        for (path, is_relative) in leads {
            if left.spend(1).is_none() {
                is_cut = true;
                break;
            }
            self.lead(way, &way_of(&path), place, &by, is_relative);
        }
        self.budget.take(&left);
        if is_cut {
            self.shut(way, &trees, &by, &repository.folder);
        }
    }

    /// What the user's own configuration names, where this place is one: files in the home as well.
    fn of_the_user(&mut self, way: &mut Way, place: &Path, name: &Path) {
        // What others keep in the folders takes nothing from it.
        let (mut left, mut leads) = (Budget::default().share(), Vec::new());
        for setting in &self.everywhere.settings {
            if !setting.is_of(place) {
                continue;
            }
            let Some(named) = setting.paths(&[], self.homes, &mut left) else {
                break;
            };
            leads.extend(named.all());
        }
        for path in leads {
            self.lead(way, &way_of(&path), place, name, false);
        }
    }

    /// Takes up whole work trees: nothing tells which files in them git is told to run.
    fn shut(&mut self, way: &mut Way, trees: &[PathBuf], by: &Path, repository: &Path) {
        for tree in trees {
            let Some(goal) = way_of(tree).pop() else {
                continue;
            };
            if self.holds(&goal) || is_above(&goal, self.roots) {
                self.unread.push(Lead {
                    goal: goal.clone(),
                    name: repository.to_path_buf(),
                });
                way.found.insert(Lead {
                    goal,
                    name: by.to_path_buf(),
                });
            }
        }
    }

    /// Takes up where something at `at` leads: the links on the way, and the end of it.
    fn lead(&mut self, way: &mut Way, hops: &[PathBuf], at: &Path, name: &Path, is_relative: bool) {
        let Some(goal) = hops.last().filter(|goal| *goal != at) else {
            return;
        };
        self.leads_out |= is_relative && self.holds(at) && !self.holds(goal);
        // What a folder of the look lies in counts if the place or its repository names it, and not
        // where a link leads up to what the place lies in itself.
        let is_named = at == name || Repository::is_at(at);
        let is_around = |hop: &Path| is_named && is_above(hop, self.roots) && !at.starts_with(hop);
        for hop in hops.iter().filter(|hop| *hop != at) {
            if is_inside(hop, self.roots) || is_around(hop) {
                way.found.insert(Lead {
                    goal: hop.clone(),
                    name: name.to_path_buf(),
                });
            }
        }
        // What lies around the folders leads to everything, and says nothing.
        if !is_above(goal, self.roots) {
            way.waiting.push_back(Stop {
                folder: goal.clone(),
                name: name.to_path_buf(),
                depth: 0,
            });
        }
    }
}

fn is_above(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| root.starts_with(path))
}

fn is_store(folder: &Path) -> bool {
    let above = folder.parent();
    folder.ends_with(OBJECTS) && above.is_some_and(|above| above.join("HEAD").exists())
}

/// The places whose folders are there: most lists name what most homes do not have. What a folder is
/// is asked once, and not for each of the hundreds of names in it.
fn present(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: BTreeMap<&Path, Folder> = BTreeMap::new();
    let mut found = Vec::new();
    for place in places {
        let Some(above) = place.parent() else {
            continue;
        };
        let is_there = match folders.entry(above).or_insert_with(|| Folder::at(above)) {
            Folder::Missing => false,
            Folder::Here => place.symlink_metadata().is_ok(),
            Folder::Elsewhere => true,
        };
        if is_there {
            found.push(place.clone());
        }
    }
    found
}

/// A folder by its path.
enum Folder {
    Missing,
    Here,
    /// Links lead to it, so that what is named in it lies elsewhere, whether it is there or not.
    Elsewhere,
}

impl Folder {
    fn at(path: &Path) -> Self {
        match (path.exists(), way_of(path).as_slice() == [path]) {
            (false, _) => Self::Missing,
            (true, true) => Self::Here,
            (true, false) => Self::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn goals(place: &Path, root: &Path) -> Vec<String> {
        let roots = [root.to_path_buf()];
        let mut look = Look::new(&roots, &[], 1_000);
        let goal = |lead: Lead| {
            let inside = lead.goal.strip_prefix(root);
            inside.map(|path| path.display().to_string()).unwrap()
        };
        let found: BTreeSet<String> = look.from(place).into_iter().map(goal).collect();
        found.into_iter().collect()
    }

    #[test]
    fn links_in_a_place_and_in_what_they_lead_to_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in [".husky", "x", "y/deep"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        symlink("../x", root.join(".husky/a")).unwrap();
        symlink("../y/deep/f", root.join("x/b")).unwrap();
        symlink("..", root.join(".husky/up")).unwrap();
        symlink("/etc", root.join(".husky/out")).unwrap();
        assert_eq!(goals(&root.join(".husky"), &root), ["x", "y/deep/f"]);
        // A link on the way could be replaced as well.
        symlink("y", root.join("z")).unwrap();
        symlink("../z/deep/g", root.join("x/c")).unwrap();
        let found = goals(&root.join(".husky"), &root);
        assert_eq!(found, ["x", "y/deep/f", "y/deep/g", "z"]);
        let roots = [root.clone()];
        let mut look = Look::new(&roots, &[], 2);
        look.from(&root.join(".husky"));
        assert_eq!(look.left, 0);
    }

    #[test]
    fn a_repository_leads_where_its_files_say() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["sub", "meta/g/worktrees/t", "w/.git/objects", "tools/hooks"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("sub/.git"), "gitdir: ../meta/g/worktrees/t\n").unwrap();
        fs::write(root.join("meta/g/worktrees/t/commondir"), "../..\n").unwrap();
        let hooks = "[core] hooksPath = \"../tools/hooks\"\n";
        fs::write(root.join("meta/g/config"), hooks).unwrap();
        let found = goals(&root.join("sub/.git"), &root);
        for wanted in ["meta/g", "meta/g/worktrees/t", "tools/hooks"] {
            assert!(found.contains(&wanted.to_owned()), "{wanted}: {found:?}");
        }
        let text = "[core]\n\tfsmonitor = ../tools/watch -q\n[Include]\n\tpath = ../../more\n\
                    [branch \"x\"]\n\tmerge = ../tools/x\n";
        fs::write(root.join("w/.git/config"), text).unwrap();
        fs::write(root.join("more"), "[diff]\n\texternal = ../tools/diff\n").unwrap();
        fs::write(root.join("w/.git/HEAD"), "ref: x\n").unwrap();
        symlink("../../../tools", root.join("w/.git/objects/link")).unwrap();
        let found = goals(&root.join("w/.git"), &root);
        for wanted in ["more", "tools/watch", "tools/diff"] {
            assert!(found.contains(&wanted.to_owned()), "{wanted}: {found:?}");
        }
        assert!(!found.contains(&"tools/x".to_owned()), "{found:?}");
    }
}
