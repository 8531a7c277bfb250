//! What was reached by a path.

use api::executor::ToolFailure;
use api::failure::mendable;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

/// An object that was reached, as a descriptor that allows looking only.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) fd: OwnedFd,
    pub(crate) stat: Stat,
    pub(crate) kind: FileType,
}

impl Found {
    pub(crate) fn of(fd: OwnedFd) -> Result<Self, Errno> {
        let stat = rustix::fs::fstat(&fd)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        Ok(Self { fd, stat, kind })
    }

    /// Its size, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }
}

pub(crate) fn not_a_file(kind: FileType, shown: &str) -> ToolFailure {
    let what = match kind {
        FileType::Directory => {
            return mendable(
                "is_a_folder",
                format!("`{shown}` is a folder. Use list_files to see what is in it."),
            );
        }
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a link",
        _ => "not a regular file",
    };
    mendable(
        "not_a_file",
        format!("`{shown}` is {what}; only regular files can be used."),
    )
}
