//! What the observers are built with.

use domain::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tells the time, UTC. A value, so that tests choose it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How long nobody must have asked anything before a model is asked what a question was about.
const IDLE: Duration = Duration::from_secs(20);

/// What capture needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the notes of open requests live, absolute. Made with mode 0700 when it is not there.
    pub folder: PathBuf,
    /// Whether a model on a server is asked, when the house is idle, what questions were about.
    pub understand: bool,
    /// How long nobody must have asked anything before that.
    pub idle: Duration,
}

impl Config {
    /// The usual, with notes in `folder`.
    #[must_use]
    pub const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            understand: true,
            idle: IDLE,
        }
    }
}
