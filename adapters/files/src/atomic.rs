//! Writing a file so that others see the old content or the new, never a part.

use crate::attributes::{self, Rights};
use crate::beneath::{Found, Spot};
use crate::context::{Leash, Leashed};
use crate::failure::{from_errno, from_io};
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::hash::Digest;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};

/// Mode of a file that did not exist before, less what the umask takes.
const NEW_FILE: u32 = 0o644;
/// Bytes moved at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// What must be at the place when the new content takes it.
pub(crate) enum Expect<'a> {
    /// Nothing; the file gets these rights, or the usual ones.
    Absent(Option<Rights>),
    /// The file that was looked at, unchanged; its mode, owner and attributes are kept.
    Same(&'a Found),
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
}

/// Whether two looks saw the same file with the same content, as far as its metadata tells.
pub(crate) fn is_same(one: &Stat, two: &Stat) -> bool {
    (one.st_dev, one.st_ino, one.st_size) == (two.st_dev, two.st_ino, two.st_size)
        && (one.st_mtime, one.st_mtime_nsec) == (two.st_mtime, two.st_mtime_nsec)
}

/// Puts the content at the spot: a temporary file in the same folder, synced, then renamed. On
/// any failure the temporary file is gone and the place is as it was.
pub(crate) fn put(
    spot: &Spot,
    content: &mut dyn Read,
    expect: Expect<'_>,
    leash: &Leash,
    shown: &str,
) -> Result<Written, ToolFailure> {
    let fault = |errno| from_errno(errno, shown);
    let mode = match &expect {
        Expect::Absent(None) => NEW_FILE,
        Expect::Absent(Some(_)) | Expect::Same(_) => 0o600,
    };
    let temporary = Temporary::make(&spot.parent, mode).map_err(fault)?;
    let mut file = File::from(temporary.file.try_clone().map_err(|e| from_io(&e, shown))?);
    let mut reader = Leashed {
        leash,
        inner: content,
    };
    let written = copy(&mut reader, &mut file, leash, shown)?;
    if let Expect::Same(old) = &expect {
        let (mode, owner) = (
            old.stat.st_mode & 0o1777,
            (old.stat.st_uid, old.stat.st_gid),
        );
        let rights = Rights {
            mode,
            owner: Some(owner),
        };
        attributes::give(&temporary.file, rights).map_err(fault)?;
        attributes::keep(&old.fd, &temporary.file)
            .map_err(|errno| attributes::lost(errno, shown))?;
    }
    if let Expect::Absent(Some(rights)) = &expect {
        let mode = rights.mode & 0o777;
        attributes::give(&temporary.file, Rights { mode, ..*rights }).map_err(fault)?;
    }
    file.sync_all().map_err(|e| from_io(&e, shown))?;
    leash.check()?;
    match expect {
        Expect::Absent(_) => temporary.take_free_place(spot).map_err(fault)?,
        Expect::Same(old) => {
            let now = rustix::fs::statat(&spot.parent, &spot.name, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(fault)?;
            if !is_same(&now, &old.stat) {
                return Err(changed_meanwhile(shown));
            }
            temporary.take_place(spot).map_err(fault)?;
        }
    }
    sync_folder(&spot.parent).map_err(fault)?;
    Ok(written)
}

pub(crate) fn changed_meanwhile(shown: &str) -> ToolFailure {
    mendable(
        "changed_meanwhile",
        format!("`{shown}` was changed by someone else meanwhile. Read it again, then retry."),
    )
}

/// Copies and digests.
pub(crate) fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    leash: &Leash,
    shown: &str,
) -> Result<Written, ToolFailure> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut bytes = 0;
    loop {
        leash.check()?;
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(from_io(&error, shown)),
        };
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count])
            .map_err(|e| from_io(&e, shown))?;
        bytes += count as u64;
    }
    Ok(Written {
        digest: Digest::from_bytes(*hasher.finalize().as_bytes()),
        bytes,
    })
}

/// Makes a folder's entries durable.
pub(crate) fn sync_folder(folder: &OwnedFd) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".", flags, Mode::empty()) {
        Ok(open) => match rustix::fs::fsync(open) {
            // Some file systems cannot sync a folder and need not.
            Err(Errno::INVAL) => Ok(()),
            other => other,
        },
        // A folder that may be entered but not listed cannot be synced by us.
        Err(Errno::ACCESS) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// A new file that removes itself unless it takes its place.
struct Temporary<'a> {
    folder: &'a OwnedFd,
    name: Option<String>,
    file: OwnedFd,
}

impl<'a> Temporary<'a> {
    fn make(folder: &'a OwnedFd, mode: u32) -> Result<Self, Errno> {
        let name = format!(".carl-{}.tmp", uuid::Uuid::now_v7().simple());
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(mode))?;
        Ok(Self {
            folder,
            name: Some(name),
            file,
        })
    }

    /// Takes a place that something holds; a link there is replaced, never followed.
    fn take_place(mut self, spot: &Spot) -> Result<(), Errno> {
        if let Some(name) = &self.name {
            rustix::fs::renameat(self.folder, name, &spot.parent, &spot.name)?;
            self.name = None;
        }
        Ok(())
    }

    /// Takes a place that must be free.
    fn take_free_place(mut self, spot: &Spot) -> Result<(), Errno> {
        if let Some(name) = &self.name {
            match rename_to_free(self.folder, name, spot) {
                // A file system without that rename; a hard link refuses a taken name just as well.
                Err(Errno::INVAL) => rustix::fs::linkat(
                    self.folder,
                    name,
                    &spot.parent,
                    &spot.name,
                    AtFlags::empty(),
                ),
                Ok(()) => {
                    self.name = None;
                    Ok(())
                }
                other => other,
            }?;
        }
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing more can be done about a file that will not go.
            let _ = rustix::fs::unlinkat(self.folder, name, AtFlags::empty());
        }
    }
}

/// Renames; fails when the new name is taken.
pub(crate) fn rename_to_free(
    folder: &OwnedFd,
    name: impl rustix::path::Arg,
    to: &Spot,
) -> Result<(), Errno> {
    rustix::fs::renameat_with(folder, name, &to.parent, &to.name, RenameFlags::NOREPLACE)
}
