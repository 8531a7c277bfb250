//! Capture: every answered question becomes an engram, unless `engram.rs` finds nothing to keep.
//!
//! The bus tells of questions and answers as they come. What it could not tell (this observer was
//! too slow, memory was away, the process was killed) is read from the session logs: a note on disk
//! says which session has something left. Nothing is captured twice, since of one request memory
//! keeps one engram.

use crate::config::{Config, Services};
use crate::engram;
use crate::record::{self, Note};
use crate::settling::{Settlers, Settling, settled, settling};
use crate::understanding::{Understandable, Understanding};
use api::bus::{Bus, Delivery, SubjectPattern};
use api::memory::{self, WriteAnswer, WriteEntry};
use api::sessions::{self, Follow, Selection};
use domain::Timestamp;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::settings::Mode;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// Most sessions that are caught up with at one time, the newest.
const CAUGHT_UP: usize = 20;
/// Sessions of which is remembered what was captured; the oldest are forgotten first.
const KNOWN_SESSIONS: usize = 256;
/// Engrams that may wait to be understood; the oldest stay with what the rules understood.
const TO_UNDERSTAND: usize = 64;

/// The notice that an answer holds a call of a tool as text.
const CALL_IN_TEXT: &str = "models.call_in_text";

/// Capture at work. It stops when this is dropped; what is not captured by then is at the next
/// start.
pub struct Capture {
    settling: Settling,
    _worker: AbortOnDropHandle<()>,
}

impl Capture {
    /// Starts, with what was left behind. Call it inside a Tokio runtime.
    #[must_use]
    pub fn start(config: Config, services: Services, bus: &dyn Bus) -> Self {
        let subjects = [
            "query.received",
            "mode.chosen",
            "query.finished",
            "response.generation",
            "response.step",
            "notice",
        ];
        let deliveries = bus.subscribe(subjects.map(SubjectPattern::new).to_vec());
        let late = "an answer is not captured yet; the next start does it";
        let (settling, settlers) = settling(late);
        let worker = Worker {
            config,
            began: (services.clock)(),
            services,
            open: BTreeMap::new(),
            done: BTreeMap::new(),
            to_understand: VecDeque::new(),
            busy: None,
        };
        let worker = tokio::spawn(worker.run(deliveries, settlers));
        Self {
            settling,
            _worker: AbortOnDropHandle::new(worker),
        }
    }

    /// Waits until everything that was on the bus is captured, at most so long.
    pub async fn settle(&self, at_most: Duration) {
        self.settling.settle(at_most).await;
    }

    /// What others wait for capture with.
    #[must_use]
    pub fn settling(&self) -> Settling {
        self.settling.clone()
    }
}

/// A request in work.
#[derive(Debug, Clone)]
struct Asked {
    /// The number of its first event.
    seq: u64,
    /// Its words; empty when they are nobody's question.
    question: String,
    /// Whether the answer holds a call of a tool as text, which was not run.
    holds_call: bool,
    /// Whether rules answer it, and no model.
    is_by_rules: bool,
}

/// A session with requests that are not captured.
#[derive(Debug, Default)]
struct Open {
    /// Requests in work.
    requests: BTreeMap<QueryId, Asked>,
    /// An answer could not be captured: from this event on, the log is read.
    behind: Option<u64>,
}

impl Open {
    /// The oldest event that may belong to an answer nobody captured; `None` when there is none.
    fn starting_seq(&self) -> Option<u64> {
        let received = self.requests.values().map(|asked| asked.seq);
        received.chain(self.behind).min()
    }

    /// Takes in what tells of a request before it is answered.
    fn heard(&mut self, query_id: QueryId, event: &Event) {
        match &event.body {
            EventBody::QueryReceived { text, mode, origin } => {
                let asked = Asked {
                    seq: event.seq,
                    question: question_of(*origin, text),
                    holds_call: false,
                    is_by_rules: *mode == Mode::Deterministic,
                };
                self.requests.insert(query_id, asked);
            }
            EventBody::ModeChosen { mode, .. } => {
                if let Some(asked) = self.requests.get_mut(&query_id) {
                    asked.is_by_rules = *mode == Mode::Deterministic;
                }
            }
            EventBody::Notice(fault) if fault.code == CALL_IN_TEXT => {
                if let Some(asked) = self.requests.get_mut(&query_id) {
                    asked.holds_call = true;
                }
            }
            // The model went on with calls of its own: what it wrote before them is no answer.
            EventBody::ModelAnswered { tool_calls, .. } if !tool_calls.is_empty() => {
                if let Some(asked) = self.requests.get_mut(&query_id) {
                    asked.holds_call = false;
                }
            }
            _ => {}
        }
    }
}

/// Which answers of a log are looked at again.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// Those after this event.
    After(u64),
    /// Those after this event that the process which noted it gave: what another gave later is not
    /// looked at, since it may not have been to be kept.
    Left(u64),
    /// That of one request.
    Request(QueryId),
    /// Those that came since then. What is older was not to be kept, or was kept and perhaps
    /// forgotten.
    Since(Timestamp),
}

impl Reach {
    fn has(self, query_id: QueryId, event: &Event) -> bool {
        match self {
            Self::After(seq) | Self::Left(seq) => event.seq > seq,
            Self::Request(wanted) => wanted == query_id,
            Self::Since(began) => event.time >= began,
        }
    }
}

struct Worker {
    config: Config,
    /// When this observer began.
    began: Timestamp,
    services: Services,
    open: BTreeMap<SessionId, Open>,
    /// The last answer of each session that was captured or not worth it.
    done: BTreeMap<SessionId, u64>,
    to_understand: VecDeque<Understandable>,
    /// The model call under way, with what it is about.
    busy: Option<(Understandable, AbortOnDropHandle<()>)>,
}

impl Worker {
    async fn run(mut self, mut deliveries: BoxStream<'static, Delivery>, mut settlers: Settlers) {
        self.catch_up_with_notes().await;
        let mut idle_since = Instant::now();
        loop {
            let is_idle = self.open.is_empty() && self.busy.is_none();
            let may_understand =
                self.config.understand && is_idle && !self.to_understand.is_empty();
            tokio::select! {
                biased;
                delivery = deliveries.next() => {
                    let Some(delivery) = delivery else { return };
                    self.take(delivery).await;
                    idle_since = Instant::now();
                }
                // Reached only when nothing waits on the bus.
                who = settlers.next() => settled(who),
                () = finished(&mut self.busy), if self.busy.is_some() => self.busy = None,
                () = tokio::time::sleep_until(idle_since + self.config.idle), if may_understand => {
                    self.understand_next();
                }
            }
        }
    }

    async fn take(&mut self, delivery: Delivery) {
        let event = match delivery {
            Delivery::Event(event) => event,
            Delivery::Missed { count } => {
                tracing::info!(count, "events were missed; the session logs are read");
                return self.catch_up_with_live_sessions().await;
            }
        };
        let session_id = event.session_id;
        let Some(query_id) = event.query_id else {
            return;
        };
        match &event.body {
            EventBody::QueryReceived { .. } => {
                self.give_way();
                let open = self.open.entry(session_id).or_default();
                open.heard(query_id, &event);
            }
            EventBody::GenerationFinished { .. } => self.answered(query_id, &event).await,
            EventBody::QueryFinished { .. } => {
                if let Some(open) = self.open.get_mut(&session_id) {
                    open.requests.remove(&query_id);
                }
            }
            _ => {
                if let Some(open) = self.open.get_mut(&session_id) {
                    open.heard(query_id, &event);
                }
                return;
            }
        }
        self.note(session_id).await;
    }

    /// An answer came over the bus.
    async fn answered(&mut self, query_id: QueryId, event: &Event) {
        let open = self.open.entry(event.session_id).or_default();
        let asked = match open.requests.get(&query_id) {
            Some(asked) if open.behind.is_none() => asked.clone(),
            // There is something left before it.
            _ if let Some(from_seq) = open.behind => {
                return self
                    .catch_up(event.session_id, Reach::After(from_seq))
                    .await;
            }
            // Its question came before this observer. What else the log has is not its own.
            _ => {
                return self
                    .catch_up(event.session_id, Reach::Request(query_id))
                    .await;
            }
        };
        match self.capture(&asked, event).await {
            Ok(()) => {
                if let Some(open) = self.open.get_mut(&event.session_id) {
                    open.requests.remove(&query_id);
                }
                self.catch_up_with_those_behind().await;
            }
            Err(error) => {
                tracing::warn!(session = %event.session_id, %error, "an answer is not captured");
                if let Some(open) = self.open.get_mut(&event.session_id) {
                    open.behind = open.starting_seq();
                }
            }
        }
    }

    /// Keeps an answer, if there is one to keep.
    async fn capture(&mut self, asked: &Asked, event: &Event) -> Result<(), memory::Error> {
        let question = &asked.question;
        // What the rules say without a tool is help with what to type.
        let is_help = asked.is_by_rules && calls_nothing(event);
        let emptied = (asked.holds_call || is_help).then(|| without_answer(event));
        let said = emptied.as_ref().unwrap_or(event);
        let asked = Some(question).filter(|question| !question.is_empty());
        let Some(request) = asked.and_then(|question| engram::of(question, said)) else {
            self.is_done(event);
            return Ok(());
        };
        let WriteEntry::Engram { answer, .. } = &request.entry else {
            return Ok(());
        };
        let answer = answer.clone();
        match self.services.memory.write(request).await {
            Ok(WriteAnswer::Stored { .. }) if !self.config.understand => {}
            Ok(WriteAnswer::Stored { id }) => {
                let question = question.clone();
                self.to_understand.push_back(Understandable {
                    id,
                    question,
                    answer,
                });
                if self.to_understand.len() > TO_UNDERSTAND {
                    self.to_understand.pop_front();
                }
            }
            Ok(WriteAnswer::Duplicate { .. }) => {}
            Ok(WriteAnswer::Rejected { refusal, .. }) => {
                let refusal = refusal.as_str();
                tracing::info!(session = %event.session_id, refusal, "an answer is kept out");
            }
            // It would not be taken next time either.
            Err(error @ memory::Error::Invalid { .. }) => {
                tracing::warn!(session = %event.session_id, %error, "an answer is not captured");
            }
            Err(error) => return Err(error),
        }
        self.is_done(event);
        Ok(())
    }

    fn is_done(&mut self, event: &Event) {
        self.done.insert(event.session_id, event.seq);
        if self.done.len() > KNOWN_SESSIONS {
            self.done.pop_first();
        }
    }

    /// Brings the note on disk in line with what is open.
    async fn note(&mut self, session_id: SessionId) {
        let from_seq = self.open.get(&session_id).and_then(Open::starting_seq);
        if from_seq.is_none() {
            self.open.remove(&session_id);
        }
        let folder = self.config.folder.clone();
        let written = tokio::task::spawn_blocking(move || match from_seq {
            Some(from_seq) => record::write(
                &folder,
                Note {
                    session_id,
                    from_seq,
                },
            ),
            None => record::remove(&folder, session_id),
        });
        if !matches!(written.await, Ok(Ok(()))) {
            tracing::warn!(session = %session_id, "a crash now would lose an engram");
        }
    }

    /// What earlier processes left behind.
    async fn catch_up_with_notes(&mut self) {
        let folder = self.config.folder.clone();
        let reading = tokio::task::spawn_blocking(move || record::read(&folder)).await;
        let notes = match reading {
            Ok(Ok(notes)) => notes,
            Ok(Err(error)) => return tracing::warn!(%error, "what was left to capture is unknown"),
            Err(error) => return tracing::warn!(%error, "what was left to capture is unknown"),
        };
        for note in notes.into_iter().take(CAUGHT_UP) {
            self.catch_up(note.session_id, Reach::Left(note.from_seq))
                .await;
            // What a dead process was working on has no answer any more.
            if let Some(open) = self.open.get_mut(&note.session_id) {
                open.requests.clear();
            }
            self.note(note.session_id).await;
        }
    }

    /// What memory could not take in while it was away, now that it does.
    async fn catch_up_with_those_behind(&mut self) {
        let behind = self.open.iter();
        let behind = behind.filter_map(|(session_id, open)| Some((*session_id, open.behind?)));
        let behind: Vec<(SessionId, u64)> = behind.take(CAUGHT_UP).collect();
        for (session_id, from_seq) in behind {
            self.catch_up(session_id, Reach::After(from_seq)).await;
            self.note(session_id).await;
        }
    }

    /// What the bus could not tell.
    async fn catch_up_with_live_sessions(&mut self) {
        let listed = match self.services.sessions.list(Selection::Live).await {
            Ok(listed) => listed,
            Err(error) => return tracing::warn!(%error, "missed answers are not captured"),
        };
        for session in listed.into_iter().filter(|one| one.live).take(CAUGHT_UP) {
            let session_id = session.session_id;
            let done = self.done.get(&session_id);
            let reach = done.map_or(Reach::Since(self.began), |seq| Reach::After(*seq));
            self.catch_up(session_id, reach).await;
            self.note(session_id).await;
        }
    }

    /// Reads a session's log and captures the answers within reach. What is still in work there is
    /// open afterwards; what could not be kept, too.
    async fn catch_up(&mut self, session_id: SessionId, reach: Reach) {
        let mut open = Open::default();
        match self.read_log(session_id, reach, &mut open).await {
            Ok(()) => {}
            Err(Trouble::Memory(error)) => {
                tracing::warn!(session = %session_id, %error, "answers are not captured");
                open.behind = open.behind.or(match reach {
                    Reach::After(from_seq) | Reach::Left(from_seq) => Some(from_seq),
                    Reach::Request(_) | Reach::Since(_) => open.starting_seq(),
                });
            }
            // A log that is gone or damaged will not be better at the next start.
            Err(Trouble::Log(error)) => {
                tracing::warn!(session = %session_id, %error, "answers are not captured");
            }
        }
        self.open.insert(session_id, open);
    }

    async fn read_log(
        &mut self,
        session_id: SessionId,
        reach: Reach,
        open: &mut Open,
    ) -> Result<(), Trouble> {
        let attached = self
            .services
            .sessions
            .attach(session_id, 1, Follow::Outline);
        let mut events = attached.await?;
        while let Some(event) = events.next().await {
            let event = event?;
            let is_taken_up = matches!(event.body, EventBody::SessionResumed { .. });
            if is_taken_up && matches!(reach, Reach::Left(seq) if event.seq > seq) {
                break;
            }
            let Some(query_id) = event.query_id else {
                continue;
            };
            match &event.body {
                EventBody::GenerationFinished { .. } => {
                    let known = open.requests.get(&query_id).cloned();
                    if let Some(asked) = known.filter(|_| reach.has(query_id, &event)) {
                        open.behind = Some(asked.seq);
                        self.capture(&asked, &event).await?;
                        open.behind = None;
                    }
                    open.requests.remove(&query_id);
                }
                EventBody::QueryFinished { .. } => {
                    open.requests.remove(&query_id);
                }
                _ => {
                    open.heard(query_id, &event);
                }
            }
        }
        Ok(())
    }

    /// The user asked something: a model that is used for this is free for it.
    fn give_way(&mut self) {
        if let Some((engram, _stopped)) = self.busy.take() {
            self.to_understand.push_front(engram);
        }
    }

    fn understand_next(&mut self) {
        let Some(engram) = self.to_understand.pop_front() else {
            return;
        };
        let understanding = Understanding {
            memory: self.services.memory.clone(),
            models: self.services.models.clone(),
            audit: self.services.audit.clone(),
            clock: self.services.clock.clone(),
        };
        let about = engram.clone();
        let task = tokio::spawn(async move { understanding.understand(engram).await });
        self.busy = Some((about, AbortOnDropHandle::new(task)));
    }
}

/// Whether an answer came without a call of a tool.
fn calls_nothing(event: &Event) -> bool {
    match &event.body {
        EventBody::GenerationFinished { tool_calls, .. } => tool_calls.is_empty(),
        _ => false,
    }
}

/// The event as if no answer had come.
fn without_answer(event: &Event) -> Event {
    let mut event = event.clone();
    if let EventBody::GenerationFinished { answer, .. } = &mut event.body {
        answer.clear();
    }
    event
}

/// Waits for the model call under way.
async fn finished(busy: &mut Option<(Understandable, AbortOnDropHandle<()>)>) {
    if let Some((engram, task)) = busy
        && let Err(error) = task.await
    {
        tracing::warn!(id = %engram.id, %error, "a question was not understood");
    }
}

/// Why catching up ended early.
#[derive(Debug)]
enum Trouble {
    Log(sessions::Error),
    Memory(memory::Error),
}

impl From<sessions::Error> for Trouble {
    fn from(error: sessions::Error) -> Self {
        Self::Log(error)
    }
}

impl From<memory::Error> for Trouble {
    fn from(error: memory::Error) -> Self {
        Self::Memory(error)
    }
}

/// What an answer is remembered by. What the drive said to a model is nobody's question: empty, and
/// not remembered.
fn question_of(origin: Origin, text: &str) -> String {
    match origin {
        Origin::User => text.to_owned(),
        Origin::Drive => String::new(),
    }
}
