//! A folder that a program has to itself, and the environment that goes with it.

use api::executor::ToolFailure;
use api::failure::broken;
use api::sandbox::Scratch;
use rustix::fs::{
    AtFlags, Dir, FlockOperation, Mode, OFlags, ResolveFlags, flock, fstat, openat2, unlinkat,
};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use uuid::Uuid;

/// How the name of a folder begins; an id follows.
const PREFIX: &str = "carl-run-";
/// Younger folders are left alone: whoever made one may not hold it yet.
const SETTLED: Duration = Duration::from_secs(60);

/// Where programs are looked for.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// An empty folder; gone when this is dropped. Of a process that was killed it stays, until
/// [`sweep`].
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    pub(crate) folder: PathBuf,
    /// Locked for as long as this process lives, however it ends.
    _held: OwnedFd,
}

impl ScratchFolder {
    pub(crate) fn new() -> Result<Self, ToolFailure> {
        Self::within(&std::env::temp_dir()).map_err(|error| {
            let message = format!("No scratch folder can be made: {error}.");
            broken("no_scratch", message)
        })
    }

    fn within(parent: &Path) -> std::io::Result<Self> {
        let folder = parent.join(format!("{PREFIX}{}", Uuid::now_v7()));
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let held = open(&folder)?;
        flock(&held, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self {
            folder,
            _held: held,
        })
    }

    /// The folder with these files in it.
    pub(crate) fn with(&self, files: BTreeMap<PathBuf, Vec<u8>>) -> Option<Scratch> {
        self.with_links(files, BTreeMap::new())
    }

    /// The folder with these files and links in it.
    pub(crate) fn with_links(
        &self,
        files: BTreeMap<PathBuf, Vec<u8>>,
        links: BTreeMap<PathBuf, PathBuf>,
    ) -> Option<Scratch> {
        Some(Scratch {
            folder: self.folder.clone(),
            files,
            links,
        })
    }

    /// The whole environment: nothing of the user's own, and nothing that makes a program load or
    /// trust something else.
    pub(crate) fn environment(&self, programs: &[PathBuf]) -> BTreeMap<String, String> {
        let mut path: Vec<String> = programs.iter().map(|p| text_of(p)).collect();
        path.push(PROGRAMS.to_owned());
        let own = text_of(&self.folder);
        let list = [
            ("PATH", path.join(":")),
            ("HOME", own.clone()),
            ("TMPDIR", own),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
        ];
        list.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

fn open(folder: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::empty())
}

/// Removes the folders that killed processes of this user left in `parent`; how many. A folder is
/// theirs when its name, owner and mode say so, it is settled, and nobody holds it.
pub(crate) fn sweep(parent: &Path, now: SystemTime) -> usize {
    let Ok(entries) = fs::read_dir(parent) else {
        return 0;
    };
    let left = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        id.is_some_and(|id| Uuid::parse_str(id).is_ok())
    });
    left.filter(|entry| remove_if_left(&entry.path(), now))
        .count()
}

fn remove_if_left(folder: &Path, now: SystemTime) -> bool {
    let Ok(held) = open(folder) else {
        // A link, no folder, or not ours to look into.
        return false;
    };
    let Ok(about) = fstat(&held) else {
        return false;
    };
    let is_own = about.st_uid == rustix::process::geteuid().as_raw();
    let is_private = about.st_mode & 0o7777 == 0o700;
    let changed = u64::try_from(about.st_mtime).unwrap_or(0);
    let is_settled = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .is_ok_and(|now| now.as_secs() >= changed.saturating_add(SETTLED.as_secs()));
    is_own
        && is_private
        && is_settled
        && flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok()
        && remove(folder).is_ok()
}

/// Opens a folder right below another. Refused are links, and whatever is mounted there.
fn below<P: rustix::path::Arg>(parent: impl AsFd, name: P) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    openat2(parent, name, flags, Mode::empty(), resolve)
}

/// Removes a folder with what is in it. It follows no link and enters no mount: what someone mounted
/// inside is not ours, stays as it is, and the folder stays with it.
fn remove(folder: &Path) -> rustix::io::Result<()> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(Errno::INVAL);
    };
    let parent = open(parent)?;
    empty(&below(&parent, name)?)?;
    unlinkat(&parent, name, AtFlags::REMOVEDIR)
}

fn empty(folder: &OwnedFd) -> rustix::io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name: &CStr = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match remove_below(folder, name) {
            // Someone else was faster.
            Err(Errno::NOENT) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes what stands right below a folder, with what is in it. Follows no link, enters no mount.
fn remove_below<P>(folder: impl AsFd, name: P) -> rustix::io::Result<()>
where
    P: rustix::path::Arg + Copy,
{
    match unlinkat(&folder, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {
            empty(&below(&folder, name)?)?;
            unlinkat(&folder, name, AtFlags::REMOVEDIR)
        }
        other => other,
    }
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // What cannot be removed lies in the machine's own folder for such things.
        let _removed = remove(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_the_dead_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let later = SystemTime::now() + SETTLED + Duration::from_secs(2);
        let alive = ScratchFolder::within(parent.path()).unwrap();
        let dead = at(&format!("{PREFIX}{}", Uuid::now_v7()));
        fs::DirBuilder::new().mode(0o700).create(&dead).unwrap();
        fs::write(dead.join("left"), "x").unwrap();
        fs::create_dir(at("precious")).unwrap();
        fs::write(at("precious/file"), "x").unwrap();
        symlink(at("precious"), dead.join("link")).unwrap();
        symlink(at("precious"), at(&format!("{PREFIX}{}", Uuid::now_v7()))).unwrap();
        fs::create_dir(at("carl-run-mine")).unwrap();
        let open_to_all = at(&format!("{PREFIX}{}", Uuid::now_v7()));
        fs::create_dir(&open_to_all).unwrap();
        fs::set_permissions(&open_to_all, fs::Permissions::from_mode(0o755)).unwrap();
        let before = names(parent.path());
        assert_eq!(sweep(parent.path(), SystemTime::now()), 0, "not settled");
        assert_eq!(names(parent.path()), before);
        assert_eq!(sweep(parent.path(), later), 1);
        assert!(!dead.exists() && alive.folder.exists());
        assert_eq!(names(parent.path()).len(), before.len() - 1);
        assert!(at("precious/file").exists());
        let folder = alive.folder.clone();
        drop(alive);
        assert!(!folder.exists());
    }

    /// Where the test below finds its folder once it runs where it may mount.
    const MOUNTED_BELOW: &str = "HOUSECARL_TEST_MOUNTED_BELOW";

    #[test]
    fn what_is_mounted_inside_is_not_removed() {
        // Without rights to mount: a mount that every system has.
        let root = open(Path::new("/")).unwrap();
        assert_eq!(below(&root, "proc").unwrap_err(), Errno::XDEV);
        if let Some(parent) = std::env::var_os(MOUNTED_BELOW) {
            let later = SystemTime::now() + SETTLED + Duration::from_secs(2);
            assert_eq!(sweep(Path::new(&parent), later), 0);
            return;
        }
        let parent = tempfile::tempdir().unwrap();
        let precious = tempfile::tempdir().unwrap();
        fs::write(precious.path().join("file"), "x").unwrap();
        let dead = parent.path().join(format!("{PREFIX}{}", Uuid::now_v7()));
        fs::DirBuilder::new().mode(0o700).create(&dead).unwrap();
        fs::create_dir(dead.join("sub")).unwrap();
        let mounting = |then: &str| {
            let script = format!("mount --bind \"$1\" \"$2\" && {then}");
            std::process::Command::new("unshare")
                .args(["--map-root-user", "--mount", "sh", "-c", &script, "sh"])
                .args([precious.path(), &dead.join("sub")])
                .arg(std::env::current_exe().unwrap())
                .env(MOUNTED_BELOW, parent.path())
                .status()
                .is_ok_and(|status| status.success())
        };
        if mounting("true") {
            assert!(mounting("exec \"$3\" what_is_mounted_inside --nocapture"));
        }
        assert!(precious.path().join("file").exists());
    }
}
