//! What the broker is built with.

use domain::Timestamp;
use domain::limits::{CONFIRMATION_WAIT, FILE_TOOL_TIME};
use domain::tool::ToolSpec;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tells the time, UTC.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The broker's configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The user's home, absolute: what `~` stands for.
    pub home: PathBuf,
    /// Our own configuration, state and data folders, absolute, whether they exist or not.
    pub own_folders: Vec<PathBuf>,
    /// The user's agents.yaml; `None`: only the shipped types.
    pub agents_file: Option<PathBuf>,
    /// Hosts that a URL argument may name.
    pub egress_hosts: BTreeSet<String>,
    /// How long a question waits before silence means no.
    pub confirmation_wait: Duration,
    /// How long a tool may run.
    pub tool_time: Duration,
    /// Tools that whoever calls them runs ([`api::broker::ToolEvent::CallerRuns`]): what agents do to
    /// themselves and with other agents.
    pub caller_tools: Vec<ToolSpec>,
}

impl Config {
    /// The shipped agent types, no hosts, and the default limits.
    #[must_use]
    pub fn new(home: PathBuf, own_folders: Vec<PathBuf>) -> Self {
        Self {
            home,
            own_folders,
            agents_file: None,
            egress_hosts: BTreeSet::new(),
            confirmation_wait: CONFIRMATION_WAIT,
            tool_time: FILE_TOOL_TIME,
            caller_tools: Vec::new(),
        }
    }
}
