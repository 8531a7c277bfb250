//! Why the broker cannot start.

use domain::fault::Coded;
use std::path::PathBuf;

/// A reason not to start. What goes wrong later is an [`api::broker::Error`] or a decision.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user's manifest cannot be read.
    #[error("{} cannot be read: {source}", file.display())]
    ManifestUnreadable {
        /// The file.
        file: PathBuf,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// The user's manifest is too large.
    #[error("{} is larger than {limit} bytes", file.display())]
    ManifestTooLarge {
        /// The file.
        file: PathBuf,
        /// The limit, bytes.
        limit: u64,
    },
    /// A manifest says something that cannot be meant.
    #[error("{file}, line {line}: {problem}")]
    ManifestInvalid {
        /// The file, or `agents.yaml (shipped)`.
        file: String,
        /// The line, from 1; 0 when unknown.
        line: u64,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The executor's tool table cannot be used.
    #[error("the tool table cannot be used: {0}")]
    ToolTable(#[from] policy::table::TableError),
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::ManifestUnreadable { .. } => "broker.manifest_unreadable",
            Self::ManifestTooLarge { .. } => "broker.manifest_too_large",
            Self::ManifestInvalid { .. } => "broker.manifest_invalid",
            Self::ToolTable(_) => "broker.tool_table",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::ManifestUnreadable { .. } | Self::ManifestTooLarge { .. } => {
                "Correct the file or move it away; without it the shipped agent types are used."
            }
            Self::ManifestInvalid { .. } => {
                "Correct the line. `carl agents --shipped` prints the shipped file, with every key."
            }
            Self::ToolTable(_) => "This is a fault in a tool's definition; please report it.",
        }
        .to_owned()
    }
}
