//! What the tools are built with: values, no defaults. `bin/carl` reads them from the configuration;
//! defaults stand in `contracts/domain/src/limits.rs`.

use api::checkpoints::Checkpoints;
use api::sandbox::Sandbox;
use protected::Protected;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the tools that run programs are built with.
#[derive(Clone)]
pub struct Config {
    /// Runs the programs.
    pub sandbox: Arc<dyn Sandbox>,
    /// The user's home, where programming languages may be installed.
    pub home: PathBuf,
    /// The program that reads documents and source files: it must call `read_document_entry` when its
    /// first argument is `READER_ENTRY`, and `read_sources_entry` when that is `SOURCES_ENTRY`.
    pub reader: PathBuf,
    /// Longest a program may run where its call does not say.
    pub program_time: Duration,
    /// Whether no program gets a network: packages cannot be fetched then.
    pub air_gap: bool,
    /// The places that are kept from programs.
    pub protected: Protected,
    /// Where what programs change is noted, so that undo takes it back; `None`: nowhere.
    pub checkpoints: Option<Arc<dyn Checkpoints>>,
    /// Housecarl's own folders, which no program sees.
    pub own_folders: Vec<PathBuf>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("home", &self.home)
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}
