//! Why the tools cannot start.

use domain::fault::Coded;
use domain::tool::ToolName;
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
    /// Two tools have one name, so that a call would be for either.
    #[error("there are two tools named `{tool}`")]
    TwoTools {
        /// The name.
        tool: ToolName,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::UndoFolder { .. } => "tools.undo_folder",
            Self::Proc { .. } => "tools.proc",
            Self::TwoTools { .. } => "tools.two_tools",
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
            Self::TwoTools { .. } => "Give one of them another name.",
        }
        .to_owned()
    }
}
