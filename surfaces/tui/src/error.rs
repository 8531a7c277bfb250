//! What can end the terminal UI.

use domain::fault::Coded;
use std::io;

/// Why the UI could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal cannot be used.
    #[error("the terminal cannot be {what}: {source}")]
    Terminal {
        /// What was tried: `read`, `written`, `set up`.
        what: &'static str,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The session cannot be read.
    #[error("the session cannot be read: {0}")]
    Session(#[from] api::sessions::Error),
}

impl Error {
    /// Says of an error what was tried.
    pub(crate) const fn of(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Terminal { what, source }
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Terminal { .. } => "carl.failed",
            Self::Session(error) => error.code(),
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Terminal { .. } => "Use line mode: carl chat".to_owned(),
            Self::Session(error) => error.hint(),
        }
    }
}
