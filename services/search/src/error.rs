//! Why the service does not start, and why a page was not read.

use api::search::{PageFailure, PageFault};
use domain::fault::Coded;
use std::io;
use std::path::PathBuf;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting makes no sense.
    #[error("{detail}")]
    Configuration {
        /// Which, and why.
        detail: String,
    },
    /// The folder of the cache cannot be made.
    #[error("the folder {} cannot be made", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Configuration { .. } => "search.configuration",
            Self::Folder { .. } => "search.folder",
            Self::Client(_) => "search.client",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Configuration { .. } => self.to_string(),
            Self::Folder { source, .. } => format!("{self}: {source}"),
            Self::Client(source) => format!("{self}: {source}"),
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::Configuration { .. } => "Correct `[search]` in the configuration.",
            Self::Folder { .. } => "Check the permissions of the folder above it.",
            Self::Client(_) => "Check the system's certificates; `carl doctor` says more.",
        }
        .to_owned()
    }
}

/// Why a page was not read, before it is known which was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: PageFault,
    pub(crate) detail: String,
}

impl Fault {
    /// A fault with words of its own.
    pub(crate) fn new(kind: PageFault, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }

    /// A blocked address. Which address it was is not told: names of private hosts are nobody's.
    pub(crate) fn blocked(why: &str) -> Self {
        Self::new(PageFault::Blocked, format!("blocked address: {why}"))
    }

    /// It did not come in time.
    pub(crate) fn timeout(what: &str) -> Self {
        Self::new(
            PageFault::Timeout,
            format!("[tool unavailable] the page took too long: {what}"),
        )
    }

    /// The fault as an answer about an address.
    pub(crate) fn about(self, url: &str) -> PageFailure {
        PageFailure {
            url: url.to_owned(),
            fault: self.kind,
            detail: self.detail,
        }
    }
}
