//! How a path is reached: one root opened as a descriptor, the rest resolved beneath it by the
//! kernel (openat2), and everything after that done on the descriptor that was checked.
//!
//! Nothing here opens a file by a name it has looked at before. A readable descriptor is made from
//! the checked one through `/proc/self/fd`, which names the open object itself; [`crate::ground`]
//! says whether it may be made.

pub(crate) use crate::found::Found;

use crate::failure::{NOT_FOUND, OUTSIDE, from_errno};
use crate::ground::{Entries, Ground, is_procfs};
use api::executor::ToolFailure;
use api::failure::{mendable, of_call, refused};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use text::escape::visible_line;

/// The rule by which an opened folder is neither moved nor removed.
const IS_A_ROOT: &str = "is_a_root";
/// Most links followed for the last part of a path.
const LINKS: usize = 16;
/// Tries of a resolution that a rename elsewhere disturbed.
const TRIES: usize = 64;

pub(crate) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
pub(crate) const FOLDER: OFlags = LOOK.union(OFlags::DIRECTORY);

/// A name in a folder that was reached. Changes act on it with the `*at` calls.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) parent: OwnedFd,
    pub(crate) name: OsString,
    /// Where it lay when it was checked.
    pub(crate) real: PathBuf,
    /// None is made but by [`Place::spot`], which asks whether it may be changed.
    _checked: (),
}

impl Spot {
    /// What is there now, a link itself and not where it leads; `None` for nothing.
    pub(crate) fn look(&self, shown: &str) -> Result<Option<Found>, ToolFailure> {
        match rustix::fs::openat(
            &self.parent,
            &self.name,
            LOOK | OFlags::NOFOLLOW,
            Mode::empty(),
        ) {
            Ok(fd) => Found::of(fd).map(Some).map_err(|e| from_errno(e, shown)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(from_errno(errno, shown)),
        }
    }
}

/// What to do when the last part of a path is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastLink {
    /// Go where it leads, beneath the root.
    Follow,
    /// Act on the link.
    Keep,
}

/// How a path is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As a caller wrote it: a name may be stored in another Unicode form.
    Written,
    /// As the file system has it, real when it was written down: no link in it is followed.
    Stored,
}

/// A path of a call, with the roots it must lie beneath.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) ground: &'a Ground,
    /// As the caller wrote it, safe to show.
    pub(crate) shown: String,
    /// Absolute and normalised.
    pub(crate) target: &'a Path,
    pub(crate) spelling: Spelling,
    pub(crate) roots: &'a [PathBuf],
}

/// A root that is open, and the rest of the path beneath it.
struct Root {
    fd: OwnedFd,
    rest: PathBuf,
    resolve: ResolveFlags,
}

impl Place<'_> {
    /// Reaches what exists there, following links beneath the root.
    pub(crate) fn reach(&self) -> Result<Found, ToolFailure> {
        self.in_a_root(|root| {
            let (fd, _real) = self.reach_in(root)?;
            Found::of(fd).map_err(|e| self.fault(e))
        })
    }

    /// Where what exists there really lies.
    pub(crate) fn reach_real(&self) -> Result<PathBuf, ToolFailure> {
        self.in_a_root(|root| self.reach_in(root).map(|(_fd, real)| real))
    }

    fn reach_in(&self, root: &Root) -> Result<(OwnedFd, PathBuf), ToolFailure> {
        let fd = self.open_beneath(&root.fd, &root.rest, LOOK, root.resolve);
        let fd = fd.map_err(|failure| self.link_to_nothing(root, &failure).unwrap_or(failure))?;
        let real = self.ground.real_path(&fd).map_err(|e| self.fault(e))?;
        self.ground.may_read(&real, self.roots, &self.shown)?;
        Ok((fd, real))
    }

    /// What is said where it is not the place that is missing, but what a link there leads to.
    fn link_to_nothing(&self, root: &Root, failure: &ToolFailure) -> Option<ToolFailure> {
        if failure.rule != NOT_FOUND {
            return None;
        }
        let look = LOOK | OFlags::NOFOLLOW;
        let link = self.open_beneath(&root.fd, &root.rest, look, root.resolve);
        let link = link.ok()?;
        let real = self.ground.real_path(&link).ok()?;
        self.ground.may_read(&real, self.roots, &self.shown).ok()?;
        let goal = rustix::fs::readlinkat(&link, "", Vec::new()).ok()?;
        Some(mendable(
            NOT_FOUND,
            format!(
                "`{}` is a link to `{}`, which is not there.",
                self.shown,
                visible_line(&goal.to_string_lossy())
            ),
        ))
    }

    /// Reaches a folder.
    pub(crate) fn reach_folder(&self) -> Result<Found, ToolFailure> {
        let found = self.reach()?;
        match found.kind {
            FileType::Directory => Ok(found),
            _ => Err(mendable(
                "not_a_folder",
                format!("`{}` is not a folder.", self.shown),
            )),
        }
    }

    /// Reaches a regular file and opens it for reading.
    pub(crate) fn reach_file(&self) -> Result<(Found, File), ToolFailure> {
        let found = self.reach()?;
        let file = self.open(&found)?;
        Ok((found, file))
    }

    /// Opens a regular file that was reached for reading.
    pub(crate) fn open(&self, found: &Found) -> Result<File, ToolFailure> {
        self.ground.open(found, self.roots, &self.shown)
    }

    /// What is in a folder that was reached, as far as it may be seen.
    pub(crate) fn entries<'p>(&'p self, folder: &'p OwnedFd) -> Result<Entries<'p>, Errno> {
        self.ground.entries(folder, self.roots)
    }

    /// Reaches the folder that holds the place, for a change there.
    pub(crate) fn spot(&self, last: LastLink) -> Result<Spot, ToolFailure> {
        self.in_a_root(|root| self.spot_in(root, last))
    }

    /// The path as the file system spells it, links kept: what can be found again by its very name.
    pub(crate) fn stored(&self) -> PathBuf {
        let stored = self.in_a_root(|root| {
            let count = root.rest.components().count();
            let above = self.target.ancestors().nth(count);
            Ok(match above {
                Some(above) if root.rest != Path::new(".") => above.join(&root.rest),
                _ => self.target.to_path_buf(),
            })
        });
        stored.unwrap_or_else(|_| self.target.to_path_buf())
    }

    /// What is there now, a link itself and not where it leads, for who changes nothing there: whether it
    /// might be changed is not asked, which takes a look through what is around it.
    pub(crate) fn peek(&self) -> Result<Option<Found>, ToolFailure> {
        self.in_a_root(|root| {
            let Some(name) = root.rest.file_name() else {
                return Err(is_opened(&self.shown));
            };
            let (parent, real) = self.folder_in(root, &root.rest)?;
            self.ground
                .may_read(&real.join(name), self.roots, &self.shown)?;
            match look_at(&parent, name) {
                Ok(found) => Ok(Some(found)),
                Err(Errno::NOENT) => Ok(None),
                Err(errno) => Err(self.fault(errno)),
            }
        })
    }

    /// The folder that a path beneath a root lies in, and where that really is.
    fn folder_in(&self, root: &Root, rest: &Path) -> Result<(OwnedFd, PathBuf), ToolFailure> {
        let above = match rest.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            _ => Path::new("."),
        };
        let parent = self.open_beneath(&root.fd, above, FOLDER, root.resolve)?;
        let folder = self.ground.real_path(&parent).map_err(|e| self.fault(e))?;
        Ok((parent, folder))
    }

    /// Where a change there would really land, also where folders above it are to be made.
    pub(crate) fn real_spot(&self, last: LastLink) -> Result<PathBuf, ToolFailure> {
        match self.spot(last) {
            Ok(spot) => Ok(spot.real),
            Err(failure) if failure.rule == NOT_FOUND => {
                let (_, folder, missing) = self.nearest()?;
                Ok(folder.join(missing.iter().collect::<PathBuf>()))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Reaches the nearest folder above the place that exists, and what is missing below it.
    pub(crate) fn nearest(&self) -> Result<(OwnedFd, PathBuf, Vec<OsString>), ToolFailure> {
        self.in_a_root(|root| {
            let mut rest = root.rest.clone();
            let mut missing = Vec::new();
            loop {
                let here = if rest.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    &rest
                };
                match self.open_beneath(&root.fd, here, FOLDER, root.resolve) {
                    Ok(fd) => {
                        let real = self.ground.real_path(&fd).map_err(|e| self.fault(e))?;
                        missing.reverse();
                        let whole = real.join(missing.iter().collect::<PathBuf>());
                        self.may_write(&whole)?;
                        return Ok((fd, real, missing));
                    }
                    Err(failure) if failure.rule != "not_found" => return Err(failure),
                    Err(failure) => match rest.file_name() {
                        Some(name) => {
                            missing.push(name.to_owned());
                            rest.pop();
                        }
                        None => return Err(failure),
                    },
                }
            }
        })
    }

    /// Open folders from the root down to, not including, the place; for reading ignore files.
    pub(crate) fn above(&self) -> Vec<(PathBuf, OwnedFd)> {
        let found = self.in_a_root(|root| {
            let is_the_root = root.rest == Path::new(".");
            let mut above: Vec<&Path> = match is_the_root {
                true => Vec::new(),
                false => root.rest.ancestors().skip(1).collect(),
            };
            above.reverse();
            let open = |rest: &Path| {
                let here = if rest.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    rest
                };
                let fd = self.open_beneath(&root.fd, here, FOLDER, root.resolve)?;
                Ok((rest.to_path_buf(), fd))
            };
            above.into_iter().map(open).collect()
        });
        // Without them nothing is ignored, which shows more, not less.
        found.unwrap_or_default()
    }

    /// The place, beneath its longest root.
    pub(crate) fn beneath_root(&self) -> PathBuf {
        let rests = self
            .roots
            .iter()
            .filter_map(|root| self.target.strip_prefix(root).ok());
        let shortest = rests.min_by_key(|rest| rest.components().count());
        shortest.unwrap_or(Path::new("")).to_path_buf()
    }

    fn fault(&self, errno: Errno) -> ToolFailure {
        from_errno(errno, &self.shown)
    }

    fn may_write(&self, real: &Path) -> Result<(), ToolFailure> {
        self.ground.may_write(real, self.roots, &self.shown)
    }

    /// Tries every root the path lies in by its text, the longest first; the first refusal is
    /// told when none will do.
    fn in_a_root<T>(
        &self,
        act: impl Fn(&Root) -> Result<T, ToolFailure>,
    ) -> Result<T, ToolFailure> {
        let is_plain = self.target.is_absolute()
            && !self.target.as_os_str().as_bytes().contains(&0)
            && self
                .target
                .components()
                .all(|c| matches!(c, Component::RootDir | Component::Normal(_)));
        let mut roots: Vec<&PathBuf> = self
            .roots
            .iter()
            .filter(|root| is_plain && root.is_absolute() && self.target.starts_with(root))
            .collect();
        roots.sort_by_key(|root| std::cmp::Reverse(root.components().count()));
        let mut first = None;
        for root in roots {
            match self.open_root(root).and_then(|root| act(&root)) {
                Ok(value) => return Ok(value),
                // By way of another root it would not stay.
                Err(failure) if failure.rule == IS_A_ROOT => return Err(failure),
                Err(failure) => first = first.or(Some(failure)),
            }
        }
        Err(first.unwrap_or_else(|| {
            refused(
                OUTSIDE,
                format!(
                    "`{}` is outside the folders this call may touch.",
                    self.shown
                ),
            )
        }))
    }

    fn open_root(&self, root: &Path) -> Result<Root, ToolFailure> {
        let links = match self.spelling {
            Spelling::Written => ResolveFlags::NO_MAGICLINKS,
            Spelling::Stored => ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS,
        };
        let beneath = ResolveFlags::BENEATH | links;
        let rest = self.target.strip_prefix(root).unwrap_or(Path::new(""));
        let real = |root: &Path| match self.spelling {
            Spelling::Written => self.opened(root),
            Spelling::Stored => Ok(root.to_path_buf()),
        };
        match open_folder(&real(root)?) {
            Ok(fd) => Ok(Root {
                rest: if rest.as_os_str().is_empty() {
                    PathBuf::from(".")
                } else {
                    self.as_stored(&fd, rest, beneath)
                },
                fd,
                resolve: beneath,
            }),
            // The root is a single file, or is to be made: only that name in its folder.
            Err(Errno::NOTDIR | Errno::NOENT) if rest.as_os_str().is_empty() => {
                let (Some(above), Some(name)) = (root.parent(), root.file_name()) else {
                    return Err(self.fault(Errno::NOENT));
                };
                let fd = open_folder(&real(above)?).map_err(|e| self.fault(e))?;
                let resolve = beneath | ResolveFlags::NO_SYMLINKS;
                Ok(Root {
                    rest: self.as_stored(&fd, Path::new(name), resolve),
                    fd,
                    resolve,
                })
            }
            Err(errno) => Err(self.fault(errno)),
        }
    }

    /// Where a root of the call lies.
    fn opened(&self, root: &Path) -> Result<PathBuf, ToolFailure> {
        paths::opened_path(root, self.roots).map_err(|link| {
            refused(
                "symlink_escape",
                format!(
                    "`{}` lies behind {}, a link in a folder that is open for changes.",
                    self.shown,
                    link.display()
                ),
            )
        })
    }

    pub(crate) fn open_beneath(
        &self,
        root: &OwnedFd,
        rest: &Path,
        flags: OFlags,
        resolve: ResolveFlags,
    ) -> Result<OwnedFd, ToolFailure> {
        let mut last = Errno::AGAIN;
        for _ in 0..TRIES {
            match rustix::fs::openat2(root, rest, flags, Mode::empty(), resolve) {
                Ok(fd) if is_procfs(&fd).map_err(|e| self.fault(e))? => {
                    return Err(self.fault(Errno::LOOP));
                }
                Ok(fd) => return Ok(fd),
                // A rename somewhere made the kernel unsure whether `..` stayed beneath.
                Err(errno @ (Errno::AGAIN | Errno::INTR)) => last = errno,
                Err(errno) => return Err(self.fault(errno)),
            }
        }
        Err(self.fault(last))
    }

    fn spot_in(&self, root: &Root, last: LastLink) -> Result<Spot, ToolFailure> {
        let mut rest = root.rest.clone();
        for _ in 0..LINKS {
            let Some(name) = rest.file_name().map(OsStr::to_owned) else {
                return Err(is_opened(&self.shown));
            };
            let (parent, folder) = self.folder_in(root, &rest)?;
            let link = match last {
                LastLink::Keep => None,
                LastLink::Follow => self.link_at(&parent, &name)?,
            };
            let Some(link) = link else {
                let real = folder.join(&name);
                self.may_write(&real)?;
                return Ok(Spot {
                    parent,
                    name,
                    real,
                    _checked: (),
                });
            };
            if link.is_absolute() || root.resolve.contains(ResolveFlags::NO_SYMLINKS) {
                return Err(self.fault(Errno::XDEV));
            }
            // The kernel resolves the link's own `..` beneath the root in the next round.
            let top = self.ground.real_path(&root.fd).map_err(|e| self.fault(e))?;
            match folder.strip_prefix(&top) {
                Ok(inner) => rest = inner.join(link),
                Err(_) => return Err(self.fault(Errno::XDEV)),
            }
        }
        Err(self.fault(Errno::LOOP))
    }

    fn link_at(&self, parent: &OwnedFd, name: &OsStr) -> Result<Option<PathBuf>, ToolFailure> {
        match rustix::fs::readlinkat(parent, name, Vec::new()) {
            Ok(link) => Ok(Some(PathBuf::from(OsString::from_vec(link.into_bytes())))),
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.fault(errno)),
        }
    }
}

/// The refusal to move or remove a folder that the call was given, or one that holds such a folder.
pub(crate) fn is_opened(shown: &str) -> ToolFailure {
    mendable(
        IS_A_ROOT,
        of_call(format!(
            "`{shown}` is one of the folders you were given, or holds one; it stays."
        )),
    )
}

/// Opens one of the call's roots, by where it lies.
fn open_folder(root: &Path) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    let fd = rustix::fs::openat2(CWD, root, FOLDER, Mode::empty(), resolve)?;
    if is_procfs(&fd)? {
        Err(Errno::LOOP)
    } else {
        Ok(fd)
    }
}

/// Opens a folder inside an open folder; never a link, never another name.
pub(crate) fn step_into(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let fd = rustix::fs::openat2(folder, name, FOLDER, Mode::empty(), resolve)?;
    if is_procfs(&fd)? {
        Err(Errno::LOOP)
    } else {
        Ok(fd)
    }
}

/// Opens a file inside an open folder for looking; never a link.
pub(crate) fn look_into(folder: impl AsFd, name: &OsStr) -> Result<Found, Errno> {
    look_with(folder, name, LOOK)
}

/// The same, where a link is opened itself.
pub(crate) fn look_at(folder: impl AsFd, name: &OsStr) -> Result<Found, Errno> {
    look_with(folder, name, LOOK | OFlags::NOFOLLOW)
}

fn look_with(folder: impl AsFd, name: &OsStr, flags: OFlags) -> Result<Found, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve)?;
    Found::of(opened)
}
