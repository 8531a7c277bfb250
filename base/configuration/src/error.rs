//! A mistake in a configuration.

/// What is wrong, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Where and what.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
