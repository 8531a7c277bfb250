//! What a file has besides content, owner and mode: who else may use it, and what others noted at it.

use api::executor::ToolFailure;
use api::failure::refused;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    XattrFlags, fremovexattr, fsetxattr, getxattr, getxattr_query, listxattr, listxattr_query,
};
use rustix::io::Errno;

/// The list of who may use a file beyond its mode.
const ACCESS_LIST: &str = "system.posix_acl_access";
/// What holds for a content that somebody vouched for: a changed file is not that any more, as it is
/// no set-id program.
const VOUCHED: [&str; 3] = ["security.capability", "security.ima", "security.evm"];
/// Tries of a reading that somebody else's change made too long.
const TRIES: usize = 4;

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

/// Takes away who may use a file beyond its mode.
pub(crate) fn drop_access_list(file: &OwnedFd) -> Result<(), Errno> {
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
