//! Why the tools cannot start.

use domain::fault::Coded;
use std::path::PathBuf;

/// Why the tools cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The undo folder cannot be made or used.
    #[error("the undo folder {folder} cannot be used: {source}")]
    UndoFolder {
        /// Which.
        folder: PathBuf,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// `/proc` is not there, so no descriptor can be checked.
    #[error("the file tools need /proc/self/fd: {source}")]
    Proc {
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::UndoFolder { .. } => "tools.undo_folder",
            Self::Proc { .. } => "tools.proc",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::UndoFolder { .. } => {
                "Make the folder writable for you, or make room on its disk."
            }
            Self::Proc { .. } => "Mount /proc; in a container, leave the default /proc in place.",
        }
        .to_owned()
    }
}
