//! The service: every session there is, as surfaces see it.

mod commands;
mod findings;
mod next_prompt;
mod opening;

use crate::blocking;
use crate::config::Config;
use crate::error;
use crate::history::History;
use crate::session::profile::{check, check_auto};
use crate::session::refused::refused;
use crate::session::shared::Shared;
use crate::session::{Sent, Session};
use crate::tools::AgentTools;
use crate::work::command;
use crate::work::input;
use crate::work::pictures;
use api::Streaming;
use api::audit::Audit;
use api::broker::{Broker, Control};
use api::bus::Bus;
use api::models::Models;
use api::programs::{Program, Programs};
use api::sessions::{
    Error, ErrorKind, FeedbackRequest, Finding, Follow, OpenRequest, PinChange, QueueChange,
    RewindTo, SecondRequest, Selection, SendRequest, SessionSummary, Sessions, TakenBack, Whose,
};
use async_trait::async_trait;
use domain::context::ContextView;
use domain::drive::{Origin, Signal};
use domain::event::{ConfirmationAnswer, Event};
use domain::hash::Digest;
use domain::id::{CallId, ConfirmationId, HolderId, QueryId, SessionId, TraceId};
use domain::limits::USER_TEXT_BYTES;
use domain::quality::Winner;
use domain::settings::{Mode, SessionProfile};
use domain::token::Answerer;
use session_log::{Fork, Lines, stream};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use tokio::sync::{Mutex, OwnedMutexGuard};
use uuid::Uuid;

/// The Sessions service.
pub struct Service {
    pub(crate) shared: Arc<Shared>,
    pub(crate) live: Mutex<BTreeMap<SessionId, Arc<Session>>>,
    /// Counts those that are being opened.
    pub(crate) opening: Arc<()>,
    /// Sessions that are opened or closed just now.
    turns: std::sync::Mutex<BTreeMap<SessionId, Weak<Mutex<()>>>>,
}

/// A place among the open sessions, for one that is being opened.
pub(crate) struct Opening(
    #[expect(dead_code, reason = "it counts by being there")] pub(crate) Arc<()>,
);

/// A session that somebody took hold of.
pub(crate) struct Opened {
    pub(crate) session: Arc<Session>,
    pub(crate) holder_id: HolderId,
}

impl Service {
    /// A service with its logs in `config.sessions_folder`. The broker runs agents' tools by
    /// `tools`, whose clock is the service's too.
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
        tools: Arc<AgentTools>,
    ) -> Result<Self, error::Error> {
        if config.tool_iterations == 0 || config.context_tokens == 0 {
            return Err(error::Error::Configuration(
                "`tool_iterations` and `context_tokens` must be at least 1".to_owned(),
            ));
        }
        session_log::make_folder(&config.sessions_folder).map_err(|source| {
            error::Error::Folder {
                folder: config.sessions_folder.clone(),
                source,
            }
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
                clock: tools.clock(),
                tools,
            }),
            live: Mutex::default(),
            opening: Arc::default(),
            turns: std::sync::Mutex::default(),
        })
    }

    /// Closes every session: running requests are stopped and logged as such.
    pub async fn shut_down(&self) {
        let sessions = std::mem::take(&mut *self.live.lock().await);
        for session in sessions.into_values() {
            session.close(&self.shared).await;
        }
    }

    pub(crate) async fn live(&self, session_id: SessionId) -> Option<Arc<Session>> {
        self.live.lock().await.get(&session_id).map(Arc::clone)
    }

    /// Waits until nobody else opens or closes the session.
    pub(crate) async fn turn(&self, session_id: SessionId) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| turn.strong_count() > 0);
            let known = turns.get(&session_id).and_then(Weak::upgrade);
            let turn = known.unwrap_or_default();
            turns.insert(session_id, Arc::downgrade(&turn));
            turn
        };
        turn.lock_owned().await
    }

    /// Takes hold of a session that exists.
    async fn take_up(
        &self,
        session_id: SessionId,
        profile: Option<SessionProfile>,
    ) -> Result<Opened, Error> {
        let _turn = self.turn(session_id).await;
        let Some(session) = self.live(session_id).await else {
            return self.resume(session_id, profile).await;
        };
        profile.as_ref().map(check).transpose()?;
        let holder_id = session.holders().add(profile)?;
        Ok(Opened { session, holder_id })
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

    async fn list_live(&self) -> Result<Vec<SessionSummary>, Error> {
        let live: Vec<_> = self.live.lock().await.values().map(Arc::clone).collect();
        let mut summaries = Vec::with_capacity(live.len());
        for session in live.iter().rev() {
            summaries.push(self.summary(session).await?);
        }
        Ok(summaries)
    }

    /// Gives up a session that the broker does not know any more, so that the next opening tells the
    /// broker of it anew.
    async fn let_go(&self, session_id: SessionId) {
        let _turn = self.turn(session_id).await;
        let session = self.live.lock().await.remove(&session_id);
        if let Some(session) = session {
            session.close(&self.shared).await;
        }
    }

    async fn summary(&self, session: &Session) -> Result<SessionSummary, Error> {
        let (last_seq, _) = session.emitter.subscribe().await;
        let folder = self.shared.config.sessions_folder.clone();
        let id = session.id;
        let name = blocking::run(move || Ok(session_log::name_of(&folder, id))).await?;
        let history = session.emitter.history();
        let profile = history.view.profile();
        Ok(SessionSummary {
            session_id: session.id,
            title: match (name, profile) {
                (Some(name), _) => name,
                (None, Some(profile)) if !profile.name.is_empty() => profile.name.clone(),
                (None, _) => history.title.clone(),
            },
            workspace: profile
                .map(|profile| profile.settings.workspace.clone())
                .unwrap_or_default(),
            created: session.created,
            updated: (self.shared.clock)(),
            last_seq,
            live: true,
            holder_id: None,
            holders: session.holders().count(),
            forked_from: history.view.forked_from(),
        })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        for session in self.live.get_mut().values() {
            session.stop();
        }
    }
}

#[async_trait]
impl Sessions for Service {
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error> {
        let opened = match request {
            OpenRequest::New(profile) => self.open_new(profile).await?,
            OpenRequest::Resume {
                session_id,
                profile,
            } => self.take_up(session_id, profile).await?,
        };
        Ok(SessionSummary {
            holder_id: Some(opened.holder_id),
            ..self.summary(&opened.session).await?
        })
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
        let own_mode = match request.holder_id {
            Some(id) => Some(session.holders().profile_of(id)?.mode),
            None => session.profile().map(|profile| profile.mode),
        };
        let mode = request.mode.or(own_mode);
        let is_command = mode == Some(Mode::Command);
        if is_command && (request.input.is_some() || !request.pictures.is_empty()) {
            return invalid("Nothing goes along with a command.".to_owned());
        }
        let typed = is_command.then(|| command::call(&request.text));
        let typed = typed.transpose()?;
        let input = request.input.as_ref().map(input::given).transpose()?;
        let pictures = pictures::given(&request.pictures)?;
        if !pictures.is_empty() && (session.orchestrates() || !mode.unwrap_or_default().is_loop()) {
            return invalid(
                "Pictures can be given to an agent that answers by itself, in mode loop or auto."
                    .to_owned(),
            );
        }
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
            let trace_id = TraceId::from_uuid(Uuid::now_v7());
            let hearing = control.hear(session.id, request.text.clone(), Some(trace_id));
            hearing.await.map_err(refused)?;
            if let Some(call) = typed {
                let approved = control.approve_call(session.id, trace_id, call).await;
                approved.map_err(refused)?;
            }
            let sent = Sent {
                trace_id,
                text: request.text,
                mode: mode.unwrap_or_default(),
                origin: Origin::User,
                given: input.into_iter().chain(pictures).collect(),
                holder_id: request.holder_id,
            };
            session.send(sent).await
        });
        let sent = blocking::joined(sending.await)?;
        if let Err(error) = &sent
            && error.kind == ErrorKind::NotFound
        {
            self.let_go(request.session_id).await;
        }
        let (query_id, shown) = sent?;
        let path = session_log::path_of(&self.shared.config.sessions_folder, request.session_id);
        Ok(stream::of_query(stream::live(shown, path), query_id))
    }

    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error> {
        let path = session_log::path_of(&self.shared.config.sessions_folder, session_id);
        let outlines = self.shared.config.outlines.clone();
        match (self.live(session_id).await, follow) {
            (Some(session), follow) => {
                let shown = session.emitter.subscribe().await;
                let past = stream::replay(path.clone(), from_seq, shown.0);
                Ok(match follow {
                    Follow::ToEnd => past,
                    Follow::Outline => stream::outline(path, outlines, from_seq, shown.0),
                    Follow::Live => stream::then_live(past, stream::live(shown, path), from_seq),
                })
            }
            (None, Follow::ToEnd | Follow::Outline) => {
                let path = blocking::run(move || Lines::open(&path).map(|_| path));
                let path = path.await?;
                Ok(match follow {
                    Follow::Outline => stream::outline(path, outlines, from_seq, u64::MAX),
                    _ => stream::replay(path, from_seq, u64::MAX),
                })
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
        by: Answerer,
    ) -> Result<(), Error> {
        self.expect_live(session_id).await?;
        self.shared
            .control
            .answer(session_id, confirmation_id, binding, answer, by)
            .await
            .map_err(refused)
    }

    async fn interrupt(
        &self,
        session_id: SessionId,
        query_id: Option<QueryId>,
    ) -> Result<(), Error> {
        let session = self.expect_live(session_id).await?;
        session.interrupt(&self.shared, query_id).await;
        Ok(())
    }

    async fn stop_calls(
        &self,
        session_id: SessionId,
        call_id: Option<CallId>,
    ) -> Result<u32, Error> {
        let session = self.expect_live(session_id).await?;
        Ok(session.stop_calls(call_id))
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        self.expect_live(session_id).await?;
        let programs = self.shared.control.programs(session_id, wanted).await;
        programs.map_err(refused)
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        self.expect_live(session_id).await?;
        let stopped = self.shared.control.stop_jobs(session_id, name).await;
        stopped.map_err(refused)
    }

    async fn change_queue(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        change: QueueChange,
    ) -> Result<bool, Error> {
        let session = self.expect_live(session_id).await?;
        session.change_queue(&self.shared, (query_id, change)).await
    }

    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error> {
        self.keep_opinion(request).await
    }

    async fn ask_grade(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        self.want_grade(session_id, query_id).await
    }

    async fn ask_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error> {
        self.want_second(session_id, query_id, wanted).await
    }

    async fn rate_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error> {
        self.keep_choice(session_id, query_id, winner).await
    }

    async fn take_second(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        self.put_second_in_place(session_id, query_id).await
    }

    async fn record_finding(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error> {
        self.keep_finding(session_id, query_id, finding).await
    }

    async fn configure(
        &self,
        session_id: SessionId,
        holder_id: HolderId,
        profile: SessionProfile,
    ) -> Result<(), Error> {
        check(&profile)?;
        let session = self.expect_live(session_id).await?;
        if session.profile().map(|now| now.agent_type) != Some(profile.agent_type.clone()) {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                "The type of a session's agent cannot change while it is open.",
            )
            .with_hint("Close the session and resume it with the other type, or open another."));
        }
        check_auto(&*self.shared.models, &profile, session.role()).await?;
        session.change(&self.shared, holder_id, profile).await
    }

    async fn list(&self, selection: Selection) -> Result<Vec<SessionSummary>, Error> {
        if selection == Selection::Live {
            return self.list_live().await;
        }
        let folder = self.shared.config.sessions_folder.clone();
        let listing = blocking::run(move || session_log::list(&folder, &selection));
        let mut summaries = listing.await?;
        let live = self.live.lock().await;
        for summary in &mut summaries {
            if let Some(session) = live.get(&summary.session_id) {
                summary.live = true;
                summary.holders = session.holders().count();
            }
        }
        Ok(summaries)
    }

    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error> {
        let folder = self.shared.config.sessions_folder.clone();
        let copy_id = SessionId::from_uuid(Uuid::now_v7());
        let fork = Fork {
            from: session_id,
            at_seq,
            to: copy_id,
        };
        let now = (self.shared.clock)();
        let copying = move || session_log::copy::<History>(&folder, fork, now);
        blocking::run(copying).await
    }

    async fn close(&self, session_id: SessionId, holder_id: HolderId) -> Result<(), Error> {
        // Whoever opens it meanwhile waits: its log is free only afterwards.
        let _turn = self.turn(session_id).await;
        let session = self.expect_live(session_id).await?;
        let left = session.holders().remove(holder_id)?;
        if left == 0 {
            self.live.lock().await.remove(&session_id);
            session.close(&self.shared).await;
        } else {
            session.stop_requests_of(holder_id).await;
            session.settle(&self.shared).await;
        }
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

    async fn rename(&self, session_id: SessionId, name: &str) -> Result<(), Error> {
        let folder = self.shared.config.sessions_folder.clone();
        let name = name.to_owned();
        blocking::run(move || session_log::rename(&folder, session_id, &name)).await
    }

    async fn signal(&self, session_id: SessionId, signal: Signal) -> Result<(), Error> {
        self.take_signal(session_id, signal).await
    }
}
