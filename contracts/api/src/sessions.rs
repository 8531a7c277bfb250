//! Sessions: everything a surface can do.

use crate::Streaming;
use async_trait::async_trait;
use domain::Timestamp;
use domain::event::{ConfirmationAnswer, Event};
use domain::fault::Coded;
use domain::hash::Digest;
use domain::id::{ConfirmationId, QueryId, SessionId};
use domain::settings::{Mode, SessionProfile};
use std::path::PathBuf;

/// How a session comes to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenRequest {
    /// A fresh one.
    New(SessionProfile),
    /// One from disk, continued with this profile, or with its own when `None`.
    Resume {
        /// Which.
        session_id: SessionId,
        /// What to change.
        profile: Option<SessionProfile>,
    },
}

/// A request to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// To which session.
    pub session_id: SessionId,
    /// The user's words.
    pub text: String,
    /// How to work on it; `None`: as the session does.
    pub mode: Option<Mode>,
}

/// A session, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// Its name; else the beginning of its first request.
    pub title: String,
    /// Where it works.
    pub workspace: PathBuf,
    /// When it began.
    pub created: Timestamp,
    /// When something last happened.
    pub updated: Timestamp,
    /// Its last event.
    pub last_seq: u64,
    /// Whether it is held in memory by this service.
    pub live: bool,
}

/// Whether an attached stream ends at the last event or waits for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// It ends.
    ToEnd,
    /// It waits.
    Live,
}

/// The user's opinion of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackRequest {
    /// Which session.
    pub session_id: SessionId,
    /// Which request.
    pub query_id: QueryId,
    /// -100 to 100.
    pub score: i8,
    /// A note.
    pub note: String,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// No such session.
    NotFound,
    /// Its log cannot be read.
    Corrupt,
    /// Another process writes it.
    Locked,
    /// Too many requests wait already.
    QueueFull,
    /// The request is empty, too long, or otherwise unusable.
    InvalidRequest,
    /// No such open question, or the answer is for something else.
    InvalidAnswer,
    /// The session log cannot be written.
    Unwritable,
    /// The broker refused to open the session.
    Refused,
    /// The service cannot be reached.
    Unreachable,
    /// A subscriber fell too far behind; attach again from the last event seen.
    Lagged,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::NotFound,
        Self::Corrupt,
        Self::Locked,
        Self::QueueFull,
        Self::InvalidRequest,
        Self::InvalidAnswer,
        Self::Unwritable,
        Self::Refused,
        Self::Unreachable,
        Self::Lagged,
    ];

    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotFound => "sessions.not_found",
            Self::Corrupt => "sessions.corrupt",
            Self::Locked => "sessions.locked",
            Self::QueueFull => "sessions.queue_full",
            Self::InvalidRequest => "sessions.invalid_request",
            Self::InvalidAnswer => "sessions.invalid_answer",
            Self::Unwritable => "sessions.unwritable",
            Self::Refused => "sessions.refused",
            Self::Unreachable => "sessions.unreachable",
            Self::Lagged => "sessions.lagged",
        }
    }
}

/// Why a session did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// What happened, where and why.
    pub detail: String,
    /// What to do; empty for nothing.
    pub hint: String,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause of its own.
    #[must_use]
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            hint: String::new(),
            source: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn message(&self) -> String {
        self.detail.clone()
    }

    fn hint(&self) -> String {
        self.hint.clone()
    }
}

/// What surfaces see of Housecarl.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Begins or continues a session.
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error>;
    /// Sends a request; the stream ends with its `QueryFinished`. Dropping the stream does not stop
    /// the work: [`Sessions::interrupt`] does.
    async fn send(&self, request: SendRequest) -> Result<Streaming<Event, Error>, Error>;
    /// Every event from `from_seq` on, oldest first.
    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error>;
    /// Answers a question. `binding` repeats what the user saw.
    async fn confirm(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
    ) -> Result<(), Error>;
    /// Stops what runs: the model's stream and the tools.
    async fn interrupt(&self, session_id: SessionId) -> Result<(), Error>;
    /// Records an opinion.
    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error>;
    /// Changes mode, model or the user's ceiling. For user surfaces only.
    async fn configure(&self, session_id: SessionId, profile: SessionProfile) -> Result<(), Error>;
    /// Every session, newest first.
    async fn list(&self) -> Result<Vec<SessionSummary>, Error>;
    /// A new session with the events up to and including `at_seq`; 0: all of them.
    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error>;
    /// Ends a session's work; its log stays.
    async fn close(&self, session_id: SessionId) -> Result<(), Error>;
}
