//! What the audit log is opened with.

use std::path::PathBuf;

/// The audit log's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The folder the log lives in, absolute. Made when missing, for the user alone.
    pub folder: PathBuf,
}

impl Config {
    /// The log file.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join("audit.jsonl")
    }
}
