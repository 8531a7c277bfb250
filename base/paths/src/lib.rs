//! Where paths really lead.
//!
//! What it is: questions about paths that the file system answers, for every crate that has to ask
//! them the same way.
//! What it owns: how links are followed where what they lead to may not be there.
//! What it never does: know a noun of ours, decide what a path may be used for, change anything.
//! Where to start: [`real_path`].

mod git;
mod leads;

pub use leads::{Lead, Look};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Most links that are followed on one way; the kernel's own bound (path_resolution(7)).
const LINKS: usize = 40;
/// Most opened folders whose places are kept in mind.
const MOST_SEEN: usize = 100_000;

/// Folders that somebody may change.
static CHANGEABLE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where opened folders lay when they were first asked for.
static SEEN: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

/// Where a folder lies or would lie, with the links above it resolved.
#[must_use]
pub fn real_path(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find_map(|above| {
        let rest = folder.strip_prefix(above).unwrap_or(Path::new(""));
        above.canonicalize().ok().map(|real| real.join(rest))
    })
}

/// Where a link leads, also if nothing is there.
#[must_use]
pub fn link_target(link: &Path) -> Option<PathBuf> {
    if let Ok(real) = link.canonicalize() {
        return Some(real);
    }
    let to = fs::read_link(link).ok()?;
    let whole = link.parent()?.join(to);
    // What is missing holds no link, so what is left of the path is what it says.
    let mut missing = Vec::new();
    for above in whole.ancestors() {
        match above.canonicalize() {
            Ok(real) => {
                return Some(
                    missing
                        .iter()
                        .rev()
                        .fold(real, |path, name| path.join(name)),
                );
            }
            Err(_) => missing.push(above.file_name()?.to_owned()),
        }
    }
    None
}

/// The links that are passed on the way to an absolute path, each where it lies, and at last where
/// the way ends, whether something is there or not.
#[must_use]
pub fn way_of(path: &Path) -> Vec<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        let reversed = path.components().rev();
        let named =
            reversed.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        named.map(|part| part.as_os_str().to_owned()).collect()
    };
    let (mut way, mut here, mut left) = (Vec::new(), PathBuf::from("/"), parts(path));
    while let Some(name) = left.pop() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let Ok(to) = fs::read_link(&next) else {
            here = next;
            continue;
        };
        way.push(next);
        if way.len() > LINKS {
            return way;
        }
        if to.is_absolute() {
            here = PathBuf::from("/");
        }
        left.extend(parts(&to));
    }
    way.push(here);
    way
}

/// Where a folder or file lies that the user opened, beside others. Its links are the user's and are
/// followed, but for one that lies in another opened folder: whoever may change that folder may have
/// made it. It stays where it lay when this process first asked.
///
/// # Errors
/// The link that is not followed.
pub fn opened_path(root: &Path, opened: &[PathBuf]) -> Result<PathBuf, PathBuf> {
    // Where everything is open, a link gives nothing more.
    let changeable = CHANGEABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let all = opened.iter().chain(changeable.iter());
    let folders = all.filter(|folder| folder.parent().is_some());
    let folders: Vec<PathBuf> = folders
        .flat_map(|folder| [Some(folder.clone()), real_path(folder)])
        .flatten()
        .collect();
    drop(changeable);
    let is_within = |link: &PathBuf| {
        let mut others = folders.iter().filter(|folder| *folder != link);
        others.any(|folder| link.starts_with(folder))
    };
    let mut way = way_of(root);
    let end = way.pop().unwrap_or_else(|| root.to_path_buf());
    match way.iter().find(|link| is_within(link)) {
        Some(link) => Err(link.clone()),
        None if first_seen(root, &end) == end => Ok(end),
        // No link was there, or another one.
        None => Err(way.pop().unwrap_or_else(|| root.to_path_buf())),
    }
}

/// Notes folders that somebody in this process may change: no opened folder is found by a link in one.
pub fn note_changeable(folders: &[PathBuf]) {
    let mut all = CHANGEABLE.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in folders {
        if all.len() < MOST_SEEN && !all.contains(folder) {
            all.insert(folder.clone());
        }
    }
}

/// Where a path led when this process first asked. Whoever changes a folder above it makes it lead
/// elsewhere for agents that cannot see that folder.
fn first_seen(root: &Path, now: &Path) -> PathBuf {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = seen.get(root).cloned();
    known.unwrap_or_else(|| {
        if seen.len() < MOST_SEEN {
            seen.insert(root.to_path_buf(), now.to_path_buf());
        }
        now.to_path_buf()
    })
}

/// Whether a path lies in one of the folders, and above none.
#[must_use]
pub fn is_inside(path: &Path, roots: &[PathBuf]) -> bool {
    let is_above = roots.iter().any(|root| root.starts_with(path));
    !is_above && roots.iter().any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn an_opened_folder_is_not_found_by_a_link_in_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["work/src", "victim", "projects"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        symlink("projects", root.join("link")).unwrap();
        symlink("../victim", root.join("work/out")).unwrap();
        let all = ["work", "work/src", "work/out", "link"].map(|name| root.join(name));
        let found = |name: &str| opened_path(&root.join(name), &all);
        assert_eq!(found("work/src"), Ok(root.join("work/src")));
        assert_eq!(found("work/missing"), Ok(root.join("work/missing")));
        assert_eq!(found("link/x"), Ok(root.join("projects/x")));
        for name in ["work/out", "work/out/deeper"] {
            assert_eq!(found(name), Err(root.join("work/out")), "{name}");
        }
        // One that becomes a link later is no longer it, for whoever is given nothing else.
        fs::rename(root.join("work/src"), root.join("work/src2")).unwrap();
        symlink("../victim", root.join("work/src")).unwrap();
        let alone = [root.join("work/src")];
        assert_eq!(opened_path(&alone[0], &alone), Err(root.join("work/src")));
        // The folder that it is opened in is all that counts, and not the link's own name.
        assert_eq!(opened_path(&all[2], &all[2..]), Ok(root.join("victim")),);
    }

    #[test]
    fn what_is_missing_lies_below_what_is_real() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        let missing = root.join("link/a/b");
        assert_eq!(real_path(&missing), Some(root.join("real/a/b")));
        symlink("link/nothing", root.join("dangling")).unwrap();
        let target = link_target(&root.join("dangling"));
        assert_eq!(target, Some(root.join("real/nothing")));
        assert_eq!(link_target(&root.join("link")), Some(root.join("real")));
    }

    #[test]
    fn a_folder_above_the_roots_is_not_inside_them() {
        let roots = [PathBuf::from("/a/b"), PathBuf::from("/a")];
        assert!(is_inside(Path::new("/a/b/c"), &roots));
        assert!(!is_inside(Path::new("/a"), &roots));
        assert!(!is_inside(Path::new("/x"), &roots));
    }
}
