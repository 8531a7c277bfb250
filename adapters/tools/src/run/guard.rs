//! Protected places while a program may write: those that are there cannot be changed, and those
//! that the program makes are taken away again before anybody else runs them.
//!
//! A mount can freeze what exists and cannot forbid a name that does not. So what exists is frozen,
//! and what is new is removed as soon as the program and all it started have ended.

use crate::failure::mendable;
use api::executor::ToolFailure;
use domain::limits::{GUARD_ENTRIES, WALK_DEPTH};
use policy::protected::{Protected, Protection};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file or folder, whatever it is called.
type Identity = (u64, u64);

/// The protected places before a program runs.
#[derive(Debug)]
pub(super) struct Watch {
    roots: Vec<PathBuf>,
    known: BTreeSet<Identity>,
    /// What must be frozen.
    pub(super) frozen: Vec<PathBuf>,
    /// What must not even be seen: keys and passwords, however deep.
    pub(super) hidden: Vec<PathBuf>,
}

impl Watch {
    /// Looks for the protected places beneath the roots.
    pub(super) fn begin(protected: &Protected, roots: &[PathBuf]) -> Result<Self, ToolFailure> {
        for root in roots {
            if let Some(why) = protected.against_write(root) {
                return Err(not_a_root(root, why));
            }
        }
        let (found, hidden) = find(protected, roots)?;
        Ok(Self {
            hidden,
            roots: roots.to_vec(),
            known: found.iter().map(|place| place.identity).collect(),
            frozen: found
                .into_iter()
                .filter(|place| !place.is_link)
                .map(|place| place.path)
                .collect(),
        })
    }

    /// Removes the protected places that were not there before, and says which.
    pub(super) fn end(&self, protected: &Protected) -> Result<Vec<String>, ToolFailure> {
        let mut notes = Vec::new();
        for place in find(protected, &self.roots)?.0 {
            if self.known.contains(&place.identity) {
                continue;
            }
            let removed = match place.is_folder {
                true => fs::remove_dir_all(&place.path),
                false => fs::remove_file(&place.path),
            };
            let shown = place.path.display();
            notes.push(match removed {
                Ok(()) => format!("{shown} is a protected place; it was removed again"),
                Err(error) => {
                    format!("{shown} is a protected place and could not be removed: {error}")
                }
            });
        }
        Ok(notes)
    }
}

fn not_a_root(root: &Path, why: Protection) -> ToolFailure {
    let what = match why {
        Protection::Own => "holds Housecarl's own folders",
        Protection::RunsLater | Protection::Credentials => "is a protected place",
    };
    mendable(
        "root_too_wide",
        format!(
            "{} {what}, so no program may write there. Ask the user to open a narrower folder.",
            root.display()
        ),
    )
}

struct Found {
    path: PathBuf,
    identity: Identity,
    is_folder: bool,
    is_link: bool,
}

/// The protected places beneath the roots, and among all the ones that hold keys or passwords.
fn find(
    protected: &Protected,
    roots: &[PathBuf],
) -> Result<(Vec<Found>, Vec<PathBuf>), ToolFailure> {
    let (mut found, mut hidden) = (Vec::new(), Vec::new());
    let mut left = GUARD_ENTRIES;
    let mut waiting: Vec<(PathBuf, usize)> = roots.iter().map(|r| (r.clone(), 0)).collect();
    while let Some((folder, depth)) = waiting.pop() {
        // What cannot be listed, the program could not list either: it runs as the same user.
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            left = left.checked_sub(1).ok_or_else(too_many)?;
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_secret = protected.against_read(&path) == Some(Protection::Credentials);
            if is_secret && !kind.is_symlink() {
                hidden.push(path.clone());
            }
            if protected.against_write(&path).is_none() {
                if kind.is_dir() {
                    if depth >= GUARD_DEPTH {
                        return Err(too_many());
                    }
                    waiting.push((path, depth + 1));
                }
                continue;
            }
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            found.push(Found {
                path,
                identity: (meta.dev(), meta.ino()),
                is_folder: meta.is_dir(),
                is_link: meta.is_symlink(),
            });
        }
    }
    Ok((found, hidden))
}

/// Most levels of folders looked through.
const GUARD_DEPTH: usize = 4 * WALK_DEPTH;

fn too_many() -> ToolFailure {
    mendable(
        "too_many_files",
        format!(
            "There are more than {GUARD_ENTRIES} files, or folders deeper than {GUARD_DEPTH} levels, \
             in the folders that may be written: their protected places cannot be guarded. Ask the \
             user to open a narrower folder."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_frozen_and_what_is_new_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        fs::create_dir_all(root.join("sub/.git/hooks")).unwrap();
        fs::write(root.join(".env"), "old").unwrap();
        let protected = Protected::default();
        let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
        let mut frozen = watch.frozen.clone();
        frozen.sort();
        assert_eq!(frozen, [root.join(".env"), root.join("sub/.git")]);
        // The program moves a repository, makes one, and writes an honest file.
        fs::rename(root.join("sub"), root.join("moved")).unwrap();
        fs::create_dir_all(root.join("sub/.git/hooks")).unwrap();
        fs::write(root.join("sub/.envrc"), "new").unwrap();
        fs::write(root.join("sub/plain"), "new").unwrap();
        let notes = watch.end(&protected).unwrap();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(root.join("moved/.git/hooks").is_dir());
        assert!(!root.join("sub/.git").exists() && !root.join("sub/.envrc").exists());
        assert!(root.join("sub/plain").exists());
        assert_eq!(fs::read_to_string(root.join(".env")).unwrap(), "old");
    }

    #[test]
    fn a_root_above_our_own_folders_is_refused() {
        let protected = Protected::new(&[PathBuf::from("/home/u/.config/housecarl")]);
        let refused = Watch::begin(&protected, &[PathBuf::from("/home/u")]).unwrap_err();
        assert_eq!(refused.rule, "root_too_wide");
    }
}
