//! What files hold once the steps of a plan before a given one are done, so that its change can be
//! shown before any of them runs.

use crate::found::Found;
use rustix::fs::FileType;
use std::collections::HashMap;

/// A file as the file system tells it apart: device and inode.
type Identity = (u64, u64);

/// The contents that earlier steps leave behind, in memory alone.
#[derive(Debug, Default, Clone)]
pub(crate) struct Contents(HashMap<Identity, Vec<u8>>);

impl Contents {
    /// What a file holds by then; `None` where it is as it is on disk.
    pub(crate) fn of(&self, file: &Found) -> Option<&[u8]> {
        self.0.get(&identity(file)?).map(Vec::as_slice)
    }

    /// Notes that a step leaves this in a file.
    pub(crate) fn put(&mut self, file: &Found, content: Vec<u8>) {
        if let Some(identity) = identity(file) {
            self.0.insert(identity, content);
        }
    }

    /// Takes over what a later step leaves.
    pub(crate) fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

/// `None` for a file with several names: a change of one leaves the others as they are.
fn identity(file: &Found) -> Option<Identity> {
    let is_single = file.kind == FileType::RegularFile && file.stat.st_nlink == 1;
    is_single.then_some((file.stat.st_dev, file.stat.st_ino))
}
