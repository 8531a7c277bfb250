//! Looking for protected places: the shallow ones first, and also in folders that were closed to
//! their own user.

use domain::limits::{GUARD_ENTRIES, LINK_ENTRIES, WALK_DEPTH};
use paths::{Lead, Look, is_inside};
use protected::{Protected, Protection, is_set_aside};
use rustix::fs::{Access, CWD, Mode, OFlags, ResolveFlags, access, fstat, openat2};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, DirEntry, Permissions};
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Longest path of a folder whose places can be covered, bytes. The view is put together beneath another
/// folder, where a name in it must still fit into the kernel's 4,096 bytes (path_resolution(7)).
pub(crate) const FOLDER_BYTES: usize = 3_800;

/// A file or folder, whatever it is called.
pub(crate) type Identity = (u64, u64);

/// How far is looked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) entries: usize,
    pub(crate) depth: usize,
    /// Longest path of a folder that is looked through.
    pub(crate) path_bytes: usize,
    /// Most entries in protected places that are looked at for where they lead.
    pub(crate) leads: usize,
}

impl Limits {
    /// Before a program runs: what is beyond cannot be kept, so the program does not run.
    pub(crate) const BEFORE: Self = Self {
        entries: GUARD_ENTRIES,
        depth: 4 * WALK_DEPTH,
        path_bytes: FOLDER_BYTES,
        leads: LINK_ENTRIES,
    };
    /// After it ran: however deep it went, and far more than it may find. What is in a protected place
    /// is as it was.
    pub(crate) const AFTER: Self = Self {
        entries: 20 * GUARD_ENTRIES,
        depth: usize::MAX,
        path_bytes: usize::MAX,
        leads: 0,
    };

    /// Whether a folder in one of this depth lies beyond them.
    fn end(&self, folder: &Path, depth: usize) -> bool {
        depth >= self.depth || folder.as_os_str().len() > self.path_bytes
    }
}

/// A protected place.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Beneath which of the roots.
    pub(crate) root: usize,
    pub(crate) identity: Identity,
    /// When it was made; `None` where the file system does not write that down.
    pub(crate) born: Option<SystemTime>,
    /// What it leads to, as it is written there, if it is a link.
    pub(crate) link: Option<PathBuf>,
    pub(crate) is_folder: bool,
}

/// What a protected place is known again by. The number of a file that is gone is given to the next
/// one, so its name and when it was made count as well; and of a link, which cannot be frozen, where
/// it leads.
pub(crate) type Mark = (Identity, Option<SystemTime>, OsString, Option<PathBuf>);

impl Found {
    /// What there is at a path beneath a root.
    ///
    /// # Errors
    /// When nothing is there, or it cannot be looked at.
    pub(crate) fn at(path: &Path, root: usize) -> std::io::Result<Self> {
        let about = fs::symlink_metadata(path)?;
        let link = match about.is_symlink() {
            true => Some(fs::read_link(path)?),
            false => None,
        };
        Ok(Self {
            path: path.to_path_buf(),
            root,
            identity: (about.dev(), about.ino()),
            born: about.created().ok(),
            link,
            is_folder: about.is_dir(),
        })
    }

    pub(crate) fn mark(&self) -> Mark {
        let name = self.path.file_name().unwrap_or_default();
        let name = name.to_owned();
        (self.identity, self.born, name, self.link.clone())
    }
}

/// What was seen. As long as it lives, the folders that were closed to their own user are open.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    pub(crate) found: Vec<Found>,
    /// All that hold keys or passwords.
    pub(crate) hidden: Vec<PathBuf>,
    /// Named pipes in protected places and in what they lead to: where nothing may be changed, a pipe
    /// can be written to.
    pub(crate) pipes: BTreeSet<PathBuf>,
    /// Where what is in protected places leads.
    pub(crate) goals: BTreeSet<PathBuf>,
    /// The same, each with the place that leads there.
    pub(crate) led: Vec<(PathBuf, PathBuf)>,
    /// Work trees whose configuration of git was not read to its end, with their repositories.
    pub(crate) unread: Vec<Lead>,
    /// Protected places that lead out of the folder that they lie in: with another name for a folder
    /// above, they may lead elsewhere.
    pub(crate) anchored: Vec<PathBuf>,
    /// Folders that lie too deep to be looked through.
    pub(crate) deep: Vec<PathBuf>,
    /// What could not be looked at although a program could have written there.
    pub(crate) unseen: BTreeSet<PathBuf>,
    /// Whether there is more than the limits allow to look at.
    pub(crate) is_cut: bool,
    doors: Doors,
}

/// Looks for the protected places beneath the roots, level by level.
pub(crate) fn search<'a>(
    protected: &Protected,
    roots: impl Iterator<Item = &'a PathBuf>,
    limits: Limits,
) -> Sight {
    let mut sight = Sight::default();
    let mut left = limits.entries;
    let given: Vec<PathBuf> = roots.cloned().collect();
    let mut look = Look::new(&given, protected.homes(), limits.leads);
    if limits.leads > 0 {
        sight.look_around(protected, &given, &mut look);
    }
    let roots = given.iter().enumerate();
    let mut waiting: VecDeque<(PathBuf, usize, usize)> =
        roots.map(|(root, path)| (path.clone(), root, 0)).collect();
    while let Some((folder, root, depth)) = waiting.pop_front() {
        sight.doors.open(&folder);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                sight.miss(folder, &error);
                continue;
            }
        };
        // In a folder that is refused itself, any name may be.
        let is_open = protected.refuses_write(&folder, &given).is_none();
        for entry in entries {
            if left == 0 {
                sight.is_cut = true;
                return sight;
            }
            left -= 1;
            let looked = entry.and_then(|entry| {
                let is_plain = is_open && !protected.may_refuse(&entry.file_name());
                match entry.file_type()? {
                    kind if is_plain && !kind.is_symlink() => {
                        Ok(kind.is_dir().then(|| entry.path()))
                    }
                    _ => sight.look((protected, &given), &entry, root, &mut look),
                }
            });
            match looked {
                Ok(Some(below)) if limits.end(&below, depth) => sight.deep.push(below),
                Ok(Some(below)) => waiting.push_back((below, root, depth + 1)),
                Ok(None) => {}
                Err(error) => sight.miss(folder.clone(), &error),
            }
        }
    }
    sight.pipes = look.pipes;
    sight.unread = look.unread;
    sight
}

/// Whether what a place leads to is protected as the place is. What is closed or ours is not run by
/// others because of where it lies.
const fn leads_on(why: Option<Protection>) -> bool {
    matches!(why, Some(Protection::RunsLater | Protection::Credentials))
}

impl Sight {
    /// Takes up where places lead that lie around the roots.
    fn look_around(&mut self, protected: &Protected, roots: &[PathBuf], look: &mut Look<'_>) {
        for Lead { goal, name } in look.around(&|folder| protected.listed_in(folder)) {
            let is_secret = protected.refuses_read(&name, roots) == Some(Protection::Credentials);
            if is_secret && goal.exists() && !goal.is_symlink() {
                self.hidden.push(goal.clone());
            }
            let why = protected.refuses_write(&name, roots);
            if leads_on(why) || why == Some(Protection::Own) {
                self.led.push((goal.clone(), name));
                self.goals.insert(goal);
            }
        }
    }

    /// Takes up one entry; a folder that is to be looked through comes back.
    fn look(
        &mut self,
        (protected, roots): (&Protected, &[PathBuf]),
        entry: &DirEntry,
        root: usize,
        look: &mut Look<'_>,
    ) -> std::io::Result<Option<PathBuf>> {
        let path = entry.path();
        let kind = entry.file_type()?;
        let unread = protected.refuses_read(&path, roots);
        let unwritten = protected.refuses_write(&path, roots);
        let is_on_the_way =
            unwritten == Some(Protection::Closed) && protected.leads_to_opened(&path, roots);
        let is_secret = matches!(unread, Some(Protection::Credentials | Protection::Closed));
        if is_secret && !is_on_the_way && !kind.is_symlink() {
            self.hidden.push(path.clone());
        }
        if kind.is_symlink() && unread == Some(Protection::Credentials) {
            let goal = path.canonicalize().ok();
            self.hidden
                .extend(goal.filter(|goal| is_inside(goal, roots)));
        }
        // By way of a link, what lies elsewhere under harmless names lies in a listed place, and
        // what was set aside acts under another name.
        let links_to_aside = || path.canonicalize().is_ok_and(|goal| is_set_aside(&goal));
        let links_to_listed =
            kind.is_symlink() && (protected.leads_to_listed(&path) || links_to_aside());
        if (unwritten.is_none() || is_on_the_way) && !links_to_listed {
            return Ok(kind.is_dir().then_some(path));
        }
        let above = path.parent();
        let above = above.and_then(|above| protected.refuses_write(above, roots));
        if look.left > 0 && leads_on(unwritten) && !leads_on(above) {
            let leads = look.from(&path);
            let folder = path.parent().unwrap_or(&path);
            if leads.iter().any(|lead| !lead.goal.starts_with(folder)) {
                self.anchored.push(path.clone());
            }
            for Lead { goal, .. } in leads {
                self.led.push((goal.clone(), path.clone()));
                self.goals.insert(goal);
            }
            self.is_cut |= look.left == 0;
        }
        self.found.push(Found::at(&path, root)?);
        // Keys may lie in a place that only must not change.
        let is_open = unread.is_none() && protected.may_hold_credentials(&path);
        Ok((kind.is_dir() && is_open).then_some(path))
    }

    /// What is gone hides nothing; and what is closed to this user although it is not its own was
    /// closed to the program, unless it may be written.
    fn miss(&mut self, folder: PathBuf, error: &std::io::Error) {
        let is_out_of_reach = match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => true,
            ErrorKind::PermissionDenied => access(&folder, Access::WRITE_OK).is_err(),
            _ => false,
        };
        if !is_out_of_reach {
            self.unseen.insert(folder);
        }
    }
}

/// Folders of our own user that were closed to it; closed again when this is dropped.
#[derive(Debug, Default)]
struct Doors(Vec<Door>);

#[derive(Debug)]
struct Door {
    path: PathBuf,
    identity: Identity,
    mode: u32,
}

impl Doors {
    /// Opens a folder that its own user may not list. A program of the same user may have closed
    /// it.
    fn open(&mut self, folder: &Path) {
        let wanted = Access::READ_OK | Access::EXEC_OK;
        if access(folder, wanted).is_ok() {
            return;
        }
        let Ok((held, door)) = hold(folder) else {
            return;
        };
        if set_mode(&held, door.mode | 0o500).is_ok() {
            self.0.push(door);
        }
    }
}

impl Drop for Doors {
    fn drop(&mut self) {
        // The deep ones first: the way to them leads through the others.
        for door in self.0.iter().rev() {
            let Ok((held, now)) = hold(&door.path) else {
                continue;
            };
            if now.identity == door.identity && now.mode == door.mode | 0o500 {
                // What cannot be closed again is open to its own user only.
                let _closed = set_mode(&held, door.mode);
            }
        }
    }
}

/// Holds a folder that cannot be opened otherwise; through no link.
fn hold(folder: &Path) -> rustix::io::Result<(OwnedFd, Door)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let about = fstat(&held)?;
    let door = Door {
        path: folder.to_path_buf(),
        identity: (about.st_dev, about.st_ino),
        mode: about.st_mode & 0o7777,
    };
    Ok((held, door))
}

/// Changes the mode of a folder that is held without being open.
pub(crate) fn set_mode(held: &OwnedFd, mode: u32) -> std::io::Result<()> {
    let itself = format!("/proc/self/fd/{}", held.as_raw_fd());
    fs::set_permissions(itself, Permissions::from_mode(mode))
}
