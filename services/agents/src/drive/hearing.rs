//! Listening: to every adapter there is, and to the files that are to be watched.

use super::Driver;
use super::settings::Senses;
use crate::log::emitter::Scope;
use api::signals::{Error, Watcher};
use domain::drive::Signal;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::SessionId;
use domain::tool::WATCH_PATH;
use futures::stream::{self, BoxStream, select_all};
use futures::{FutureExt, StreamExt};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What one adapter reports.
pub(super) type Outside = BoxStream<'static, Result<Signal, Error>>;

/// What the drive does not hear by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deaf {
    /// An adapter has nothing to report.
    Adapter,
    /// A path is not watched.
    Path,
}

impl Deaf {
    const fn code(self) -> &'static str {
        match self {
            Self::Adapter => "drive.deaf",
            Self::Path => "drive.unwatched",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Adapter => {
                "The session goes on without it. Mend it, and switch auto mode off and on again."
            }
            Self::Path => {
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
fn watch_all(
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

/// The ends that nobody has heard of, when nobody listens any more.
pub(crate) fn unheard(senses: &Senses, session_id: SessionId) -> Vec<Signal> {
    let mut ends = ends_of_jobs(senses, session_id);
    let known = std::iter::from_fn(|| ends.next().now_or_never().flatten());
    known.filter_map(Result::ok).collect()
}

impl Driver {
    /// Puts on record that jobs which had not ended when the session was last left are gone.
    pub(super) async fn miss_jobs(&mut self) {
        let lost: Vec<String> = {
            let history = self.session.emitter.history();
            let jobs = history.view.background().jobs_without_end();
            jobs.map(str::to_owned).collect()
        };
        for name in lost {
            let signal = Signal::JobFinished {
                name,
                succeeded: false,
                summary: "it was cut off when the session was left, and its output is gone"
                    .to_owned(),
            };
            self.record(signal, None).await;
        }
    }

    /// Listens to every adapter there is, and watches what is to be watched.
    pub(super) async fn listen(&mut self) {
        let senses = self.shared.tools.senses().clone();
        let id = self.session.id;
        let sources = senses.sources.iter();
        let mut streams: Vec<Outside> = sources.map(|source| source.signals(id)).collect();
        if let Some(watcher) = &senses.watcher {
            let paths = self.watched().await;
            let (changes, unfit) = watch_all(watcher.as_ref(), paths);
            streams.extend(changes.into_iter().map(|changes| changes.map(Ok).boxed()));
            for error in unfit {
                self.is_deaf(&error, Deaf::Path).await;
            }
        }
        self.outside = select_all(streams);
    }

    /// Tells the user that something is not heard, once.
    pub(super) async fn is_deaf(&mut self, error: &Error, deaf: Deaf) {
        if !self.complaints.insert(error.detail.clone()) {
            return;
        }
        let fault = Fault {
            code: deaf.code().to_owned(),
            message: error.detail.clone(),
            hint: deaf.hint().to_owned(),
        };
        self.emit(Scope::default(), EventBody::Notice(fault)).await;
    }

    /// What configuration and the agent want watched. What the agent asked for is judged again each
    /// time, since the user may have closed a place meanwhile.
    async fn watched(&mut self) -> Vec<PathBuf> {
        let Some(profile) = self.session.profile() else {
            return Vec::new();
        };
        let workspace = &profile.settings.workspace;
        let configured = self.shared.config.drive.watch.iter();
        let mut paths: BTreeSet<PathBuf> = configured.map(|path| workspace.join(path)).collect();
        let asked = self
            .session
            .emitter
            .history()
            .view
            .background()
            .watched()
            .clone();
        for path in asked {
            if self.session.may_read(&self.shared, WATCH_PATH, &path).await {
                paths.insert(workspace.join(&path));
            }
        }
        paths.into_iter().collect()
    }
}
