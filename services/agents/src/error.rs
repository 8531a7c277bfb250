//! Why the service cannot start.

use domain::fault::Coded;
use std::path::PathBuf;

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder for session logs cannot be made.
    #[error("the folder for session logs, {folder}, cannot be made: {source}")]
    Folder {
        /// Which.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A number in the configuration makes no sense.
    #[error("{0}")]
    Configuration(String),
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "agents.folder",
            Self::Configuration(_) => "agents.configuration",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Folder { .. } => "Check the permissions of the folder above it.",
            Self::Configuration(_) => "Correct it in the configuration file.",
        }
        .to_owned()
    }
}
