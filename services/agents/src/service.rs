//! The service: every session there is, as surfaces see it.

use crate::config::Config;
use crate::desk::Desk;
use crate::emitter::{Durability, Scope};
use crate::error;
use crate::record;
use crate::session::{Session, Shared};
use crate::{input, library, stream};
use api::Streaming;
use api::audit::Audit;
use api::broker::{self, Broker, Control};
use api::bus::Bus;
use api::models::Models;
use api::sessions::{
    Error, ErrorKind, FeedbackRequest, Follow, OpenRequest, PinChange, RewindTo, SendRequest,
    SessionSummary, Sessions, TakenBack, Whose,
};
use async_trait::async_trait;
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{ConfirmationAnswer, Event, EventBody};
use domain::fault::Coded;
use domain::hash::Digest;
use domain::id::{ConfirmationId, SessionId};
use domain::limits::USER_TEXT_BYTES;
use domain::settings::{Mode, OverrideLevel, SessionProfile};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;
use uuid::Uuid;

/// The Sessions service.
pub struct Service {
    pub(crate) shared: Arc<Shared>,
    pub(crate) live: Mutex<Live>,
    /// Held while a session is opened, so that one is not opened twice at once.
    opening: Mutex<()>,
}

/// The sessions held in memory.
#[derive(Default)]
pub(crate) struct Live {
    pub(crate) sessions: BTreeMap<SessionId, Held>,
}

/// One of them.
pub(crate) struct Held {
    pub(crate) session: Arc<Session>,
    /// How often it was opened and not closed.
    pub(crate) holders: u64,
}

impl Service {
    /// A service with its logs in `config.sessions_folder`. The broker runs the house's own tools at
    /// `desk`, whose clock is the service's too.
    ///
    /// # Errors
    /// [`error::Error`] when the folder cannot be made or the configuration makes no sense.
    pub fn new(
        config: Config,
        models: Arc<dyn Models>,
        broker: Arc<dyn Broker>,
        control: Arc<dyn Control>,
        audit: Arc<dyn Audit>,
        bus: Arc<dyn Bus>,
        desk: Arc<Desk>,
    ) -> Result<Self, error::Error> {
        if config.tool_iterations == 0 || config.context_tokens == 0 {
            return Err(error::Error::Configuration(
                "`tool_iterations` and `context_tokens` must be at least 1".to_owned(),
            ));
        }
        record::make_folder(&config.sessions_folder).map_err(|source| error::Error::Folder {
            folder: config.sessions_folder.clone(),
            source,
        })?;
        Ok(Self {
            shared: Arc::new(Shared {
                sessions_folder: config.sessions_folder.as_path().into(),
                config,
                models,
                broker,
                control,
                audit,
                bus,
                clock: desk.clock(),
                desk,
            }),
            live: Mutex::default(),
            opening: Mutex::new(()),
        })
    }

    /// Closes every session: running requests are stopped and logged as such.
    pub async fn shut_down(&self) {
        let sessions = std::mem::take(&mut self.live.lock().await.sessions);
        for held in sessions.into_values() {
            held.session.close(&self.shared).await;
        }
    }

    pub(crate) async fn live(&self, session_id: SessionId) -> Option<Arc<Session>> {
        let live = self.live.lock().await;
        let held = live.sessions.get(&session_id)?;
        Some(Arc::clone(&held.session))
    }

    pub(crate) async fn expect_live(&self, session_id: SessionId) -> Result<Arc<Session>, Error> {
        self.live(session_id).await.ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                format!("No session {session_id} is open here."),
            )
            .with_hint("Open it (resume) first; `carl session list` shows the sessions there are.")
        })
    }

    /// Whether one more may hold a session: its settings are those of who opened it, and another's
    /// neither add to them nor take from them.
    async fn agree(&self, session: &Session, wanted: Option<SessionProfile>) -> Result<(), Error> {
        let Some(wanted) = wanted else {
            return Ok(());
        };
        let is_held = {
            let live = self.live.lock().await;
            let held = live.sessions.get(&session.id);
            held.is_some_and(|held| held.holders > 0)
        };
        let in_force = session.profile();
        match in_force {
            Some(in_force) if is_held => match difference(&in_force, &wanted) {
                None => Ok(()),
                Some(what) => Err(Error::new(
                    ErrorKind::Busy,
                    format!(
                        "The session {} is in use with other settings ({what}), which hold until \
                         that ends.",
                        session.id
                    ),
                )
                .with_hint(
                    "Leave that out to go on with the settings in force, end what uses the \
                     session, or continue in a copy: `carl session fork`.",
                )),
            },
            _ => self.configure(session.id, wanted).await,
        }
    }

    /// An override does not outlive the command that brought it; where one of several goes, it ends.
    async fn end_override(&self, session: &Session) -> Result<(), Error> {
        let Some(mut profile) = session.profile() else {
            return Ok(());
        };
        if profile.settings.override_level == OverrideLevel::None {
            return Ok(());
        }
        profile.settings.override_level = OverrideLevel::None;
        self.configure(session.id, profile).await
    }

    async fn summary(&self, session: &Session) -> Result<SessionSummary, Error> {
        let (last_seq, _) = session.emitter.subscribe().await;
        let history = session.emitter.history();
        let profile = history.profile.as_ref();
        Ok(SessionSummary {
            session_id: session.id,
            title: match profile {
                Some(profile) if !profile.name.is_empty() => profile.name.clone(),
                _ => history.title.clone(),
            },
            workspace: profile
                .map(|profile| profile.settings.workspace.clone())
                .unwrap_or_default(),
            created: session.created,
            updated: (self.shared.clock)(),
            last_seq,
            live: true,
        })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        for held in self.live.get_mut().sessions.values() {
            held.session.stop();
        }
    }
}

#[async_trait]
impl Sessions for Service {
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error> {
        let opening = self.opening.lock().await;
        let session = match request {
            OpenRequest::New(profile) => self.open_new(profile).await?,
            OpenRequest::Resume {
                session_id,
                profile,
            } => match self.live(session_id).await {
                Some(session) => {
                    self.agree(&session, profile).await?;
                    if let Some(held) = self.live.lock().await.sessions.get_mut(&session_id) {
                        held.holders += 1;
                    }
                    session
                }
                None => self.resume(session_id, profile).await?,
            },
        };
        drop(opening);
        self.summary(&session).await
    }

    async fn send(&self, request: SendRequest) -> Result<Streaming<Event, Error>, Error> {
        let invalid = |detail: String| Err(Error::new(ErrorKind::InvalidRequest, detail));
        if request.text.trim().is_empty() {
            return invalid("The request is empty.".to_owned());
        }
        if request.text.len() > USER_TEXT_BYTES {
            return invalid(format!(
                "The request has {} bytes; at most {USER_TEXT_BYTES} are taken.",
                request.text.len()
            ));
        }
        let session = self.expect_live(request.session_id).await?;
        let mode = request.mode.or_else(|| session.profile().map(|p| p.mode));
        let input = request.input.as_ref().map(input::given).transpose()?;
        if input.is_some() && (session.orchestrates() || mode == Some(Mode::Deterministic)) {
            return invalid(
                "Data can be given to an agent that reads it: not to one that only hands work out, \
                 and not to the rules of deterministic mode."
                    .to_owned(),
            );
        }
        // On its own task, so that a caller who goes away cannot leave a request logged and not
        // queued.
        let control = Arc::clone(&self.shared.control);
        let sending = tokio::spawn(async move {
            let heard = control.hear(session.id, request.text.clone()).await;
            heard.map_err(refused)?;
            let mode = mode.unwrap_or_default();
            let sent = session.send(request.text, input, mode).await;
            sent.map(|(query_id, receiver)| (session, query_id, receiver))
        });
        let (session, query_id, receiver) = library::joined(sending.await)??;
        let path = record::path_of(&self.shared.config.sessions_folder, session.id);
        let events = stream::live(&session, path, (0, receiver));
        Ok(stream::of_query(events, query_id))
    }

    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error> {
        let path = record::path_of(&self.shared.config.sessions_folder, session_id);
        match (self.live(session_id).await, follow) {
            (Some(session), follow) => {
                let (last_seq, receiver) = session.emitter.subscribe().await;
                let past = stream::replay(path.clone(), from_seq, last_seq);
                Ok(match follow {
                    Follow::ToEnd => past,
                    Follow::Live => {
                        let live = stream::live(&session, path, (last_seq, receiver));
                        stream::then_live(past, live, from_seq)
                    }
                })
            }
            (None, Follow::ToEnd) => {
                library::blocking(move || record::Lines::open(&path).map(|_| path))
                    .await
                    .map(|path| stream::replay(path, from_seq, u64::MAX))
            }
            (None, Follow::Live) => {
                self.expect_live(session_id).await?;
                Ok(stream::replay(path, from_seq, u64::MAX))
            }
        }
    }

    async fn confirm(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
    ) -> Result<(), Error> {
        self.expect_live(session_id).await?;
        self.shared
            .control
            .answer(session_id, confirmation_id, binding, answer)
            .await
            .map_err(refused)
    }

    async fn interrupt(&self, session_id: SessionId) -> Result<(), Error> {
        self.expect_live(session_id).await?.interrupt().await;
        Ok(())
    }

    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error> {
        let session = self.expect_live(request.session_id).await?;
        if !(-100..=100).contains(&request.score) {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("A score goes from -100 to 100, not {}.", request.score),
            ));
        }
        if request.note.len() > USER_TEXT_BYTES {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("A note has at most {USER_TEXT_BYTES} bytes."),
            ));
        }
        let path = record::path_of(&self.shared.config.sessions_folder, request.session_id);
        let query_id = request.query_id;
        if !library::blocking(move || library::has_query(&path, query_id)).await? {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("This session has no request {query_id}."),
            ));
        }
        let scope = Scope {
            query_id: Some(query_id),
            ..Scope::default()
        };
        let body = EventBody::Feedback {
            score: request.score,
            note: request.note,
        };
        session
            .emitter
            .emit(scope, body, Durability::Written)
            .await
            .map(|_| ())
    }

    async fn configure(&self, session_id: SessionId, profile: SessionProfile) -> Result<(), Error> {
        check(&profile)?;
        let session = self.expect_live(session_id).await?;
        if session.profile().map(|now| now.agent_type) != Some(profile.agent_type.clone()) {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                "The type of a session's agent cannot change while it is open.",
            )
            .with_hint("Close the session and resume it with the other type, or open another."));
        }
        self.shared
            .control
            .configure(session_id, profile.settings.clone())
            .await
            .map_err(refused)?;
        let body = EventBody::SessionConfigured { profile };
        session
            .emitter
            .emit(Scope::default(), body, Durability::Written)
            .await?;
        session.refresh_prompts(&self.shared.config).await;
        Ok(())
    }

    async fn list(&self) -> Result<Vec<SessionSummary>, Error> {
        let folder = self.shared.config.sessions_folder.clone();
        let mut summaries = library::blocking(move || library::list(&folder)).await?;
        let live = self.live.lock().await;
        for summary in &mut summaries {
            summary.live = live.sessions.contains_key(&summary.session_id);
        }
        Ok(summaries)
    }

    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error> {
        let folder = self.shared.config.sessions_folder.clone();
        let copy_id = SessionId::from_uuid(Uuid::now_v7());
        library::blocking(move || library::copy(&folder, session_id, copy_id, at_seq)).await?;
        let opening = self.opening.lock().await;
        let session = self.resume(copy_id, None).await?;
        drop(opening);
        self.summary(&session).await
    }

    async fn close(&self, session_id: SessionId) -> Result<(), Error> {
        let mut live = self.live.lock().await;
        if let Some(held) = live.sessions.get_mut(&session_id) {
            held.holders = held.holders.saturating_sub(1);
            if held.holders > 0 {
                let session = Arc::clone(&held.session);
                drop(live);
                return self.end_override(&session).await;
            }
        }
        let held = live.sessions.remove(&session_id);
        drop(live);
        let Some(held) = held else {
            return self.expect_live(session_id).await.map(|_| ());
        };
        held.session.close(&self.shared).await;
        Ok(())
    }

    async fn context(&self, session_id: SessionId, whose: Whose) -> Result<ContextView, Error> {
        self.view(session_id, whose).await
    }

    async fn compact(&self, session_id: SessionId) -> Result<(), Error> {
        self.make_smaller(session_id).await
    }

    async fn rewind(&self, session_id: SessionId, to: RewindTo) -> Result<TakenBack, Error> {
        self.take_back(session_id, to).await
    }

    async fn pin(&self, session_id: SessionId, seq: u64, change: PinChange) -> Result<(), Error> {
        self.change_pin(session_id, seq, change).await
    }

    async fn signal(&self, session_id: SessionId, signal: Signal) -> Result<(), Error> {
        self.take_signal(session_id, signal).await
    }
}

/// What somebody wants of a session that is not in force there; `None`: nothing.
fn difference(in_force: &SessionProfile, wanted: &SessionProfile) -> Option<&'static str> {
    let (now, new) = (&in_force.settings, &wanted.settings);
    let differences = [
        (wanted.agent_type != in_force.agent_type, "the agent type"),
        (wanted.mode != in_force.mode, "the mode"),
        (wanted.model != in_force.model, "the model"),
        (
            wanted.context_tokens != in_force.context_tokens,
            "the context's size",
        ),
        (new.workspace != now.workspace, "the working folder"),
        (new.override_level > now.override_level, "the override"),
        (
            !new.allow_write.is_subset(&now.allow_write),
            "folders opened for writing",
        ),
        (
            !new.auto_approve.is_subset(&now.auto_approve),
            "effects approved in advance",
        ),
        (
            !new.approved_plans.is_subset(&now.approved_plans),
            "plans approved in advance",
        ),
        (!new.grants.is_subset(&now.grants), "granted tools"),
        (
            !new.disabled_tools.is_subset(&now.disabled_tools),
            "tools switched off",
        ),
    ];
    let mut found = differences.into_iter().filter(|(differs, _)| *differs);
    found.next().map(|(_, what)| what)
}

pub(crate) fn check(profile: &SessionProfile) -> Result<(), Error> {
    if profile.settings.workspace.is_absolute() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidRequest,
        format!(
            "The working folder must be an absolute path, not `{}`.",
            profile.settings.workspace.display()
        ),
    ))
}

/// The broker's refusal, as surfaces see it.
pub(crate) fn refused(error: broker::Error) -> Error {
    let kind = match error.kind {
        broker::ErrorKind::UnknownSession => ErrorKind::NotFound,
        broker::ErrorKind::UnknownConfirmation | broker::ErrorKind::BindingMismatch => {
            ErrorKind::InvalidAnswer
        }
        broker::ErrorKind::UnknownAgentType | broker::ErrorKind::InvalidSettings => {
            ErrorKind::InvalidRequest
        }
        broker::ErrorKind::Unreachable => ErrorKind::Unreachable,
        broker::ErrorKind::UnknownAgent
        | broker::ErrorKind::LimitReached
        | broker::ErrorKind::AuditUnwritable => ErrorKind::Refused,
    };
    Error::new(kind, error.message())
        .with_hint(error.hint())
        .with_source(error)
}
