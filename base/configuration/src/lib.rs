//! Configuration from a file and the environment: read, with where each value is from.
//!
//! What it is: what any program does that takes its configuration from a TOML file and from variables,
//! and owes its user the line, the variable and the nearest right key of each mistake.
//! What it owns: the wording of such mistakes, and that no line about a key or token is shown again.
//! What it never does: know a key, a program's name or a default.
//! Where to start: [`parse_toml`] for a file, [`Variables`] for the environment.

mod lines;
mod parse;
mod variables;

pub use parse::{FILE_BYTES, hint, nearest, parse_toml};
pub use variables::{Variables, flattened};

/// What is wrong, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Where and what.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Error {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
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
