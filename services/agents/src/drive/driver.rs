//! Performs what [`turn::drive`] decides for one session, and words what the user is notified of.

use crate::drive::handle::{Adapters, SessionHandle};
use crate::drive::settings::Settings;
use crate::drive::sources::{Outside, SourceError, ends_of_jobs, notices_of_jobs};
use crate::drive::tools::TOOLS;
use crate::history::History;
use api::signals::Notice;
use domain::Timestamp;
use domain::drive::{DriveDecision, Origin, Signal};
use domain::event::{CallStatus, Event as Happened, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::{CallId, QueryId};
use domain::quality::LOW_GRADE;
use domain::settings::{Mode, SessionProfile};
use domain::tool::{WATCH_PATH, YIELD_TO_USER};
use futures::StreamExt;
use futures::stream::{BoxStream, SelectAll, select_all};
use session_log::{Scope, Shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use turn::drive::{Action, Brief, Drive, Ending, Event, Notification, Past};
use uuid::Uuid;

/// How often it looks whether quiet hours begin or end.
const QUIET_CHECK: Duration = Duration::from_secs(60);
/// How long changes of a file that the session itself made are no news, seconds.
const OWN_CHANGE_SECONDS: i64 = 10;
/// Most paths of own changes that are remembered.
const OWN_CHANGES: usize = 1_000;
/// Longest text of a notice, characters.
const NOTICE_CHARS: usize = 200;

/// Keeps the drive of a session going until the session closes.
pub(crate) async fn run(
    session: Arc<dyn SessionHandle>,
    adapters: Adapters,
    shown: broadcast::Receiver<Shown>,
) {
    let closing = session.closing();
    let mut driver = Driver::new(session, adapters, shown);
    driver.miss_jobs().await;
    driver.follow_mode().await;
    loop {
        let due = driver.pause();
        tokio::select! {
            biased;
            () = closing.cancelled() => return,
            shown = driver.shown.recv() => match shown {
                Ok(Shown::Event(event)) => driver.saw(&event).await,
                Ok(Shown::Broken(fault)) => driver.could_not_write(&fault.message),
                Err(RecvError::Lagged(_)) => driver.catch_up().await,
                Err(RecvError::Closed) => return,
            },
            Some(ended) = driver.jobs.next() => match ended {
                Ok(signal) => driver.came_in(signal).await,
                Err(error) => driver.report_source_error(&error, SourceError::Jobs).await,
            },
            Some(notice) = driver.notices.next() => {
                driver.emit(Scope::default(), EventBody::Notice(notice)).await;
            }
            Some(reported) = driver.outside.next() => match reported {
                Ok(signal) => driver.came_in(signal).await,
                Err(error) => driver.report_source_error(&error, SourceError::Unavailable).await,
            },
            () = tokio::time::sleep(due.unwrap_or_default()), if due.is_some() => {
                driver.tick().await;
            }
        }
    }
}

pub(super) struct Driver {
    pub(super) session: Arc<dyn SessionHandle>,
    pub(super) adapters: Adapters,
    shown: broadcast::Receiver<Shown>,
    /// What adapters report; empty while the drive is off.
    pub(super) outside: SelectAll<Outside>,
    /// The ends of background jobs, heard in every mode.
    jobs: futures::stream::Fuse<Outside>,
    /// What the user is to know of background jobs.
    notices: futures::stream::Fuse<BoxStream<'static, Fault>>,
    pub(super) drive: Drive,
    /// The drive's own turn, once it is in the queue.
    running: Option<QueryId>,
    /// Requests that are not finished, and whether each called tools.
    open: BTreeMap<QueryId, (Origin, bool)>,
    /// Calls of [`YIELD_TO_USER`], and whether each is until a signal.
    yields: BTreeMap<CallId, bool>,
    provider: Option<String>,
    /// Files that the session itself changed, and when.
    own: BTreeMap<PathBuf, Timestamp>,
    /// The last answer of a turn of the drive.
    answer: String,
    is_quiet_hour: bool,
    /// How long it rests after a write to the log that failed; zero while the log can be written.
    pub(super) unwritten: Duration,
    /// What the user was told does not work.
    pub(super) complaints: BTreeSet<String>,
    /// Whether it is in the log that notices are not shown.
    is_mute: Arc<AtomicBool>,
}

impl Driver {
    fn new(
        session: Arc<dyn SessionHandle>,
        adapters: Adapters,
        shown: broadcast::Receiver<Shown>,
    ) -> Self {
        let now = (adapters.clock)();
        let past = past(&session.emitter().history(), &adapters.settings);
        let id = session.emitter().session_id();
        let jobs = ends_of_jobs(&adapters.senses, id).fuse();
        let notices = notices_of_jobs(&adapters.senses, id).fuse();
        Self {
            drive: Drive::new(adapters.settings.limits, past, now),
            jobs,
            notices,
            session,
            adapters,
            shown,
            outside: select_all(Vec::new()),
            running: None,
            open: BTreeMap::new(),
            yields: BTreeMap::new(),
            provider: None,
            own: BTreeMap::new(),
            answer: String::new(),
            is_quiet_hour: false,
            unwritten: Duration::ZERO,
            complaints: BTreeSet::new(),
            is_mute: Arc::default(),
        }
    }

    fn now(&self) -> Timestamp {
        (self.adapters.clock)()
    }

    /// What the session is opened with now.
    pub(super) fn profile(&self) -> Option<SessionProfile> {
        let history = self.session.emitter().history();
        history.view.profile().cloned()
    }

    /// How long nothing has to be done unless something happens.
    fn pause(&self) -> Option<Duration> {
        if !self.drive.is_on() {
            return None;
        }
        let timers = self
            .session
            .emitter()
            .history()
            .view
            .background()
            .timers()
            .to_vec();
        let first = timers.iter().map(|timer| timer.due).min();
        let now = self.now();
        let dues = [self.drive.wake_at(), first];
        let due = dues.into_iter().flatten().min();
        let pause = due.map(|due| Duration::try_from(due.duration_since(now)).unwrap_or_default());
        // What could not be logged is due until it is.
        let pause = match self.unwritten {
            Duration::ZERO => pause,
            rest => Some(pause.map_or(rest, |pause| pause.max(rest))),
        };
        match (&self.adapters.settings.quiet_hours, pause) {
            (Some(_), pause) => Some(pause.map_or(QUIET_CHECK, |pause| pause.min(QUIET_CHECK))),
            (None, pause) => pause,
        }
    }

    /// Switches the drive on or off as the session's mode says.
    async fn follow_mode(&mut self) {
        let mode = self.profile().map(|profile| profile.mode);
        let on = mode == Some(Mode::Auto);
        if on == self.drive.is_on() {
            return;
        }
        self.on(if on { Event::Began } else { Event::Ended }).await;
        if on {
            self.listen().await;
            self.check_quiet().await;
        } else {
            self.outside = select_all(Vec::new());
        }
    }

    /// Missed events cannot be replayed into the machine; the log's fold knows where things stand.
    async fn catch_up(&mut self) {
        let was_on = self.drive.is_on();
        let (past, open) = {
            let history = self.session.emitter().history();
            let requests = history.view.open_requests();
            let open: Vec<(QueryId, Origin)> =
                requests.map(|one| (one.query_id, one.origin)).collect();
            (past(&history, &self.adapters.settings), open)
        };
        self.drive = Drive::new(self.adapters.settings.limits, past, self.now());
        (self.running, self.yields) = (None, BTreeMap::new());
        self.open = open
            .iter()
            .map(|(id, origin)| (*id, (*origin, false)))
            .collect();
        if was_on {
            self.on(Event::Began).await;
        }
        for _ in open {
            self.on(Event::UserSpoke).await;
        }
        self.follow_mode().await;
    }

    async fn saw(&mut self, event: &Happened) {
        match &event.body {
            EventBody::SessionConfigured { .. } => self.follow_mode().await,
            EventBody::QueryReceived { origin, .. } => {
                if let Some(query_id) = event.query_id {
                    self.open.entry(query_id).or_insert((*origin, false));
                }
                if *origin == Origin::User {
                    self.on(Event::UserSpoke).await;
                }
            }
            EventBody::ModelChosen { model, .. } if self.is_own(event) => {
                self.provider = Some(model.provider.clone());
            }
            EventBody::ModelAnswered { usage, .. } if self.is_own(event) => {
                let settings = &self.adapters.settings;
                let spent = settings.prices.cost(self.provider.as_deref(), *usage);
                self.on(Event::Paid(spent)).await;
            }
            EventBody::ConfirmationAsked(_) if self.is_own(event) => self.on(Event::Asked).await,
            EventBody::ToolRequested {
                tool, arguments, ..
            } if tool == YIELD_TO_USER => {
                let until_signal = arguments["until_signal"].as_bool().unwrap_or(false);
                self.yields
                    .extend(event.call_id.map(|id| (id, until_signal)));
            }
            EventBody::ToolResult {
                tool,
                status,
                artifacts,
                ..
            } => {
                self.called(event, (tool, *status), artifacts).await;
            }
            EventBody::GenerationFinished {
                answer, tool_calls, ..
            } => {
                let mut names = tool_calls.iter().map(|call| call.tool.as_str());
                let called = names.any(|name| !TOOLS.contains(&name));
                if self.is_own(event) {
                    self.answer.clone_from(answer);
                }
                let open = event.query_id.and_then(|id| self.open.get_mut(&id));
                if let Some((_, called_tools)) = open {
                    *called_tools = called;
                }
            }
            EventBody::QueryFinished { status, .. } => self.finished(event, *status).await,
            EventBody::SignalReceived { signal } => {
                self.on(Event::Signalled(signal.clone())).await;
            }
            EventBody::Feedback { score, .. } if self.drive.is_on() => {
                if let Some(query_id) = event.query_id {
                    let score = *score;
                    self.record(Signal::Feedback { query_id, score }, None)
                        .await;
                }
            }
            EventBody::Critique { score, .. } if *score <= LOW_GRADE && self.drive.is_on() => {
                if let Some(query_id) = event.query_id {
                    let score = *score;
                    self.record(Signal::Graded { query_id, score }, None).await;
                }
            }
            _ => {}
        }
    }

    fn is_own(&self, event: &Happened) -> bool {
        event.query_id.is_some() && event.query_id == self.running
    }

    async fn called(
        &mut self,
        event: &Happened,
        (tool, status): (&str, CallStatus),
        artifacts: &[String],
    ) {
        for path in artifacts {
            if self.own.len() < OWN_CHANGES {
                self.own.insert(PathBuf::from(path), event.time);
            }
        }
        let until_signal = event.call_id.and_then(|id| self.yields.remove(&id));
        if let (Some(until_signal), CallStatus::Ok) = (until_signal, status) {
            self.on(Event::Yielded { until_signal }).await;
        }
        if tool == WATCH_PATH && status == CallStatus::Ok && self.drive.is_on() {
            self.listen().await;
        }
    }

    async fn finished(&mut self, event: &Happened, status: QueryStatus) {
        let Some((origin, called_tools)) = event.query_id.and_then(|id| self.open.remove(&id))
        else {
            return;
        };
        if self.is_own(event) {
            self.running = None;
        }
        let ending = match status {
            QueryStatus::Success | QueryStatus::Partial | QueryStatus::Denied => Ending::Done,
            QueryStatus::Failed => Ending::Failed,
            QueryStatus::Interrupted => Ending::Stopped,
        };
        self.on(Event::Finished {
            origin,
            called_tools,
            ending,
        })
        .await;
    }

    /// Something from an adapter.
    async fn came_in(&mut self, signal: Signal) {
        let now = self.now();
        self.own
            .retain(|_, time| now.as_second() - time.as_second() <= OWN_CHANGE_SECONDS);
        let signal = match signal {
            Signal::FilesChanged { mut paths, count } => {
                let before = paths.len();
                paths.retain(|path| !self.own.contains_key(Path::new(path)));
                let own = u32::try_from(before - paths.len()).unwrap_or(u32::MAX);
                let count = count.saturating_sub(own);
                if count == 0 {
                    return;
                }
                Signal::FilesChanged { paths, count }
            }
            other => other,
        };
        self.record(signal, None).await;
    }

    async fn tick(&mut self) {
        if !self.log_ends().await {
            return;
        }
        let now = self.now();
        self.check_quiet().await;
        let timers = self
            .session
            .emitter()
            .history()
            .view
            .background()
            .timers()
            .to_vec();
        for timer in timers.into_iter().filter(|timer| timer.due <= now) {
            let signal = Signal::Timer { note: timer.note };
            self.record(signal, Some(timer.call_id)).await;
        }
        self.on(Event::Tick).await;
    }

    async fn check_quiet(&mut self) {
        let now = self.now();
        let hours = &self.adapters.settings.quiet_hours;
        let quiet = hours.as_ref().is_some_and(|hours| hours.contain(now));
        if quiet != self.is_quiet_hour {
            self.is_quiet_hour = quiet;
            self.on(Event::QuietHours(quiet)).await;
        }
    }

    /// Puts a signal on record; the machine is told when the event comes by.
    pub(super) async fn record(&mut self, signal: Signal, call_id: Option<CallId>) {
        let scope = Scope {
            call_id,
            ..Scope::default()
        };
        self.emit(scope, EventBody::SignalReceived { signal }).await;
    }

    async fn on(&mut self, event: Event) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for action in self.drive.on(event, self.now()) {
                events.extend(self.perform(action).await);
            }
        }
    }

    async fn perform(&mut self, action: Action) -> Option<Event> {
        match action {
            Action::Note {
                state,
                reason,
                times,
            } => {
                let decision = DriveDecision::new(state, reason, times);
                self.emit(Scope::default(), EventBody::DriveState(decision))
                    .await;
                None
            }
            Action::Act(brief) => self.act(brief).await,
            Action::Tell(notification) => {
                self.tell(notification);
                None
            }
            Action::Cut => {
                if let Some(running) = self.running {
                    self.session.stop_request(running).await;
                }
                None
            }
        }
    }

    /// Begins a turn; what to tell the machine when it could not begin.
    async fn act(&mut self, brief: Brief) -> Option<Event> {
        // The broker is told first: what the model is about to be shown limits what it may do.
        let label = self.session.emitter().history().drive.label();
        let told = self
            .adapters
            .control
            .recall(self.session.emitter().session_id(), label)
            .await;
        if let Err(error) = told {
            tracing::warn!(session = %self.session.emitter().session_id(), %error, "a turn of the drive was not begun");
            return Some(failed());
        }
        let text = turn::drive::compose(&brief, &Uuid::now_v7().simple().to_string());
        match self.session.send_if_free(text, Mode::Auto).await {
            Ok(Some(query_id)) => {
                self.open.insert(query_id, (Origin::Drive, false));
                (self.running, self.provider) = (Some(query_id), None);
                None
            }
            Ok(None) => Some(Event::Declined),
            Err(error) => {
                tracing::warn!(session = %self.session.emitter().session_id(), %error, "a turn of the drive was not begun");
                Some(failed())
            }
        }
    }

    fn tell(&self, notification: Notification) {
        let Some(notifier) = self.adapters.senses.notifier.clone() else {
            return;
        };
        let answer = text::escape::visible_line(&self.answer);
        let mut body: String = answer.chars().take(NOTICE_CHARS).collect();
        let (title, fixed) = match notification {
            Notification::Rested => ("Housecarl has worked", ""),
            Notification::TurnsUsed => (
                "Housecarl has stopped",
                "It has used all its turns without you.",
            ),
            Notification::BudgetUsed => (
                "Housecarl has stopped",
                "It has used what it may spend today.",
            ),
            Notification::Question => ("Housecarl asks", "A question waits for your answer."),
        };
        if !fixed.is_empty() {
            fixed.clone_into(&mut body);
        }
        let notice = Notice {
            title: title.to_owned(),
            body,
        };
        let is_mute = Arc::clone(&self.is_mute);
        tokio::spawn(async move {
            match notifier.notify(notice).await {
                Ok(()) => is_mute.store(false, Ordering::Relaxed),
                Err(_) if is_mute.swap(true, Ordering::Relaxed) => {}
                Err(error) => tracing::info!(%error, "the user cannot be notified"),
            }
        });
    }
}

/// What the log says of earlier turns, at today's prices.
fn past(history: &History, settings: &Settings) -> Past {
    history
        .drive
        .past(|provider, usage| settings.prices.cost(Some(provider), usage))
}

const fn failed() -> Event {
    Event::Finished {
        origin: Origin::Drive,
        called_tools: false,
        ending: Ending::Failed,
    }
}
