//! The form of the index of the session logs on disk.

use domain::Timestamp;
use domain::id::SessionId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which shape its entries have; a file of another is made anew.
pub(super) const SHAPE: u32 = 3;

/// A log as it was when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) bytes: u64,
    /// Seconds and nanoseconds since 1970.
    pub(super) modified: (i64, i64),
    pub(super) inode: u64,
    /// What is listed of it; `None` for a log without a whole event.
    pub(super) listed: Option<Listed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) title: String,
    pub(super) workspace: PathBuf,
    pub(super) created: Timestamp,
    pub(super) updated: Timestamp,
    pub(super) last_seq: u64,
    pub(super) forked_from: Option<(SessionId, u64)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) shape: u32,
    pub(super) logs: BTreeMap<SessionId, Entry>,
}
