//! The folders that are watched.

use api::signals::Error;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Most folders that one watch covers.
pub const FOLDERS: usize = 8_192;
/// Largest ignore file that is read, bytes.
const IGNORE_BYTES: u64 = domain::limits::IGNORE_FILE_BYTES;

/// Folders with the kernel's number for each, and what is left out of them.
pub(crate) struct Tree {
    pub(crate) kernel: OwnedFd,
    folders: HashMap<i32, PathBuf>,
    /// The paths that were asked for.
    roots: Vec<PathBuf>,
    /// Of those, the ones that are files: what else is in their folder is not of interest.
    files: HashSet<PathBuf>,
    ignored: HashMap<PathBuf, Gitignore>,
}

impl Tree {
    /// Begins to watch.
    pub(crate) fn plant(paths: &[PathBuf]) -> Result<Self, Error> {
        let flags = CreateFlags::NONBLOCK | CreateFlags::CLOEXEC;
        let kernel = inotify::init(flags)
            .map_err(|error| Error::new("The kernel watches no more files.").with_source(error))?;
        let mut tree = Self {
            kernel,
            folders: HashMap::new(),
            roots: paths.to_vec(),
            files: HashSet::new(),
            ignored: HashMap::new(),
        };
        for path in paths {
            let about = std::fs::symlink_metadata(path).map_err(|error| {
                let detail = format!("{} cannot be watched: {error}.", path.display());
                Error::new(detail).with_source(error)
            })?;
            if about.is_dir() {
                // A folder that may not be listed reports nothing of what is in it.
                std::fs::read_dir(path).map_err(|error| {
                    let detail = format!("{} cannot be watched: {error}.", path.display());
                    Error::new(detail).with_source(error)
                })?;
                tree.grow(path)?;
            } else if let Some(folder) = path.parent() {
                tree.files.insert(path.clone());
                tree.add(folder)?;
            }
        }
        Ok(tree)
    }

    /// Watches a folder and those below it that are not left out.
    pub(crate) fn grow(&mut self, folder: &Path) -> Result<(), Error> {
        let mut left = vec![folder.to_owned()];
        while let Some(folder) = left.pop() {
            self.add(&folder)?;
            self.read_ignored(&folder);
            let Ok(entries) = std::fs::read_dir(&folder) else {
                // Gone, or not ours to look into: its own events, if any, still come.
                continue;
            };
            for entry in entries.flatten() {
                // Symbolic links are not followed: they may lead out of what may be looked at.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let path = entry.path();
                if is_folder && self.is_of_interest(&path, true) {
                    left.push(path);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, folder: &Path) -> Result<(), Error> {
        if self.folders.len() >= FOLDERS {
            return Err(Error::new(format!(
                "More than {FOLDERS} folders are too many to watch: name a folder further down."
            )));
        }
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        match inotify::add_watch(&self.kernel, folder, flags) {
            Ok(number) => {
                self.folders.insert(number, folder.to_owned());
                Ok(())
            }
            // It went away between being seen and being watched.
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(()),
            Err(error) => {
                let detail = format!("{} cannot be watched: {error}.", folder.display());
                Err(Error::new(detail).with_source(error))
            }
        }
    }

    fn read_ignored(&mut self, folder: &Path) {
        let mut builder = GitignoreBuilder::new(folder);
        let mut found = false;
        for name in [".gitignore", ".ignore"] {
            let file = folder.join(name);
            let about = std::fs::symlink_metadata(&file);
            if about.is_ok_and(|about| about.is_file() && about.len() <= IGNORE_BYTES) {
                found |= builder.add(&file).is_none();
            }
        }
        if found && let Ok(matcher) = builder.build() {
            self.ignored.insert(folder.to_owned(), matcher);
        }
    }

    /// The path of an event; `None` for what is left out.
    pub(crate) fn path_of(&self, number: i32, name: &OsStr, is_folder: bool) -> Option<PathBuf> {
        let folder = self.folders.get(&number)?;
        let path = folder.join(name);
        let is_asked = self.files.contains(&path);
        let below = |root: &PathBuf| !self.files.contains(root) && path.starts_with(root);
        let is_below = self.roots.iter().any(below);
        (is_asked || (is_below && self.is_of_interest(&path, is_folder))).then_some(path)
    }

    /// A folder that the kernel watches no longer.
    pub(crate) fn forget(&mut self, number: i32) {
        if let Some(folder) = self.folders.remove(&number) {
            self.ignored.remove(&folder);
        }
    }

    /// Where it began.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    fn is_of_interest(&self, path: &Path, is_folder: bool) -> bool {
        let Some(name) = path.file_name().map(OsStr::to_string_lossy) else {
            return true;
        };
        if name == ".git" || is_passing(&name) {
            return false;
        }
        for folder in path.ancestors().skip(1) {
            if let Some(matcher) = self.ignored.get(folder) {
                let verdict = matcher.matched(path, is_folder);
                if !verdict.is_none() {
                    return !verdict.is_ignore();
                }
            }
            if self.roots.iter().any(|root| root == folder) {
                break;
            }
        }
        true
    }
}

/// What editors make and take away again while they save.
fn is_passing(name: &str) -> bool {
    let is_swap = name.starts_with('.') && (name.ends_with(".swp") || name.ends_with(".swx"));
    is_swap || name.ends_with('~') || name.starts_with(".#") || name == "4913"
}
