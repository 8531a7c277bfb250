//! What the tools are built with.

use domain::limits::UNDO_BYTES;
use std::path::PathBuf;

/// Where undo copies live and which folders are ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Folder for undo histories, one folder a session below it. Made with mode 0700 when missing;
    /// no tool can reach it.
    pub undo_folder: PathBuf,
    /// Housecarl's own configuration, state and data folders, absolute: no tool reads or writes
    /// beneath them, or moves a folder that holds them.
    pub own_folders: Vec<PathBuf>,
    /// The user's home, absolute: names in it that begin with a dot are closed until they are
    /// opened by name.
    pub home: PathBuf,
    /// Most bytes of undo copies a session keeps.
    pub undo_bytes: u64,
}

impl Config {
    /// The usual limits.
    #[must_use]
    pub fn new(undo_folder: PathBuf, own_folders: Vec<PathBuf>, home: PathBuf) -> Self {
        Self {
            undo_folder,
            own_folders,
            home,
            undo_bytes: UNDO_BYTES,
        }
    }
}
