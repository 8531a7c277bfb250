//! The one place that decides what of the file system a file tool may read and change, by where an
//! open object really lies. Bytes of a file come from [`Ground::open`] and names in a folder from
//! [`Ground::entries`]; no tool has another way to either.

use crate::failure::from_errno;
use crate::found::{Found, not_a_file};
use crate::links::{LINK_DEPTH, Links, protected_links};
use api::executor::ToolFailure;
use api::failure::refused;
use domain::limits::LINK_ENTRIES;
use paths::Look;
use protected::{Protected, Protection};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, FsWord, Mode, OFlags};
use rustix::io::Errno;
use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// `PROC_SUPER_MAGIC` of linux/magic.h: the type of a procfs.
const PROC_SUPER_MAGIC: FsWord = 0x9fa0;

/// What every resolution needs.
#[derive(Debug)]
pub(crate) struct Ground {
    open_files: OwnedFd,
    protected: Protected,
}

impl Ground {
    /// Opens `/proc/self/fd` and makes sure that it is what it says.
    pub(crate) fn new(protected: Protected) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open_files = rustix::fs::open("/proc/self/fd", flags, Mode::empty())?;
        if !is_procfs(&open_files)? {
            return Err(Errno::NOENT);
        }
        Ok(Self {
            open_files,
            protected,
        })
    }

    /// Where the open object lies now.
    pub(crate) fn real_path(&self, fd: impl AsFd) -> Result<PathBuf, Errno> {
        let number = fd.as_fd().as_raw_fd().to_string();
        let path = rustix::fs::readlinkat(&self.open_files, number, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
    }

    /// The regular file `found`, open for reading by a call that was given these folders. Judged by
    /// where the very object lies that is read.
    pub(crate) fn open(
        &self,
        found: &Found,
        roots: &[PathBuf],
        shown: &str,
    ) -> Result<File, ToolFailure> {
        let fault = |errno| from_errno(errno, shown);
        let real = self.real_path(&found.fd).map_err(fault)?;
        self.may_read(&real, roots, shown)?;
        if found.kind != FileType::RegularFile {
            return Err(not_a_file(found.kind, shown));
        }
        let number = found.fd.as_raw_fd().to_string();
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.open_files, number, flags, Mode::empty());
        fd.map(File::from).map_err(fault)
    }

    /// What is in an open folder and may be seen by a call that was given these folders.
    pub(crate) fn entries<'g>(
        &'g self,
        folder: &'g OwnedFd,
        roots: &'g [PathBuf],
    ) -> Result<Entries<'g>, Errno> {
        Ok(Entries {
            ground: self,
            folder,
            real: self.real_path(folder)?,
            roots,
            names: listing(folder)?,
        })
    }

    /// Whether an open folder holds nothing, seen or not.
    pub(crate) fn is_empty(&self, folder: &OwnedFd) -> Result<bool, Errno> {
        for entry in listing(folder)? {
            if !is_itself(entry?.file_name().to_bytes()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Everything in an open folder, for those that decide about it and show none of it.
    pub(crate) fn unseen(&self, folder: &OwnedFd) -> Result<Vec<(OsString, FileType)>, Errno> {
        let mut names = Vec::new();
        for entry in listing(folder)? {
            let entry = entry?;
            if is_itself(entry.file_name().to_bytes()) {
                continue;
            }
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            let kind = known_kind(folder, &name, entry.file_type());
            names.push((name, kind));
        }
        Ok(names)
    }

    pub(crate) fn may_write(
        &self,
        real: &Path,
        roots: &[PathBuf],
        shown: &str,
    ) -> Result<(), ToolFailure> {
        let changes = self.changes(roots);
        if let Some(repository) = changes.unread(real) {
            return Err(unread(shown, repository));
        }
        told(changes.refuses(real), shown)?;
        match changes.is_unseen(real) {
            true => Err(too_many(shown)),
            false => Ok(()),
        }
    }

    /// What may be changed in these folders, as their links are now.
    pub(crate) fn changes<'g>(&'g self, roots: &'g [PathBuf]) -> Changes<'g> {
        Changes {
            protected: &self.protected,
            roots,
            links: OnceCell::new(),
        }
    }

    pub(crate) fn may_read(
        &self,
        real: &Path,
        roots: &[PathBuf],
        shown: &str,
    ) -> Result<(), ToolFailure> {
        told(self.protected.refuses_read(real, roots), shown)
    }
}

/// What may be changed in the folders of a call: judged by where an object lies, and by the protected
/// names that links give it: what `.cargo` leads to is changed as `.cargo` is.
pub(crate) struct Changes<'g> {
    protected: &'g Protected,
    roots: &'g [PathBuf],
    /// Looked for once, and only for what is open by its own name.
    links: OnceCell<Links>,
}

impl Changes<'_> {
    fn links(&self) -> &Links {
        let look = || protected_links(self.protected, self.roots);
        self.links.get_or_init(look)
    }

    fn refuses(&self, real: &Path) -> Option<Protection> {
        let refused = |path: &Path| self.protected.refuses_write(path, self.roots);
        let by_link = || {
            self.links().leads.iter().find_map(|lead| {
                let inside = real.strip_prefix(&lead.goal).ok()?;
                let by = match inside.as_os_str().is_empty() {
                    true => lead.name.clone(),
                    false => lead.name.join(inside),
                };
                // A name in the home closes what lies there, and not what was opened elsewhere.
                let is_around = !self.roots.iter().any(|root| by.starts_with(root));
                refused(&by).filter(|why| !(is_around && *why == Protection::Closed))
            })
        };
        refused(real).or_else(by_link)
    }

    /// The repository that closes a path because it was not read to its end what git is configured to
    /// do there.
    fn unread(&self, real: &Path) -> Option<&Path> {
        if self.protected.refuses_write(real, self.roots).is_some() {
            return None;
        }
        let mut unread = self.links().unread.iter();
        let lead = unread.find(|lead| real.starts_with(&lead.goal))?;
        Some(&lead.name)
    }

    /// Whether nothing tells what leads to a path: it lies where nobody looked, or would.
    fn is_unseen(&self, real: &Path) -> bool {
        let below = |root: &PathBuf| Some(real.strip_prefix(root).ok()?.components().count());
        let depth = self.roots.iter().filter_map(below).min();
        let unseen = &self.links().unseen;
        depth.is_some_and(|depth| depth > LINK_DEPTH)
            || unseen.iter().any(|folder| real.starts_with(folder))
    }

    /// Whether a place in a folder leads out of it by a relative name: to another file, once the
    /// folder lies elsewhere.
    pub(crate) fn leads_out(&self, place: &Path, folder: &Path) -> bool {
        let listed = |path: &Path| {
            let why = self.protected.refuses_write(path, self.roots);
            matches!(why, Some(Protection::RunsLater | Protection::Credentials))
        };
        if !listed(place) || place.parent().is_some_and(listed) {
            return false;
        }
        let roots = [folder.to_path_buf()];
        let mut look = Look::new(&roots, self.protected.homes(), LINK_ENTRIES);
        look.from(place);
        look.leads_out
    }

    /// Whether a link would bring what it leads to under a name that other programs run or trust, or
    /// that stands on the way to such a place.
    pub(crate) fn link_is_trusted(&self, from: &Path, to: &Path) -> bool {
        let is_on_the_way = |path| self.protected.leads_to_listed(path);
        // A link that comes along with its folder is as trusted as it was.
        let is_as_before = from.file_name() == to.file_name() && is_on_the_way(from);
        let mut leads = self.links().leads.iter();
        is_on_the_way(to) && !is_as_before || leads.any(|lead| lead.goal.starts_with(to))
    }

    /// How what lies at `from` may be carried to `to`: no keys or passwords from anywhere, and
    /// nothing to where a change would be refused and is not now.
    pub(crate) fn carriage(&self, from: &Path, to: &Path) -> Carriage {
        let is_seen = || !self.is_unseen(from) && !self.is_unseen(to);
        match (self.refuses(from), self.refuses(to)) {
            (Some(Protection::RunsLater), _) => Carriage::RunsLater,
            (None, None) if is_seen() => Carriage::Free,
            (None, None) | (Some(_), _) | (None, Some(_)) => Carriage::Refused,
        }
    }
}

/// How something may be carried along with its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carriage {
    /// Anywhere.
    Free,
    /// To a name that other programs trust nothing by: they run or trust it by its place.
    RunsLater,
    /// Not at all.
    Refused,
}

fn too_many(shown: &str) -> ToolFailure {
    refused(
        "too_many_files",
        format!(
            "`{shown}` is not changed: it lies deeper than {LINK_DEPTH} levels, or beside more than \
             {LINK_ENTRIES} files in the folders that may be written, so nothing tells whether \
             another program runs it. Ask the user to open a narrower folder."
        ),
    )
}

fn told(protection: Option<Protection>, shown: &str) -> Result<(), ToolFailure> {
    let why = match protection {
        None => return Ok(()),
        Some(Protection::RunsLater) => {
            "other programs run or trust what is there. Ask the user to change it."
        }
        Some(Protection::Credentials) => "it holds keys or passwords.",
        Some(Protection::Closed) => {
            "it lies beneath a name with a dot in the user's home, which nobody opened. The user \
             can open it by its own name with `--allow-read` or `--allow-write`, or start carl in it."
        }
        Some(Protection::Own) => "it belongs to Housecarl.",
    };
    Err(refused(
        "protected",
        format!("`{shown}` is protected: {why}"),
    ))
}

/// Names in a folder with what they are; those that may not be seen are passed over.
pub(crate) struct Entries<'g> {
    ground: &'g Ground,
    folder: &'g OwnedFd,
    real: PathBuf,
    roots: &'g [PathBuf],
    names: Dir,
}

impl Iterator for Entries<'_> {
    type Item = Result<(OsString, FileType), Errno>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.names.next()? {
                Ok(entry) => entry,
                Err(errno) => return Some(Err(errno)),
            };
            let name = entry.file_name().to_bytes();
            if is_itself(name) {
                continue;
            }
            let name = OsString::from_vec(name.to_vec());
            let real = self.real.join(&name);
            if self.ground.may_read(&real, self.roots, "").is_ok() {
                let kind = known_kind(self.folder, &name, entry.file_type());
                return Some(Ok((name, kind)));
            }
        }
    }
}

fn is_itself(name: &[u8]) -> bool {
    matches!(name, b"." | b"..")
}

/// The names in an open folder.
fn listing(folder: impl AsFd) -> Result<Dir, Errno> {
    // A descriptor for looking cannot be listed; `.` beneath it is the same folder.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Dir::new(rustix::fs::openat(folder, ".", flags, Mode::empty())?)
}

/// What a name is, also on file systems that do not say so in the listing.
fn known_kind(folder: impl AsFd, name: &OsStr, listed: FileType) -> FileType {
    if listed != FileType::Unknown {
        return listed;
    }
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
        Err(_) => FileType::Unknown,
    }
}

pub(crate) fn is_procfs(fd: &OwnedFd) -> Result<bool, Errno> {
    Ok(rustix::fs::fstatfs(fd)?.f_type == PROC_SUPER_MAGIC)
}

fn unread(shown: &str, repository: &Path) -> ToolFailure {
    refused(
        "protected",
        format!(
            "`{shown}` is not changed: what git is configured to do in {} is too long to be read to \
             its end, alone or with all other repositories here, so nothing tells whether git runs \
             this file. Ask the user to look at that repository.",
            repository.display()
        ),
    )
}
