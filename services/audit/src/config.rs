//! What the audit log is opened with.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The audit log's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The folder the log lives in, absolute. Made when missing, for the user alone.
    pub folder: PathBuf,
    /// The folder of the keys that sign checkpoints, absolute and outside of `folder`, so that a
    /// copy of the log is not a copy of the key. Made when missing, for the user alone.
    pub keys: PathBuf,
    /// A segment that has reached this size is closed and the next one begun, bytes.
    pub segment_bytes: u64,
    /// The longest that a record which need not be durable at once stays in the system's memory.
    pub group_commit: Duration,
    /// A checkpoint is signed after this many records at the latest.
    pub checkpoint_records: u64,
    /// A checkpoint is signed this long after the first record it covers at the latest.
    pub checkpoint_every: Duration,
}

impl Config {
    /// With the usual sizes and times.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, keys: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keys: keys.into(),
            segment_bytes: 16 << 20,
            group_commit: Duration::from_millis(100),
            checkpoint_records: 4_096,
            checkpoint_every: Duration::from_secs(10),
        }
    }
}

/// Signed checkpoints, as text.
pub(crate) fn checkpoints(folder: &Path) -> PathBuf {
    folder.join("checkpoints")
}

/// Where the next start may begin to look at the newest segment.
pub(crate) fn mark(folder: &Path) -> PathBuf {
    folder.join("mark")
}

/// The lock of the one writer.
pub(crate) fn lock(folder: &Path) -> PathBuf {
    folder.join("lock")
}

/// The public key of a log that is closed.
pub(crate) fn public_key(folder: &Path) -> PathBuf {
    folder.join("public-key")
}
