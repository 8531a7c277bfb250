//! Protected places while a program may write: those that are there cannot be changed, and those
//! that the program makes are taken away again before anybody else runs them.
//!
//! A mount can freeze what exists and cannot forbid a name that does not. So what exists is frozen,
//! and what is new is removed as soon as the program and all it started have ended.

use super::scratch;
use crate::failure::mendable;
use api::executor::ToolFailure;
use domain::limits::{GUARD_ENTRIES, WALK_DEPTH};
use policy::protected::{Protected, Protection};
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with, statat,
};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Most names that are tried for what is set aside.
const ASIDE_NAMES: u32 = 1_000;

/// What becomes of protected places that were not there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leftovers {
    /// They are removed: the program ran for moments.
    Remove,
    /// They get a name that nothing acts on: the program ran for so long that the user may have
    /// made them.
    SetAside,
}

/// A folder that is guarded, held open, so that nothing that is put in its place is taken for it.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// `None` for one that cannot be opened, and in which nothing was found.
    folder: Option<OwnedFd>,
}

/// A file or folder, whatever it is called.
type Identity = (u64, u64);

/// The protected places before a program runs.
#[derive(Debug)]
pub(super) struct Watch {
    roots: Vec<Root>,
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
        let (found, hidden) = find(protected, roots.iter())?;
        let held = roots.iter().map(|path| Root {
            path: path.clone(),
            folder: fs::File::open(path).ok().map(OwnedFd::from),
        });
        Ok(Self {
            hidden,
            roots: held.collect(),
            known: found.iter().map(|place| place.identity).collect(),
            frozen: found
                .into_iter()
                .filter(|place| !place.is_link)
                .map(|place| place.path)
                .collect(),
        })
    }

    /// Takes away the protected places that were not there before, and says which.
    pub(super) fn end(
        &self,
        protected: &Protected,
        leftovers: Leftovers,
    ) -> Result<Vec<String>, ToolFailure> {
        let mut notes = Vec::new();
        let roots = self.roots.iter().map(|root| &root.path);
        for place in find(protected, roots)?.0 {
            if self.known.contains(&place.identity) {
                continue;
            }
            let shown = place.path.display();
            match self.take_away(&place, leftovers) {
                Ok(what) => notes.push(format!("{shown} is a protected place; it was {what}")),
                // Somebody else was faster.
                Err(Errno::NOENT) => {}
                Err(error) => notes.push(format!(
                    "{shown} is a protected place and could not be removed: {error}"
                )),
            }
        }
        Ok(notes)
    }

    /// Takes one away, beneath the folder that was open from the beginning and through no link:
    /// another program may be at work in it.
    fn take_away(&self, place: &Found, leftovers: Leftovers) -> Result<String, Errno> {
        let root = self.roots.get(place.root).ok_or(Errno::NOENT)?;
        let folder = root.folder.as_ref().ok_or(Errno::NOENT)?;
        let inside = place.path.strip_prefix(&root.path);
        let inside = inside.map_err(outside)?;
        let name = inside.file_name().ok_or(Errno::INVAL)?;
        let above = match inside.parent() {
            Some(above) if above != Path::new("") => above,
            _ => Path::new("."),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let above = openat2(folder, above, flags, Mode::empty(), resolve)?;
        let about = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if (about.st_dev, about.st_ino) != place.identity {
            return Err(Errno::AGAIN);
        }
        match leftovers {
            Leftovers::Remove => {
                scratch::remove_below(&above, name)?;
                Ok("removed again".to_owned())
            }
            Leftovers::SetAside => {
                let aside = set_aside(&above, name)?;
                Ok(format!("not there before and is now named {aside}"))
            }
        }
    }
}

/// A place that is not where it was found is nowhere.
fn outside(_: std::path::StripPrefixError) -> Errno {
    Errno::NOENT
}

/// Gives a place beside it a name that is no protected one.
fn set_aside(above: impl AsFd, name: &OsStr) -> Result<String, Errno> {
    let plain = name.to_string_lossy().replace('.', "_");
    for number in 1..=ASIDE_NAMES {
        let aside = format!("set-aside-{number}-{}", plain.trim_matches('_'));
        match renameat_with(&above, name, &above, &aside, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(aside),
            Err(Errno::EXIST) => {}
            Err(other) => return Err(other),
        }
    }
    Err(Errno::EXIST)
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
    /// Beneath which of the roots.
    root: usize,
    identity: Identity,
    is_link: bool,
}

/// The protected places beneath the roots, and among all the ones that hold keys or passwords.
fn find<'a>(
    protected: &Protected,
    roots: impl Iterator<Item = &'a PathBuf>,
) -> Result<(Vec<Found>, Vec<PathBuf>), ToolFailure> {
    let (mut found, mut hidden) = (Vec::new(), Vec::new());
    let mut left = GUARD_ENTRIES;
    let roots = roots.enumerate();
    let mut waiting: Vec<(PathBuf, usize, usize)> =
        roots.map(|(root, path)| (path.clone(), root, 0)).collect();
    while let Some((folder, root, depth)) = waiting.pop() {
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
                    waiting.push((path, root, depth + 1));
                }
                continue;
            }
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            found.push(Found {
                path,
                root,
                identity: (meta.dev(), meta.ino()),
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
        let notes = watch.end(&protected, Leftovers::Remove).unwrap();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(root.join("moved/.git/hooks").is_dir());
        assert!(!root.join("sub/.git").exists() && !root.join("sub/.envrc").exists());
        assert!(root.join("sub/plain").exists());
        assert_eq!(fs::read_to_string(root.join(".env")).unwrap(), "old");
    }

    #[test]
    fn what_may_be_the_users_own_is_set_aside_whole() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let protected = Protected::default();
        let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join(".git/hooks/pre-commit"), "mine").unwrap();
        fs::write(root.join("set-aside-1-git"), "taken").unwrap();
        let notes = watch.end(&protected, Leftovers::SetAside).unwrap();
        assert!(
            notes[0].ends_with("is now named set-aside-2-git"),
            "{notes:?}"
        );
        assert!(!root.join(".git").exists());
        let kept = fs::read_to_string(root.join("set-aside-2-git/hooks/pre-commit"));
        assert_eq!(kept.unwrap(), "mine");
        assert!(
            watch
                .end(&protected, Leftovers::SetAside)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn what_is_put_in_the_way_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join(".env"), "precious").unwrap();
        let protected = Protected::default();
        let watch = Watch::begin(&protected, std::slice::from_ref(&root)).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/.env"), "bait").unwrap();
        let (found, _) = find(&protected, std::iter::once(&root)).unwrap();
        fs::rename(root.join("sub"), root.join("gone")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), root.join("sub")).unwrap();
        for leftovers in [Leftovers::Remove, Leftovers::SetAside] {
            assert!(watch.take_away(&found[0], leftovers).is_err());
        }
        // A folder in its place instead of a link: another thing of the same name.
        fs::remove_file(root.join("sub")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/.env"), "another").unwrap();
        assert_eq!(
            watch.take_away(&found[0], Leftovers::Remove),
            Err(Errno::AGAIN)
        );
        assert!(elsewhere.path().join(".env").exists() && root.join("sub/.env").exists());
    }

    #[test]
    fn a_root_above_our_own_folders_is_refused() {
        let protected = Protected::new(&[PathBuf::from("/home/u/.config/housecarl")]);
        let refused = Watch::begin(&protected, &[PathBuf::from("/home/u")]).unwrap_err();
        assert_eq!(refused.rule, "root_too_wide");
    }
}
