//! What a file has besides content, owner and mode: who else may use it, and what others noted at it.

use api::executor::ToolFailure;
use api::failure::refused;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    Gid, Mode, Uid, XattrFlags, fchmod, fchown, fremovexattr, fsetxattr, fstat, getxattr,
    getxattr_query, listxattr, listxattr_query,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// The list of who may use a file beyond its mode.
const ACCESS_LIST: &str = "system.posix_acl_access";
/// What holds for a content that somebody vouched for: a changed file is not that any more, as it is
/// no set-id program.
const VOUCHED: [&str; 3] = ["security.capability", "security.ima", "security.evm"];
/// Tries of a reading that somebody else's change made too long.
const TRIES: usize = 4;

/// Who may use a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rights {
    /// Permission bits.
    pub(crate) mode: u32,
    /// Owner and group; `None` in records of older versions.
    #[serde(default)]
    pub(crate) owner: Option<(u32, u32)>,
}

/// Gives the file all that the old one has. Fails where something cannot be given.
pub(crate) fn keep(old: &OwnedFd, file: &OwnedFd) -> Result<(), Errno> {
    for name in names(old)? {
        if VOUCHED.contains(&name.as_str()) {
            continue;
        }
        let value = value(old, &name)?;
        if self::value(file, &name).as_ref() != Ok(&value) {
            fsetxattr(file, name.as_str(), &value, XattrFlags::empty())?;
        }
    }
    Ok(())
}

/// A file's mode where nothing but a mode is kept: with an access list its group bits are what the
/// list gives at most, to whomever, and without the list they would be the group's.
pub(crate) fn mode_alone(file: &OwnedFd, mode: u32) -> u32 {
    match value(file, ACCESS_LIST) {
        Ok(list) if !list.is_empty() => mode & !0o070,
        _ => mode,
    }
}

/// Gives a new file the rights of the one that it stands for. Where it cannot have the same group, its
/// group may do no more than everybody: it is another group, whose members could do nothing before.
pub(crate) fn give(file: &OwnedFd, rights: Rights) -> Result<(), Errno> {
    let same_group = match rights.owner {
        Some((owner, group)) => give_to(file, Uid::from_raw(owner), Gid::from_raw(group))?,
        None => false,
    };
    // What the folder gives to new files is not what this one had. A set-id bit is not among what is
    // given: a program that someone trusted to run as another user is not that program any more.
    drop_access_list(file)?;
    let mode = match same_group {
        true => rights.mode,
        false => without_group(rights.mode),
    };
    fchmod(file, Mode::from_raw_mode(mode))
}

/// Gives a file permission bits, also behind a descriptor that is for looking alone.
pub(crate) fn set_mode(file: &OwnedFd, mode: u32) -> Result<(), Errno> {
    rustix::fs::chmod(itself(file), Mode::from_raw_mode(mode))
}

/// Gives a file its owner and group as far as that goes; whether it has the group.
fn give_to(file: &OwnedFd, owner: Uid, group: Gid) -> Result<bool, Errno> {
    for owner in [Some(owner), None] {
        match fchown(file, owner, Some(group)) {
            Ok(()) => return Ok(true),
            // Not every user may give files away, and not every file system has owners.
            Err(Errno::PERM | Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(fstat(file)?.st_gid == group.as_raw())
}

/// A mode that gives the group what everybody has.
const fn without_group(mode: u32) -> u32 {
    mode & !(0o070 & !((mode & 0o007) << 3))
}

/// Takes away who may use a file beyond its mode.
fn drop_access_list(file: &OwnedFd) -> Result<(), Errno> {
    match fremovexattr(file, ACCESS_LIST) {
        // There is none, or the file system has no such lists.
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::INVAL) => Ok(()),
        other => other,
    }
}

pub(crate) fn lost(errno: Errno, shown: &str) -> ToolFailure {
    refused(
        "attributes_lost",
        format!(
            "`{shown}` stays as it is: it has rights or attributes beyond its mode (ACLs, extended \
             attributes) that a changed file could not be given ({errno}). Ask the user to change it."
        ),
    )
}

/// The file behind a descriptor, also behind one that is for looking alone.
fn itself(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn names(file: &OwnedFd) -> Result<Vec<String>, Errno> {
    let path = itself(file);
    let listed = read(|| listxattr_query(&path), |buffer| listxattr(&path, buffer));
    let listed = match listed {
        // A file system without attributes.
        Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
        other => other?,
    };
    let names = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect())
}

fn value(file: &OwnedFd, name: &str) -> Result<Vec<u8>, Errno> {
    let path = itself(file);
    read(
        || getxattr_query(&path, name),
        |buffer| getxattr(&path, name, buffer),
    )
}

/// Reads what may be longer each time.
fn read(
    query: impl Fn() -> Result<usize, Errno>,
    with: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    for _ in 0..TRIES {
        let mut buffer = vec![0; query()?];
        if buffer.is_empty() {
            return Ok(buffer);
        }
        match with(&mut buffer) {
            Err(Errno::RANGE) => {}
            Ok(count) => {
                buffer.truncate(count);
                return Ok(buffer);
            }
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::RANGE)
}

#[cfg(test)]
mod tests {
    use super::without_group;

    #[test]
    fn another_group_may_do_what_everybody_may() {
        for (mode, expected) in [
            (0o640, 0o600),
            (0o660, 0o600),
            (0o644, 0o644),
            (0o664, 0o644),
            (0o755, 0o755),
            (0o604, 0o604),
        ] {
            assert_eq!(without_group(mode), expected, "{mode:o}");
        }
    }
}
