//! Listening: to every adapter there is, and to the files that are to be watched.

use crate::drive::driver::Driver;
use crate::drive::sources::{Outside, SourceError, watch_all};
use api::signals::Error;
use domain::drive::Signal;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::tool::WATCH_PATH;
use futures::StreamExt;
use futures::stream::select_all;
use session_log::Scope;
use std::collections::BTreeSet;
use std::path::PathBuf;

impl Driver {
    /// Puts on record that jobs which had not ended when the session was last left are gone.
    pub(super) async fn miss_jobs(&mut self) {
        let lost: Vec<String> = {
            let history = self.session.emitter().history();
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
        let senses = self.adapters.senses.clone();
        let id = self.session.emitter().session_id();
        let sources = senses.sources.iter();
        let mut streams: Vec<Outside> = sources.map(|source| source.signals(id)).collect();
        if let Some(watcher) = &senses.watcher {
            let paths = self.watched().await;
            let (changes, unfit) = watch_all(watcher.as_ref(), paths);
            streams.extend(changes.into_iter().map(|changes| changes.map(Ok).boxed()));
            for error in unfit {
                self.report_source_error(&error, SourceError::Unwatched)
                    .await;
            }
        }
        self.outside = select_all(streams);
    }

    /// Tells the user that something is not heard, once.
    pub(super) async fn report_source_error(&mut self, error: &Error, source: SourceError) {
        if !self.complaints.insert(error.detail.clone()) {
            return;
        }
        let fault = Fault {
            code: source.code().to_owned(),
            message: error.detail.clone(),
            hint: source.hint().to_owned(),
        };
        self.emit(Scope::default(), EventBody::Notice(fault)).await;
    }

    /// What configuration and the agent want watched. What the agent asked for is judged again each
    /// time, since the user may have closed a place meanwhile.
    async fn watched(&mut self) -> Vec<PathBuf> {
        let Some(profile) = self.profile() else {
            return Vec::new();
        };
        let workspace = &profile.settings.workspace;
        let configured = self.adapters.settings.watch.iter();
        let mut paths: BTreeSet<PathBuf> = configured.map(|path| workspace.join(path)).collect();
        let asked = self
            .session
            .emitter()
            .history()
            .view
            .background()
            .watched()
            .clone();
        for path in asked {
            if self.session.may_read(WATCH_PATH, &path).await {
                paths.insert(workspace.join(&path));
            }
        }
        paths.into_iter().collect()
    }
}
