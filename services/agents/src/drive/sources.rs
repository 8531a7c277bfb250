//! What a session in auto mode hears by: adapters, the ends of jobs, and files that are watched.

use crate::drive::settings::Senses;
use api::signals::{Error, Watcher};
use domain::drive::Signal;
use domain::fault::Fault;
use domain::id::SessionId;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use std::path::{Path, PathBuf};

/// What one adapter reports.
pub(super) type Outside = BoxStream<'static, Result<Signal, Error>>;

/// Why something that may wake a session is not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceError {
    /// An adapter has nothing to report.
    Unavailable,
    /// Nobody tells of jobs.
    Jobs,
    /// A path is not watched.
    Unwatched,
}

impl SourceError {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Unavailable | Self::Jobs => "drive.deaf",
            Self::Unwatched => "drive.unwatched",
        }
    }

    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::Unavailable => {
                "The session goes on without it. Mend it, and switch auto mode off and on again."
            }
            Self::Jobs => "It is tried again until it answers; `job_output` asks about a job.",
            Self::Unwatched => {
                "Everything else is watched. Mend `[drive] watch` in config.toml, or the path, and \
                 switch auto mode off and on again."
            }
        }
    }
}

/// Whether a path can be watched now; a watch that is dropped at once costs nothing.
pub(crate) fn may_watch(watcher: Option<&dyn Watcher>, path: &Path) -> Result<(), Error> {
    let Some(watcher) = watcher else {
        return Err(Error::new("Files cannot be watched here."));
    };
    watcher.watch(vec![path.to_owned()]).map(drop)
}

/// Watches what can be watched: all together, or each path by itself where one of them cannot be.
pub(super) fn watch_all(
    watcher: &dyn Watcher,
    paths: Vec<PathBuf>,
) -> (Vec<BoxStream<'static, Signal>>, Vec<Error>) {
    if paths.is_empty() {
        return (Vec::new(), Vec::new());
    }
    if let Ok(together) = watcher.watch(paths.clone()) {
        return (vec![together], Vec::new());
    }
    let (mut changes, mut unfit) = (Vec::new(), Vec::new());
    for path in paths {
        match watcher.watch(vec![path]) {
            Ok(own) => changes.push(own),
            Err(error) => unfit.push(error),
        }
    }
    (changes, unfit)
}

/// The ends of a session's background jobs.
pub(super) fn ends_of_jobs(senses: &Senses, session_id: SessionId) -> Outside {
    match &senses.jobs {
        Some(jobs) => jobs.signals(session_id),
        None => stream::pending().boxed(),
    }
}

/// What the user is to know of them.
pub(super) fn notices_of_jobs(senses: &Senses, session_id: SessionId) -> BoxStream<'static, Fault> {
    match &senses.jobs {
        Some(jobs) => jobs.notices(session_id),
        None => stream::pending().boxed(),
    }
}

/// The ends that nobody has heard of, when nobody listens any more.
pub(crate) async fn unheard(senses: &Senses, session_id: SessionId) -> Vec<Signal> {
    match &senses.jobs {
        Some(jobs) => jobs.untold(session_id).await,
        None => Vec::new(),
    }
}
