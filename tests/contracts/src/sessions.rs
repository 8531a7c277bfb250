//! Sessions in memory that answer by a script.

mod findings;
mod lasting;
mod playing;
mod queue;

use super::programs::{chosen, stop};
use super::{Gate, fresh_uuid};
use api::Streaming;
use api::programs::{Program, Programs};
use api::sessions::{
    Error, ErrorKind, FeedbackRequest, Finding, Follow, OpenRequest, PinChange, QueueChange,
    RewindTo, SecondRequest, Selection, SendRequest, SessionSummary, Sessions, TakenBack, Whose,
    searched_words,
};
use async_trait::async_trait;
use domain::Timestamp;
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{ConfirmationAnswer, ConfirmationRequest, Event, EventBody};
use domain::hash::Digest;
use domain::id::{CallId, ConfirmationId, HolderId, QueryId, SessionId};
use domain::limits::{QUEUED_MESSAGES, USER_TEXT_BYTES};
use domain::quality::Winner;
use domain::settings::{Mode, SessionProfile};
use domain::token::Answerer;
use futures::StreamExt;
use futures::stream::unfold;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::{oneshot, watch};

/// One step of what happens for a request, between `QueryReceived` and `QueryFinished`.
#[derive(Debug, Clone)]
pub enum Act {
    /// An event.
    Emit(EventBody),
    /// A question; the work goes on when it is answered.
    Ask(ConfirmationRequest),
    /// The work waits here, until the gate opens or the request is interrupted.
    Wait(Gate),
    /// The work waits here until it is interrupted.
    Hang,
}

/// A Sessions service whose answers are scripted by the text of the request. A text without a
/// script is echoed.
#[derive(Debug, Clone, Default)]
pub struct FakeSessions {
    state: Arc<Mutex<State>>,
    /// Changes with every event of every session.
    grown: Arc<watch::Sender<u64>>,
}

/// A question that waits: in which session, what an answer repeats, and where it goes.
type Asked = (
    SessionId,
    Digest,
    oneshot::Sender<(ConfirmationAnswer, Answerer)>,
);

#[derive(Debug, Default)]
struct State {
    sessions: BTreeMap<SessionId, Session>,
    scripts: BTreeMap<String, Vec<Act>>,
    questions: BTreeMap<ConfirmationId, Asked>,
    /// Of every session.
    programs: Vec<Program>,
}

#[derive(Debug)]
struct Session {
    /// What is in force.
    profile: SessionProfile,
    /// What a user called it; empty for nothing.
    name: String,
    events: Vec<Event>,
    /// Everyone who opened it and did not close it, the first first.
    holders: Vec<(HolderId, SessionProfile)>,
    is_busy: bool,
    waiting: VecDeque<Waiting>,
    interrupts: watch::Sender<u64>,
}

/// Whether what was said in these events is looked for; anything is where no words are.
fn said(selection: &Selection, events: &[Event]) -> bool {
    let Selection::Said(text) = selection else {
        return true;
    };
    let words = searched_words(text);
    let has = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    !words.is_empty()
        && events.iter().any(|event| match &event.body {
            EventBody::QueryReceived { text, .. } | EventBody::ModelAnswered { text, .. } => {
                has(text)
            }
            _ => false,
        })
}

/// A request that is not worked on yet.
#[derive(Debug)]
struct Waiting {
    query_id: QueryId,
    text: String,
    mode: Mode,
    holder_id: Option<HolderId>,
}

fn not_found(session_id: SessionId) -> Error {
    Error::new(ErrorKind::NotFound, format!("no session {session_id}"))
        .with_hint("`carl session list` shows what is there.")
}

impl State {
    fn session(&mut self, session_id: SessionId) -> Result<&mut Session, Error> {
        self.sessions
            .get_mut(&session_id)
            .ok_or_else(|| not_found(session_id))
    }

    fn live(&mut self, session_id: SessionId) -> Result<&mut Session, Error> {
        let session = self.session(session_id)?;
        if !session.holders.is_empty() {
            Ok(session)
        } else {
            Err(not_found(session_id))
        }
    }

    fn emit(&mut self, session_id: SessionId, query_id: Option<QueryId>, body: EventBody) {
        if let Some(session) = self.sessions.get_mut(&session_id) {
            let event = Event {
                seq: session.events.len() as u64 + 1,
                time: Timestamp::now(),
                session_id,
                query_id,
                agent_id: None,
                respondent_id: None,
                call_id: None,
                body,
            };
            session.events.push(event);
        }
    }
}

impl Session {
    fn new(profile: SessionProfile) -> Self {
        Self {
            profile,
            name: String::new(),
            events: Vec::new(),
            holders: Vec::new(),
            is_busy: false,
            waiting: VecDeque::new(),
            interrupts: watch::Sender::new(0),
        }
    }

    fn summary(&self, session_id: SessionId) -> SessionSummary {
        let time = |event: Option<&Event>| event.map_or(Timestamp::UNIX_EPOCH, |e| e.time);
        let first_words = self.events.iter().find_map(|event| match &event.body {
            EventBody::QueryReceived { text, .. } => Some(text.clone()),
            _ => None,
        });
        let given = [&self.name, &self.profile.name];
        let title = match given.into_iter().find(|name| !name.is_empty()) {
            None => first_words.unwrap_or_default(),
            Some(name) => name.clone(),
        };
        let forked_from = self.events.first().and_then(|event| match &event.body {
            EventBody::SessionOpened { forked_from, .. } => *forked_from,
            _ => None,
        });
        SessionSummary {
            session_id,
            title,
            workspace: self.profile.settings.workspace.clone(),
            created: time(self.events.first()),
            updated: time(self.events.last()),
            last_seq: self.events.len() as u64,
            live: !self.holders.is_empty(),
            holder_id: None,
            holders: u32::try_from(self.holders.len()).unwrap(),
            forked_from,
        }
    }

    /// Somebody takes hold of it; who, and whether nobody else did.
    fn hold(&mut self, profile: SessionProfile) -> Result<(HolderId, bool), Error> {
        let is_first = self.holders.is_empty();
        let asks_more = profile.agent_type != self.profile.agent_type
            || (profile.mode == Mode::Auto && self.profile.mode != Mode::Auto);
        if !is_first && asks_more {
            return Err(Error::new(ErrorKind::Busy, "another holds the session"));
        }
        let holder_id = HolderId::from_uuid(fresh_uuid());
        if is_first {
            self.profile = profile.clone();
        }
        self.holders.push((holder_id, profile));
        Ok((holder_id, is_first))
    }

    /// The profile of a holder, or of the one who holds it longest.
    fn profile_of(&self, holder_id: Option<HolderId>) -> Option<&SessionProfile> {
        let mut holders = self.holders.iter();
        let found = holders.find(|(id, _)| holder_id.is_none_or(|wanted| *id == wanted));
        found.map(|(_, profile)| profile)
    }

    /// What is in force while a request of this holder is worked on; `None` where that is so already.
    fn put_in_force(&mut self, holder_id: Option<HolderId>) -> Option<EventBody> {
        let settled = self.profile_of(None)?.clone();
        let own = self.profile_of(holder_id)?.clone();
        let profile = SessionProfile {
            name: settled.name,
            mode: settled.mode,
            ..own
        };
        if profile == self.profile {
            return None;
        }
        self.profile = profile.clone();
        Some(EventBody::SessionConfigured { profile })
    }
}

/// A profile without anything that a command opened for itself.
fn left(profile: &SessionProfile) -> SessionProfile {
    SessionProfile {
        settings: profile.settings.left(),
        ..profile.clone()
    }
}

fn check(profile: &SessionProfile) -> Result<(), Error> {
    if profile.settings.workspace.is_absolute() {
        Ok(())
    } else {
        Err(Error::new(
            ErrorKind::InvalidRequest,
            "the workspace must be an absolute path",
        ))
    }
}

impl FakeSessions {
    /// No sessions yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What happens for a request with exactly this text.
    #[must_use]
    pub fn with_script(self, text: &str, acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = acts.into_iter().collect();
        self.state
            .lock()
            .unwrap()
            .scripts
            .insert(text.to_owned(), acts);
        self
    }

    /// Every session has these programs.
    #[must_use]
    pub fn with_programs(self, programs: Vec<Program>) -> Self {
        self.state.lock().unwrap().programs = programs;
        self
    }

    /// Every event of a session.
    #[must_use]
    pub fn events(&self, session_id: SessionId) -> Vec<Event> {
        let state = self.state.lock().unwrap();
        state
            .sessions
            .get(&session_id)
            .map_or_else(Vec::new, |session| session.events.clone())
    }

    fn emit(&self, session_id: SessionId, query_id: Option<QueryId>, body: EventBody) {
        self.state.lock().unwrap().emit(session_id, query_id, body);
        self.grown.send_modify(|count| *count += 1);
    }

    /// The events of a session from an index on, as they come. `is_last` ends the stream.
    fn stream(
        &self,
        session_id: SessionId,
        from_index: usize,
        end_index: Option<usize>,
        query: Option<QueryId>,
    ) -> Streaming<Event, Error> {
        let (state, grown) = (Arc::clone(&self.state), self.grown.subscribe());
        let step = move |(index, mut grown, is_over): (usize, watch::Receiver<u64>, bool)| {
            let state = Arc::clone(&state);
            async move {
                let mut index = index;
                loop {
                    if is_over || end_index.is_some_and(|end| index >= end) {
                        return None;
                    }
                    grown.borrow_and_update();
                    let (event, is_live) = {
                        let mut state = state.lock().unwrap();
                        let session = state.session(session_id).ok()?;
                        let is_held = !session.holders.is_empty();
                        (session.events.get(index).cloned(), is_held)
                    };
                    match event {
                        None if !is_live => return None,
                        None => grown.changed().await.ok()?,
                        Some(event) if query.is_some() && event.query_id != query => index += 1,
                        Some(event) => {
                            let is_end = query.is_some()
                                && matches!(event.body, EventBody::QueryFinished { .. });
                            return Some((Ok(event), (index + 1, grown, is_end)));
                        }
                    }
                }
            }
        };
        unfold((from_index, grown, false), step).boxed()
    }
}

#[async_trait]
impl Sessions for FakeSessions {
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error> {
        let (session_id, holder_id) = match request {
            OpenRequest::New(profile) => {
                check(&profile)?;
                let session_id = SessionId::from_uuid(fresh_uuid());
                let mut session = Session::new(profile.clone());
                let (holder_id, _) = session.hold(profile.clone())?;
                self.state
                    .lock()
                    .unwrap()
                    .sessions
                    .insert(session_id, session);
                let opened = EventBody::SessionOpened {
                    profile,
                    forked_from: None,
                };
                self.emit(session_id, None, opened);
                (session_id, holder_id)
            }
            OpenRequest::Resume {
                session_id,
                profile,
            } => {
                let (profile, (holder_id, is_first)) = {
                    let mut state = self.state.lock().unwrap();
                    let session = state.session(session_id)?;
                    let profile = profile.unwrap_or_else(|| left(&session.profile));
                    check(&profile)?;
                    (profile.clone(), session.hold(profile)?)
                };
                if is_first {
                    self.emit(session_id, None, EventBody::SessionResumed { profile });
                }
                (session_id, holder_id)
            }
        };
        let mut state = self.state.lock().unwrap();
        Ok(SessionSummary {
            holder_id: Some(holder_id),
            ..state.session(session_id)?.summary(session_id)
        })
    }

    async fn send(&self, request: SendRequest) -> Result<Streaming<Event, Error>, Error> {
        if request.text.trim().is_empty() || request.text.len() > USER_TEXT_BYTES {
            let detail = "the request is empty or too long";
            return Err(Error::new(ErrorKind::InvalidRequest, detail));
        }
        let session_id = request.session_id;
        let query_id = QueryId::from_uuid(fresh_uuid());
        let (from_index, was_busy) = {
            let mut state = self.state.lock().unwrap();
            let session = state.live(session_id)?;
            if session.waiting.len() >= QUEUED_MESSAGES {
                let detail = "too many requests wait already";
                return Err(Error::new(ErrorKind::QueueFull, detail));
            }
            let own = session.profile_of(request.holder_id);
            let own = own.ok_or_else(|| not_found(session_id))?;
            let mode = request.mode.unwrap_or(own.mode);
            session.waiting.push_back(Waiting {
                query_id,
                text: request.text,
                mode,
                holder_id: request.holder_id,
            });
            let was_busy = std::mem::replace(&mut session.is_busy, true);
            let (from_index, position) = (session.events.len(), session.waiting.len() as u32);
            if was_busy {
                state.emit(
                    session_id,
                    Some(query_id),
                    EventBody::QueryQueued { position },
                );
            }
            (from_index, was_busy)
        };
        self.grown.send_modify(|count| *count += 1);
        if !was_busy {
            tokio::spawn(self.clone().work(session_id));
        }
        Ok(self.stream(session_id, from_index, None, Some(query_id)))
    }

    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error> {
        let end = {
            let mut state = self.state.lock().unwrap();
            match follow {
                Follow::ToEnd | Follow::Outline => Some(state.session(session_id)?.events.len()),
                Follow::Live => state.live(session_id).map(|_| None)?,
            }
        };
        let from_index = usize::try_from(from_seq.saturating_sub(1)).unwrap_or(usize::MAX);
        let events = self.stream(session_id, from_index, end, None);
        let wanted = move |event: &Result<Event, Error>| {
            std::future::ready(event.as_ref().map_or(true, |event| follow.has(&event.body)))
        };
        Ok(events.filter(wanted).boxed())
    }

    async fn confirm(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error> {
        let refuse = |detail: &str| Error::new(ErrorKind::InvalidAnswer, detail);
        let mut state = self.state.lock().unwrap();
        state.live(session_id)?;
        match state.questions.get(&confirmation_id) {
            None => return Err(refuse("no such open question")),
            Some((session, bound, _)) if *session != session_id || *bound != binding => {
                return Err(refuse(
                    "the answer is for something else than what is asked",
                ));
            }
            Some(_) => {}
        }
        let question = state.questions.remove(&confirmation_id);
        let (_, _, reply) = question.ok_or_else(|| refuse("no such open question"))?;
        reply
            .send((answer, by))
            .map_err(|_unheard| refuse("the question was withdrawn"))
    }

    async fn interrupt(&self, session_id: SessionId, _: Option<QueryId>) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        let session = state.live(session_id)?;
        session.interrupts.send_modify(|count| *count += 1);
        Ok(())
    }

    async fn stop_calls(&self, session_id: SessionId, _: Option<CallId>) -> Result<u32, Error> {
        // No script calls tools.
        self.state.lock().unwrap().live(session_id).map(|_| 0)
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        let mut state = self.state.lock().unwrap();
        state.live(session_id)?;
        Ok(chosen(&state.programs, &wanted))
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        let mut state = self.state.lock().unwrap();
        state.live(session_id)?;
        Ok(stop(&mut state.programs, name.as_deref()))
    }

    async fn change_queue(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        change: QueueChange,
    ) -> Result<bool, Error> {
        self.change_waiting(session_id, query_id, change)
    }

    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error> {
        let is_known = {
            let mut state = self.state.lock().unwrap();
            let session = state.live(request.session_id)?;
            session
                .events
                .iter()
                .any(|event| event.query_id == Some(request.query_id))
        };
        if !is_known || !(-100..=100).contains(&request.score) {
            let detail = "no such request, or a score beyond 100";
            return Err(Error::new(ErrorKind::InvalidRequest, detail));
        }
        let body = EventBody::Feedback {
            score: request.score,
            note: request.note,
        };
        self.emit(request.session_id, Some(request.query_id), body);
        Ok(())
    }

    async fn ask_grade(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        self.want_grade(session_id, query_id)
    }

    async fn ask_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error> {
        self.want_second(session_id, query_id, wanted)
    }

    async fn rate_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error> {
        self.keep_choice(session_id, query_id, winner)
    }

    async fn take_second(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        self.put_second_in_place(session_id, query_id)
    }

    async fn record_finding(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error> {
        self.keep_finding(session_id, query_id, finding)
    }

    async fn configure(
        &self,
        session_id: SessionId,
        holder_id: HolderId,
        profile: SessionProfile,
    ) -> Result<(), Error> {
        check(&profile)?;
        {
            let mut state = self.state.lock().unwrap();
            let session = state.live(session_id)?;
            let mut holders = session.holders.iter_mut();
            let found = holders.find(|(id, _)| *id == holder_id);
            found.ok_or_else(|| not_found(session_id))?.1 = profile.clone();
            if session.holders.first().map(|(id, _)| *id) != Some(holder_id) {
                return Ok(());
            }
            session.profile = profile.clone();
        }
        self.emit(session_id, None, EventBody::SessionConfigured { profile });
        Ok(())
    }

    async fn list(&self, selection: Selection) -> Result<Vec<SessionSummary>, Error> {
        let state = self.state.lock().unwrap();
        let sessions = state.sessions.iter().rev();
        let sessions = sessions.filter(|(id, session)| {
            let is_held = !session.holders.is_empty();
            selection.names(**id)
                && (selection != Selection::Live || is_held)
                && said(&selection, &session.events)
        });
        Ok(sessions.map(|(id, session)| session.summary(*id)).collect())
    }

    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error> {
        let mut state = self.state.lock().unwrap();
        let origin = state.session(session_id)?;
        let last_seq = origin.events.len() as u64;
        let end = if at_seq == 0 { last_seq } else { at_seq };
        if end > last_seq {
            let detail = format!("session {session_id} has only {last_seq} events");
            return Err(Error::new(ErrorKind::InvalidRequest, detail));
        }
        let copy_id = SessionId::from_uuid(fresh_uuid());
        let mut copy = Session::new(origin.profile.clone());
        copy.events.clone_from(&origin.events);
        copy.events.retain(|event| event.seq <= end);
        for event in &mut copy.events {
            event.session_id = copy_id;
            if let EventBody::SessionOpened { forked_from, .. } = &mut event.body {
                *forked_from = Some((session_id, end));
            }
        }
        let summary = copy.summary(copy_id);
        state.sessions.insert(copy_id, copy);
        Ok(summary)
    }

    async fn close(&self, session_id: SessionId, holder_id: HolderId) -> Result<(), Error> {
        {
            let mut state = self.state.lock().unwrap();
            let session = state.live(session_id)?;
            let before = session.holders.len();
            session.holders.retain(|(id, _)| *id != holder_id);
            if session.holders.len() == before {
                return Err(not_found(session_id));
            }
            if !session.holders.is_empty() {
                session
                    .waiting
                    .retain(|one| one.holder_id != Some(holder_id));
                return Ok(());
            }
            session.waiting.clear();
            session.interrupts.send_modify(|count| *count += 1);
        }
        self.grown.send_modify(|count| *count += 1);
        Ok(())
    }

    async fn context(&self, session_id: SessionId, whose: Whose) -> Result<ContextView, Error> {
        self.view(session_id, whose)
    }

    async fn compact(&self, session_id: SessionId) -> Result<(), Error> {
        self.make_smaller(session_id)
    }

    async fn rewind(&self, session_id: SessionId, to: RewindTo) -> Result<TakenBack, Error> {
        self.take_back(session_id, to)
    }

    async fn pin(&self, session_id: SessionId, seq: u64, change: PinChange) -> Result<(), Error> {
        self.change_pin(session_id, seq, change)
    }

    async fn rename(&self, session_id: SessionId, name: &str) -> Result<(), Error> {
        self.give_name(session_id, name)
    }

    async fn signal(&self, session_id: SessionId, signal: Signal) -> Result<(), Error> {
        self.take_signal(session_id, signal)
    }
}
