//! Signals: where a drive learns that something happened, and where it tells the user.
//!
//! Three small traits for adapters. What comes in by them is nobody's word but the sender's: the
//! session labels it, and no signal gives a permission.

use async_trait::async_trait;
use domain::drive::Signal;
use domain::fault::Fault;
use domain::id::SessionId;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use std::path::PathBuf;

/// Why nothing is watched, or the user was not told.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Error {
    /// What happened and why, for people.
    pub detail: String,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause of its own.
    #[must_use]
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            source: None,
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

/// Something that is there for every session alike: whether somebody is at the machine, say.
#[async_trait]
pub trait Source: Send + Sync {
    /// What it reports to this session from now on; an [`Error`] is for the user, who is told that
    /// and why nothing comes. The stream ends when there is nothing more to come; dropping it ends
    /// the listening.
    fn signals(&self, session_id: SessionId) -> BoxStream<'static, Result<Signal, Error>>;

    /// What the user of this session is to know at once, whether or not a drive is on: no reason to
    /// act, and for no model. None by default.
    fn notices(&self, session_id: SessionId) -> BoxStream<'static, Fault> {
        let _nobodys = session_id;
        stream::pending().boxed()
    }

    /// What it has to report and told nobody yet, without waiting for more: for a session that
    /// ends. By default what [`Source::signals`] has ready.
    async fn untold(&self, session_id: SessionId) -> Vec<Signal> {
        let mut signals = self.signals(session_id);
        let known = std::iter::from_fn(|| signals.next().now_or_never().flatten());
        known.filter_map(Result::ok).collect()
    }
}

/// Watches files.
pub trait Watcher: Send + Sync {
    /// Reports what changes at or below these paths, absolute, as [`Signal::FilesChanged`]: changes
    /// that come together as one, bounded, without what the ignore files of the folders name.
    /// Dropping the stream ends the watching.
    ///
    /// # Errors
    /// [`Error`] when a path cannot be watched.
    fn watch(&self, paths: Vec<PathBuf>) -> Result<BoxStream<'static, Signal>, Error>;
}

/// What the user is told outside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// A few words.
    pub title: String,
    /// Plain text, one or two sentences. Text of models is made visible and cut by whoever fills it
    /// in, and shown without markup.
    pub body: String,
}

/// Tells the user, who may be elsewhere on the machine.
#[async_trait]
pub trait Notifier: Send + Sync {
    /// Shows a notice.
    ///
    /// # Errors
    /// [`Error`] when nothing on this machine shows it.
    async fn notify(&self, notice: Notice) -> Result<(), Error>;
}
