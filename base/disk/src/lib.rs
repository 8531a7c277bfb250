//! Files and folders of the user's, made, replaced, locked and read in one way.
//!
//! What it is: what every crate does that keeps something on disk, or reads what somebody else may
//! have put there.
//! What it owns: the rights of private files and folders, how a file is replaced as a whole, how one
//! process keeps others away, and what is read of a file that may be a link, a pipe or without end.
//! What it never does: know a noun of ours, choose a place or a format.
//! Where to start: [`private`] to write, [`read`] to read, [`ancestry`] for files that only count
//! where nobody else can write, [`stored`] for names that a user typed.

pub mod ancestry;
pub mod private;
pub mod read;
pub mod stored;

use std::fmt;
use std::io;

/// What could not be done, with the file it concerns. `{:#}` shows the cause as well.
#[derive(Debug)]
pub struct Error {
    what: String,
    source: Option<io::Error>,
}

impl Error {
    fn new(what: String) -> Self {
        Self { what, source: None }
    }

    fn of(what: String, source: impl Into<io::Error>) -> Self {
        Self {
            what,
            source: Some(source.into()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) if f.alternate() => write!(f, "{}: {source}", self.what),
            _ => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
