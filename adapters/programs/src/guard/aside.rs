//! Setting a protected place aside: giving it a name that nothing acts on, and knowing it again.

use super::places::{Identity, set_mode};
use protected::{ASIDE, ASIDE_DIGITS, ASIDE_KEYS};
use rustix::fs::{FileType, Mode, OFlags, RenameFlags, fstat, openat, renameat_with};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// How often a name is drawn until one is free.
const TRIES: u32 = 4;
/// Numbers are drawn below this.
const NUMBERS: u128 = 10_u128.pow(ASIDE_DIGITS as u32);
/// What follows the number where there is no room for the first name.
const NAMELESS: &str = "-place";

/// What this process has set aside, by its identity: a program gives such a name itself.
static DONE: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// Whether a place was set aside, or lies in one that was. One that was given its old name back by a
/// program that still ran is not.
pub(crate) fn holds(place: &Path) -> bool {
    let done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_named = |path: &&Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(ASIDE)
    };
    let mut named = place.ancestors().filter(is_named);
    named.any(|path| {
        let about = path.symlink_metadata();
        about.is_ok_and(|about| done.contains(&(about.dev(), about.ino())))
    })
}

/// Takes every right to a place away, where it cannot be given another name: a full disk, say. Says
/// whether that was done.
pub(crate) fn close(above: impl AsFd, name: &OsStr, identity: Identity) -> bool {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(held) = openat(above, name, flags, Mode::empty()) else {
        return false;
    };
    let is_it = fstat(&held).is_ok_and(|about| {
        let is_link = FileType::from_raw_mode(about.st_mode).is_symlink();
        (about.st_dev, about.st_ino) == identity && !is_link
    });
    is_it && set_mode(&held, 0).is_ok()
}

/// Gives a place a name beside it that is no protected one. Its number is drawn: what a program knows
/// beforehand it can take, or have a link lead to.
pub(crate) fn rename(
    above: impl AsFd,
    name: &OsStr,
    (identity, holds_keys): (Identity, bool),
) -> Result<String, Errno> {
    let plain = name.to_string_lossy().replace('.', "_");
    let plain = format!("-{}", plain.trim_matches('_'));
    let (plain, nameless) = match holds_keys {
        true => (ASIDE_KEYS, ASIDE_KEYS),
        false => (plain.as_str(), NAMELESS),
    };
    // The end of such an id is drawn, and the beginning is the time.
    let draw = || Uuid::now_v7().as_u128() % NUMBERS;
    let names = [plain, nameless].into_iter().flat_map(|rest| {
        (0..TRIES).map(move |_| format!("{ASIDE}{:0ASIDE_DIGITS$}{rest}", draw()))
    });
    for aside in names {
        match renameat_with(&above, name, &above, &aside, RenameFlags::NOREPLACE) {
            Ok(()) => {
                let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
                done.insert(identity);
                return Ok(aside);
            }
            Err(Errno::EXIST | Errno::NAMETOOLONG) => {}
            Err(other) => return Err(other),
        }
    }
    Err(Errno::EXIST)
}
