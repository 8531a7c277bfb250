//! What the drive is built with: its limits, when to be quiet, and the adapters it hears by.

use api::signals::{Notifier, Source, Watcher};
use std::path::PathBuf;
use std::sync::Arc;
use turn::drive::{Limits, Prices, QuietHours};

/// How sessions in auto mode go on by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// How much they may do.
    pub limits: Limits,
    /// When nobody is told anything; `None`: only while the screen is locked.
    pub quiet_hours: Option<QuietHours>,
    /// Files and folders that are watched, absolute or within the session's folder.
    pub watch: Vec<PathBuf>,
    /// What providers cost.
    pub prices: Prices,
}

/// The adapters that the drive hears by and tells by. Each may be missing.
#[derive(Clone, Default)]
pub struct Senses {
    /// Watches files.
    pub watcher: Option<Arc<dyn Watcher>>,
    /// What is there for every session alike.
    pub sources: Vec<Arc<dyn Source>>,
    /// The ends of background jobs. Heard in every mode, so that each is on record and the user
    /// sees it; only a session in auto mode acts on it.
    pub jobs: Option<Arc<dyn Source>>,
    /// Tells the user.
    pub notifier: Option<Arc<dyn Notifier>>,
}
