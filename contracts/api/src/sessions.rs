//! Sessions: everything a surface can do.

mod findings;

pub use findings::{Compared, Finding, Grade, SecondAnswer, SecondRequest};

use crate::Streaming;
use crate::programs::{Program, Programs};
use async_trait::async_trait;
use domain::Timestamp;
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{ConfirmationAnswer, Event, EventBody};
use domain::fault::Coded;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, ConfirmationId, HolderId, QueryId, SessionId};
use domain::quality::Winner;
use domain::settings::{Mode, SessionProfile};
use domain::token::Answerer;
use std::path::PathBuf;

/// How a session comes to be held.
///
/// Everyone who opens a session holds it until they close it, and has a profile of their own there:
/// their requests are worked on by it, and it ends with them. Whatever nobody asked for, such as what
/// the drive does, goes by the profile of the one who holds the session longest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenRequest {
    /// A fresh one.
    New(SessionProfile),
    /// One that exists, continued with this profile. `None`: as it was left, without anything that a
    /// command opened for itself and without anybody to ask. [`ErrorKind::Busy`] where another holds
    /// the session and it cannot be what this profile asks for meanwhile: of another agent type, or
    /// in auto mode.
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
    /// Data that the request is about; none of the user's words.
    pub input: Option<Input>,
    /// By whose profile to work on it; `None`: by that of the session.
    pub holder_id: Option<HolderId>,
    /// Pictures that the request is about, at most [`domain::limits::PICTURES`]. Like data, they
    /// permit nothing.
    pub pictures: Vec<PictureFile>,
}

impl SendRequest {
    /// The user's words alone, to be worked on as the session does.
    #[must_use]
    pub fn new(session_id: SessionId, text: impl Into<String>) -> Self {
        Self {
            session_id,
            text: text.into(),
            mode: None,
            input: None,
            holder_id: None,
            pictures: Vec::new(),
        }
    }
}

/// A picture as a file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureFile {
    /// Where it came from, such as a file's name.
    pub name: String,
    /// PNG, JPEG, GIF or WebP, at most [`domain::limits::PICTURE_BYTES`] bytes.
    pub bytes: Vec<u8>,
}

/// Data that a request is about. Its text permits nothing, and names no target on the user's behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Where it came from, such as a file's name.
    pub name: String,
    /// The data, at most [`domain::limits::USER_TEXT_BYTES`] bytes.
    pub text: String,
}

/// A session, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// The name that a user gave it; else the one it was opened with; else the beginning of its first
    /// request.
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
    /// Who holds it by this opening; only [`Sessions::open`] tells.
    pub holder_id: Option<HolderId>,
    /// How many have it open at this service, with the one that an opening made.
    pub holders: u32,
    /// The session that it is a copy of, and the last event that it has of that one.
    pub forked_from: Option<(SessionId, u64)>,
}

/// Which sessions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Every session.
    All,
    /// Those held in memory by this service.
    Live,
    /// Those whose id begins or ends so. A whole id costs no more where there are many sessions.
    Id(String),
    /// Those in which a message of the user or an answer has all of these words, or parts of words, in
    /// small or capital letters: the newest [`FOUND_SESSIONS`]. Logs are read for it, newest first.
    Said(String),
}

/// Most sessions that are found by what was said in them.
pub const FOUND_SESSIONS: usize = 200;

/// The words that a message has to have to be found, in small letters.
#[must_use]
pub fn searched_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split_whitespace().map(str::to_owned).collect()
}

impl Selection {
    /// Whether a session is among them, but for whether it is held and for what was said in it.
    #[must_use]
    pub fn names(&self, session_id: SessionId) -> bool {
        match self {
            Self::All | Self::Live | Self::Said(_) => true,
            Self::Id(part) => {
                let id = session_id.to_string();
                id.starts_with(part.as_str()) || id.ends_with(part.as_str())
            }
        }
    }
}

/// Whether an attached stream ends at the last event or waits for more, and what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// It ends.
    ToEnd,
    /// It waits.
    Live,
    /// It ends, and the pieces in which answers and thinking came are left out: nearly all of a long
    /// log, and what they came to stands in the events that follow them.
    Outline,
}

impl Follow {
    /// Whether an event is among those that the stream has.
    #[must_use]
    pub const fn has(self, body: &EventBody) -> bool {
        let is_piece = matches!(
            body,
            EventBody::TextDelta { .. } | EventBody::ThinkingDelta { .. }
        );
        !(is_piece && matches!(self, Self::Outline))
    }
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

/// Whose context is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The agent the session was opened with.
    Root,
    /// One of the agents that work below it.
    Agent(AgentId),
}

/// How far a conversation is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindTo {
    /// To before the last request that the user made.
    LastRequest,
    /// To before this request.
    Request(QueryId),
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    /// The request that the conversation went back to before; whatever came after it went as well.
    pub query_id: QueryId,
    /// Its words.
    pub text: String,
}

/// What becomes of a message's pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinChange {
    /// It is never left out from now on.
    Pin,
    /// It may be left out like any other.
    Unpin,
}

/// What becomes of a request that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueChange {
    /// It is taken out, and ends as interrupted.
    Remove,
    /// It is worked on right before this one, which waits as well.
    Before(QueryId),
    /// It is worked on after all others.
    Last,
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
    /// The session is busy, and the call does not wait for it.
    Busy,
    /// There is nothing to do it to: no request to take back, nothing left to make smaller.
    NothingToDo,
    /// The session does nothing by itself: it is not in auto mode.
    NotAuto,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::NotFound,
        Self::Corrupt,
        Self::Locked,
        Self::QueueFull,
        Self::InvalidRequest,
        Self::InvalidAnswer,
        Self::Unwritable,
        Self::Refused,
        Self::Unreachable,
        Self::Busy,
        Self::NothingToDo,
        Self::NotAuto,
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
            Self::Busy => "sessions.busy",
            Self::NothingToDo => "sessions.nothing_to_do",
            Self::NotAuto => "sessions.not_auto",
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
    /// Begins or continues a session, and holds it: see [`OpenRequest`].
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error>;
    /// Sends a request; the stream ends with its `QueryFinished`. Dropping the stream does not stop
    /// the work: [`Sessions::interrupt`] does.
    async fn send(&self, request: SendRequest) -> Result<Streaming<Event, Error>, Error>;
    /// Every event from `from_seq` on, oldest first. However slow the reader is, none is left out.
    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error>;
    /// Answers a question. `binding` repeats what the user saw; `by` goes on record.
    async fn confirm(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error>;
    /// Stops a request, running (the model's stream and the tools) or waiting; `None`: what runs. One
    /// that has ended is left alone.
    async fn interrupt(
        &self,
        session_id: SessionId,
        query_id: Option<QueryId>,
    ) -> Result<(), Error>;
    /// Stops a tool call that runs, or with `None` all of the session that do; how many were stopped.
    /// Whoever called is told so and goes on: no request is stopped. A call that has ended, that waits
    /// for an answer of the user's or that is an agent's own work is left alone.
    async fn stop_calls(
        &self,
        session_id: SessionId,
        call_id: Option<CallId>,
    ) -> Result<u32, Error>;
    /// The programs of a session and of the agents below it, and what they say, in the order in which
    /// they began. One that is not there is left out. Nothing of it is in the log.
    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error>;
    /// Stops the job of this name that runs in a session or for an agent below it, or with `None` all
    /// that do; the names of those that were stopped, once they are gone. The agents are told by whose
    /// wish, and so does the log say. One that has ended is left alone.
    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error>;
    /// Takes out a request that waits, or gives it another place among those that wait. `false`, and
    /// nothing was done, where it waits no longer: it has begun or ended, or was never there.
    async fn change_queue(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        change: QueueChange,
    ) -> Result<bool, Error>;
    /// Records an opinion.
    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error>;
    /// Asks for a grade of the answer to a request that has ended, whether the session is open or not:
    /// an event `GradeAsked` says so, and a later one what came of it. [`ErrorKind::InvalidRequest`] for a
    /// request that is not there or has no answer.
    async fn ask_grade(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error>;
    /// Asks for a second answer to a request that has ended, whether the session is open or not, and for a
    /// comparison of both: an event `SecondAsked` says so, and later ones what came of it.
    /// [`ErrorKind::InvalidRequest`] for a request that is not there or has not ended, and for a
    /// temperature out of range.
    async fn ask_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error>;
    /// Records which of two answers to a request the user found better, whether the session is open or
    /// not. For user surfaces only. [`ErrorKind::InvalidRequest`] for a request that is not there or
    /// has no second answer.
    async fn rate_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error>;
    /// Takes the second answer to the last request over into the conversation, in the place of the first
    /// one, whether the session is open or not; that it is better is recorded with it. For user surfaces
    /// only. [`ErrorKind::InvalidRequest`] for a request that is not the last, has not ended, or has no
    /// second answer.
    async fn take_second(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error>;
    /// Records what an observer found about the answer to a request, whether the session is open or
    /// not. For observers alone. [`ErrorKind::InvalidRequest`] for a request that is not there or a
    /// score out of range; [`ErrorKind::Busy`] for a session that was cut off in the midst of a request
    /// and is not open.
    async fn record_finding(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error>;
    /// Changes a holder's mode, model or ceiling. For user surfaces only.
    async fn configure(
        &self,
        session_id: SessionId,
        holder_id: HolderId,
        profile: SessionProfile,
    ) -> Result<(), Error>;
    /// The sessions of a selection, newest first.
    async fn list(&self, selection: Selection) -> Result<Vec<SessionSummary>, Error>;
    /// A new session with the events up to and including `at_seq`; 0: all of them. Nobody holds it
    /// yet, and what was under way there is ended in it.
    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error>;
    /// A holder leaves: their requests are stopped, and their profile counts no longer. With the last
    /// one the session's work ends; its log stays.
    async fn close(&self, session_id: SessionId, holder_id: HolderId) -> Result<(), Error>;
    /// Exactly what a model will be shown next, but for the request that is yet to come. Of a
    /// session from disk as well, which stays as it is. An agent that ended has no context any more:
    /// [`ErrorKind::InvalidRequest`].
    async fn context(&self, session_id: SessionId, whose: Whose) -> Result<ContextView, Error>;
    /// Makes the view of the conversation smaller now, as it happens by itself when the context is
    /// nearly full; events say how. The log keeps everything. [`ErrorKind::Busy`] while something
    /// runs, [`ErrorKind::NothingToDo`] when the view cannot be made smaller.
    async fn compact(&self, session_id: SessionId) -> Result<(), Error>;
    /// Takes the conversation back to before a request: an event `Rewound` says to where, and the
    /// log keeps what was taken back. Only the conversation goes back. What tools did stays done;
    /// what agents were shown stays shown, so that the session is trusted no further than before;
    /// and the user's words stay the user's: a place they named may still be gone to.
    /// [`ErrorKind::Busy`] while something runs, [`ErrorKind::NothingToDo`] without a request,
    /// [`ErrorKind::InvalidRequest`] for one that is not there or was taken back already.
    async fn rewind(&self, session_id: SessionId, to: RewindTo) -> Result<TakenBack, Error>;
    /// Has a message stay in view for good, or no longer: the user's words (`QueryReceived`) or an
    /// agent's answer (`ModelAnswered`, for a planned request `DialogTurn`), by the number of its
    /// event. To pin what is pinned, or to take away a pin that is not there, changes nothing. At
    /// most [`domain::limits::PINNED_MESSAGES`]; what is no such message, was taken back or is not
    /// there is an [`ErrorKind::InvalidRequest`].
    async fn pin(&self, session_id: SessionId, seq: u64, change: PinChange) -> Result<(), Error>;
    /// Gives a session another name, whether it is open or not; an empty one takes its name away, so that
    /// it is listed by its first request. The name is a label in listings: the log says nothing of it. One
    /// line of at most [`domain::limits::SESSION_NAME_CHARACTERS`] characters without control characters;
    /// any other is an [`ErrorKind::InvalidRequest`].
    async fn rename(&self, session_id: SessionId, name: &str) -> Result<(), Error>;
    /// Tells a session in auto mode of something that may be a reason to act. Its texts have at most
    /// [`domain::limits::SIGNAL_BYTES`] bytes, together. [`ErrorKind::NotAuto`] in any other mode.
    async fn signal(&self, session_id: SessionId, signal: Signal) -> Result<(), Error>;
}
