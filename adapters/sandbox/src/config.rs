//! How the sandbox is set up.

use std::ffi::OsString;
use std::path::PathBuf;

/// The argument that turns the program into the inside of the sandbox.
pub const ENTRY: &str = "__sandbox";

/// Which program becomes the inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The program; it must call [`crate::inside::enter`] when its first argument is
    /// [`crate::inside::ENTRY`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Default for Config {
    /// This very program, also after its file was replaced.
    fn default() -> Self {
        Self {
            program: PathBuf::from("/proc/self/exe"),
            arguments: vec![OsString::from(ENTRY)],
        }
    }
}
