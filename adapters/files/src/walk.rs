//! Walking a folder by descriptors: names sorted, links never followed, ignore files respected, and
//! what may not be read passed over, whatever it is.

use crate::beneath::{self, Found, Place};
use crate::context::Leash;
use crate::failure::from_errno;
use api::executor::ToolFailure;
use domain::limits::{IGNORE_FILE_BYTES, WALK_DEPTH, WALK_ENTRIES};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::OwnedFd;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ignore {
    /// Nothing.
    Nothing,
    /// What `.gitignore` files name, and `.git` folders.
    AsGit,
    /// `.git` folders alone.
    GitFolders,
}

impl Ignore {
    /// As git does, unless what it ignores is wanted too.
    pub(crate) const fn unless(is_wanted: bool) -> Self {
        match is_wanted {
            true => Self::GitFolders,
            false => Self::AsGit,
        }
    }
}

/// Something met on the walk.
pub(crate) struct Entry<'a> {
    /// The open folder it is in.
    pub(crate) folder: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
    /// From the folder where the walk began.
    pub(crate) path: &'a Path,
    pub(crate) kind: FileType,
}

impl Entry<'_> {
    /// Opens it for looking; `None` when it is gone or cannot be opened.
    pub(crate) fn look(&self) -> Option<Found> {
        beneath::look_into(self.folder, self.name).ok()
    }

    /// The same, where a link is opened itself.
    pub(crate) fn look_at(&self) -> Option<Found> {
        beneath::look_at(self.folder, self.name).ok()
    }
}

/// What a visitor wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Go,
    /// Not into this folder.
    Over,
    Stop,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Everything was seen.
    Whole,
    /// A limit or the visitor ended it, or a folder could not be opened.
    Part,
}

type Visitor<'v> = dyn FnMut(&Entry<'_>) -> Result<Step, ToolFailure> + 'v;

/// A walk to be made.
pub(crate) struct Walk<'a> {
    pub(crate) place: &'a Place<'a>,
    pub(crate) leash: &'a Leash,
    /// Levels to go down; 1 for the folder itself.
    pub(crate) depth: usize,
    pub(crate) ignore: Ignore,
}

/// The state of a walk.
struct Course<'a> {
    place: &'a Place<'a>,
    leash: &'a Leash,
    depth: usize,
    ignore: Ignore,
    /// Where the walk began, beneath the root, for ignore files.
    base: PathBuf,
    rules: Vec<Gitignore>,
    seen: usize,
    end: End,
}

impl Walk<'_> {
    /// Visits everything in and below the folder, parents before what is in them.
    pub(crate) fn run(&self, folder: &Found, visit: &mut Visitor<'_>) -> Result<End, ToolFailure> {
        let shown = &self.place.shown;
        let mut course = Course {
            place: self.place,
            leash: self.leash,
            depth: self.depth.min(WALK_DEPTH),
            ignore: self.ignore,
            base: Path::new("/").join(self.place.beneath_root()),
            rules: Vec::new(),
            seen: 0,
            end: End::Whole,
        };
        if self.ignore == Ignore::AsGit {
            for (path, fd) in self.place.above() {
                course
                    .rules
                    .extend(rules_in(course.place, &fd, &Path::new("/").join(path)));
            }
        }
        // The folder that was asked for must be readable; those below may be passed over.
        let listing = self.place.entries(&folder.fd);
        listing.map_err(|e| from_errno(e, shown))?;
        course.folder(&folder.fd, Path::new(""), 1, visit)?;
        Ok(course.end)
    }
}

impl Course<'_> {
    fn folder(
        &mut self,
        fd: &OwnedFd,
        path: &Path,
        depth: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<Step, ToolFailure> {
        let Ok(names) = self.names(fd)? else {
            self.end = End::Part;
            return Ok(Step::Go);
        };
        let kept = self.rules.len();
        if self.ignore == Ignore::AsGit {
            self.rules
                .extend(rules_in(self.place, fd, &self.base.join(path)));
        }
        let mut step = Step::Go;
        for (name, kind) in names {
            self.leash.check()?;
            let path = path.join(&name);
            if self.is_ignored(&path, &name, kind) {
                continue;
            }
            let entry = Entry {
                folder: fd,
                name: &name,
                path: &path,
                kind,
            };
            step = visit(&entry)?;
            if step == Step::Go && kind == FileType::Directory {
                if depth < self.depth {
                    step = self.enter(fd, &name, &path, depth, visit)?;
                } else if depth >= WALK_DEPTH {
                    self.end = End::Part;
                }
            }
            if step == Step::Stop {
                self.end = End::Part;
                break;
            }
        }
        self.rules.truncate(kept);
        Ok(step)
    }

    fn enter(
        &mut self,
        fd: &OwnedFd,
        name: &OsStr,
        path: &Path,
        depth: usize,
        visit: &mut Visitor<'_>,
    ) -> Result<Step, ToolFailure> {
        match beneath::step_into(fd, name) {
            Ok(inner) => self.folder(&inner, path, depth + 1, visit),
            // Gone, swapped for a link, or not ours to enter: passed over.
            Err(_) => {
                self.end = End::Part;
                Ok(Step::Go)
            }
        }
    }

    /// The names in a folder with their kinds, sorted by bytes; an inner error when the folder
    /// cannot be listed.
    fn names(
        &mut self,
        fd: &OwnedFd,
    ) -> Result<Result<Vec<(OsString, FileType)>, Errno>, ToolFailure> {
        let listing = match self.place.entries(fd) {
            Ok(listing) => listing,
            Err(errno) => return Ok(Err(errno)),
        };
        let mut names = Vec::new();
        for entry in listing {
            self.leash.check()?;
            let entry = match entry {
                Ok(entry) => entry,
                Err(errno) => return Ok(Err(errno)),
            };
            self.seen += 1;
            if self.seen > WALK_ENTRIES {
                self.end = End::Part;
                break;
            }
            names.push(entry);
        }
        names.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        Ok(Ok(names))
    }

    fn is_ignored(&self, path: &Path, name: &OsStr, kind: FileType) -> bool {
        let is_folder = kind == FileType::Directory;
        if self.ignore == Ignore::Nothing {
            return false;
        }
        if name == ".git" {
            return true;
        }
        let whole = self.base.join(path);
        // Of `GitFolders` there are none.
        self.rules
            .iter()
            .rev()
            .map(|rules| rules.matched(&whole, is_folder))
            .find(|verdict| !verdict.is_none())
            .is_some_and(|verdict| matches!(verdict, Match::Ignore(_)))
    }
}

/// The ignore file of a folder, if there is a usable one.
fn rules_in(place: &Place<'_>, folder: &OwnedFd, base: &Path) -> Option<Gitignore> {
    let Ok(found) = beneath::look_into(folder, OsStr::new(".gitignore")) else {
        return None;
    };
    let Ok(file) = place.open(&found) else {
        return None;
    };
    let mut text = Vec::new();
    if file.take(IGNORE_FILE_BYTES).read_to_end(&mut text).is_err() {
        return None;
    }
    let mut builder = GitignoreBuilder::new(base);
    for line in String::from_utf8_lossy(&text).lines() {
        // Git, too, skips a line that is no pattern.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
