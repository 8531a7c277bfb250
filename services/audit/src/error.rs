//! Why the audit log cannot be opened or read.

use domain::fault::Coded;
use std::path::PathBuf;

/// A reason not to start, or not to show records. A failed append is an [`api::audit::Error`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder or file cannot be made, opened or read.
    #[error("the audit log {} cannot be {doing}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What was tried: `opened`, `read`, `cut`.
        doing: &'static str,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// Another process writes it.
    #[error("the audit log {} is in use by another process", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A whole line is not a record.
    #[error("the audit log {} is damaged in line {line}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1; 0 for the last one.
        line: u64,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "audit.io",
            Self::Locked { .. } => "audit.locked",
            Self::Damaged { .. } => "audit.damaged",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Io { .. } => "Check free space and permissions of the folder.",
            Self::Locked { .. } => "Stop the other `carl`, or attach to it.",
            Self::Damaged { .. } => {
                "Keep the file for inspection: move it away, then start again with a fresh log."
            }
        }
        .to_owned()
    }
}
