//! What something is known by besides its name: names are given to other things.

use crate::atomic;
use crate::beneath::{Found, Place};
use crate::context::Leash;
use api::executor::ToolFailure;
use domain::hash::Digest;
use domain::limits::FILE_READ_BYTES;
use rustix::fs::{AtFlags, FileType, StatxFlags};
use serde::{Deserialize, Serialize};
use std::io;

/// The object itself and, of a file that is not too large to read whole, its content: an editor
/// that saves makes a new file of the same content, and undo does as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    inode: u64,
    /// Seconds and nanoseconds of its birth, where the file system keeps that: an inode's number is
    /// given again once it is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<(i64, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<Digest>,
}

impl Identity {
    /// The identity of what was found at a place.
    pub(crate) fn of(place: &Place<'_>, found: &Found, leash: &Leash) -> Result<Self, ToolFailure> {
        leash.check()?;
        Ok(Self {
            content: content(place, found, leash),
            ..Self::without_content(found)
        })
    }

    /// Whether it is what was found at a place now.
    pub(crate) fn is(&self, place: &Place<'_>, found: &Found, leash: &Leash) -> bool {
        let now = Self::without_content(found);
        let is_object = (self.inode, self.born) == (now.inode, now.born);
        is_object || self.content.is_some() && self.content == content(place, found, leash)
    }

    fn without_content(found: &Found) -> Self {
        let flags = AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW;
        let told = rustix::fs::statx(&found.fd, "", flags, StatxFlags::BTIME);
        let told = told.ok().filter(|told| {
            let known = StatxFlags::from_bits_retain(told.stx_mask);
            known.contains(StatxFlags::BTIME)
        });
        Self {
            inode: found.stat.st_ino,
            born: told.map(|told| (told.stx_btime.tv_sec, told.stx_btime.tv_nsec)),
            content: None,
        }
    }
}

/// The digest of a file's content; `None` where it is no file, too large, or not to be read.
fn content(place: &Place<'_>, found: &Found, leash: &Leash) -> Option<Digest> {
    if found.kind != FileType::RegularFile || found.bytes() > FILE_READ_BYTES {
        return None;
    }
    let mut file = place.open(found).ok()?;
    let copied = atomic::copy(&mut file, &mut io::sink(), leash, &place.shown);
    copied.ok().map(|copied| copied.digest)
}
