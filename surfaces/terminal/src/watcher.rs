//! What a session does by itself, or for others, while the prompt of a chat waits.

use crate::exit::OrFail;
use crate::printer::SharedPrinter;
use crate::undo::in_words;
use anyhow::Result;
use api::Streaming;
use api::sessions::{Error, Follow, Sessions};
use domain::decision::Verdict;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use futures::StreamExt;
use rendering::agents::gist;
use rendering::confirm;
use rendering::drive;
use rendering::in_force::InForce;
use rendering::terminal::CallsElsewhere;
use rendering::values;
use rendering::{Paint, quality};
use session::SessionView;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use text::escape::{prose, visible_line, visible_lines};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use turn::drive::{is_news, summary};

/// A request of the drive's that waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The request that asks.
    pub query_id: QueryId,
    /// The event with which it came in.
    pub seq: u64,
}

/// Numbers of events that something else showed, and that the watcher has not come to yet.
pub type ShownElsewhere = Arc<Mutex<BTreeSet<u64>>>;

/// What is said when the drive, or another, waits for an answer.
const QUESTION: &str = "? a question waits for you: press Enter to see it";
/// Most events that wait until it goes on; older ones are not shown.
const HELD_EVENTS: usize = 10_000;

/// Prints what happens by itself, and what others ask, above the prompt. It ends when dropped.
#[derive(Debug)]
pub struct SessionWatcher {
    /// Set while something else shows the session's events.
    is_paused: watch::Sender<bool>,
    shown: ShownElsewhere,
    waiting: Arc<Mutex<Option<Waiting>>>,
    is_closed: Arc<AtomicBool>,
    /// The last event that it came to.
    seen: Arc<AtomicU64>,
    watching: JoinHandle<()>,
}

impl SessionWatcher {
    /// Watches from now, after showing what came since the event with the number `shown_seq`.
    ///
    /// # Errors
    /// When the session's events cannot be read.
    pub async fn begin(
        sessions: &dyn Sessions,
        (session_id, in_force): (SessionId, InForce),
        printer: SharedPrinter,
        shown_seq: u64,
    ) -> Result<Self> {
        let mut past = sessions
            .attach(session_id, 1, Follow::Outline)
            .await
            .or_fail()?;
        let mut state = WatchState::of(in_force);
        while let Some(event) = past.next().await {
            let event = event.or_fail()?;
            // What it comes to in the middle is shown from here on.
            let line = state.line(&event);
            if let Some(line) = line.filter(|_| event.seq > shown_seq) {
                printer.print(format!("{line}\n"));
            }
        }
        // A question is not told away by what came after it.
        let mut questions = state.view.questions().iter();
        if questions.any(|one| one.asked_seq <= shown_seq) {
            printer.print(format!("{QUESTION}\n"));
        }
        let last_seq = state.view.last_seq();
        let events = sessions
            .attach(session_id, last_seq + 1, Follow::Live)
            .await
            .or_fail()?;
        let waiting = Arc::new(Mutex::new(state.waiting()));
        let (is_paused, shown) = (watch::Sender::new(false), ShownElsewhere::default());
        let task = WatchTask {
            is_paused: is_paused.subscribe(),
            shown: Arc::clone(&shown),
            waiting: Arc::clone(&waiting),
            is_closed: Arc::default(),
            seen: Arc::new(AtomicU64::new(last_seq)),
            held: VecDeque::new(),
        };
        Ok(Self {
            seen: Arc::clone(&task.seen),
            is_closed: Arc::clone(&task.is_closed),
            is_paused,
            shown,
            waiting,
            watching: tokio::spawn(task.watch(events, state, printer)),
        })
    }

    /// Whether something else shows the session's events for now. What that does not show is shown
    /// afterwards.
    pub fn pause(&self, paused: bool) {
        self.is_paused.send_replace(paused);
    }

    /// Where to put the numbers of events that something else shows.
    #[must_use]
    pub fn shown_elsewhere(&self) -> ShownElsewhere {
        Arc::clone(&self.shown)
    }

    /// The number of the last event that it came to.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::SeqCst)
    }

    /// Waits until the events end: what it watches is gone. To be called once.
    pub async fn wait_closed(&mut self) {
        let _ended = (&mut self.watching).await;
    }

    /// The question that waits.
    #[must_use]
    pub fn waiting(&self) -> Option<Waiting> {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a question that it told of was closed since this was asked last: what is typed may be
    /// meant for it.
    #[must_use]
    pub fn has_closed(&self) -> bool {
        self.is_closed.swap(false, Ordering::SeqCst)
    }
}

impl Drop for SessionWatcher {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

/// What the task that watches holds.
struct WatchTask {
    is_paused: watch::Receiver<bool>,
    shown: ShownElsewhere,
    waiting: Arc<Mutex<Option<Waiting>>>,
    is_closed: Arc<AtomicBool>,
    seen: Arc<AtomicU64>,
    held: VecDeque<Event>,
}

impl WatchTask {
    /// Watches until the events end or nothing can be printed.
    async fn watch(
        mut self,
        mut events: Streaming<Event, Error>,
        mut state: WatchState,
        printer: SharedPrinter,
    ) {
        loop {
            while !*self.is_paused.borrow_and_update()
                && let Some(event) = self.held.pop_front()
            {
                self.seen.store(event.seq, Ordering::SeqCst);
                let asking = state.view.questions().len();
                let line = state.line(&event);
                let was_shown = self.was_shown(event.seq);
                if !was_shown && state.view.questions().len() < asking {
                    self.is_closed.store(true, Ordering::SeqCst);
                }
                *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = state.waiting();
                let line = line.filter(|_| !was_shown);
                if line.is_some_and(|line| !printer.print(format!("{line}\n"))) {
                    return;
                }
            }
            tokio::select! {
                event = events.next() => match event {
                    Some(Ok(event)) => self.hold(event),
                    Some(Err(_)) | None => return,
                },
                changed = self.is_paused.changed() => if changed.is_err() {
                    return;
                },
            }
        }
    }

    fn hold(&mut self, event: Event) {
        let is_piece = matches!(
            event.body,
            EventBody::TextDelta { .. } | EventBody::ThinkingDelta { .. }
        );
        if is_piece {
            return;
        }
        if self.held.len() >= HELD_EVENTS {
            self.held.pop_front();
        }
        self.held.push_back(event);
    }

    /// Whether something else showed this event; numbers up to it are done with.
    fn was_shown(&self, seq: u64) -> bool {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let later = shown.split_off(&(seq + 1));
        let was = shown.contains(&seq);
        *shown = later;
        was
    }
}

/// The session as far as it was watched.
#[derive(Debug)]
struct WatchState {
    view: SessionView,
    in_force: InForce,
    calls: CallsElsewhere,
}

impl WatchState {
    fn of(in_force: InForce) -> Self {
        Self {
            view: SessionView::default(),
            in_force,
            calls: CallsElsewhere::default(),
        }
    }

    /// The question that waits.
    fn waiting(&self) -> Option<Waiting> {
        let mut asking = self.view.questions().iter().filter_map(|one| one.query_id);
        asking.find_map(|query_id| {
            let request = self.view.open_request(query_id)?;
            Some(Waiting {
                query_id,
                seq: request.received_seq,
            })
        })
    }

    /// The first request that an event takes back, but for one that only took back itself.
    fn taken_back(&self, event: &Event) -> Option<String> {
        let EventBody::Rewound { to_seq } = &event.body else {
            return None;
        };
        let mut standing = self.view.exchanges().standing().iter();
        let first = standing.find(|one| one.begins_after >= *to_seq)?;
        (!first.is_undo).then(|| gist(&first.text))
    }

    /// The line for an event that nothing else shows; `None` for what needs none.
    fn line(&mut self, event: &Event) -> Option<String> {
        let taken_back = self.taken_back(event);
        self.view.apply(event);
        let change = self.in_force.note(event);
        let ends = self.calls.lines(event).join("\n");
        match &event.body {
            EventBody::DriveState(decision) => {
                let background = self.view.background();
                drive::told(decision, background, event.time).map(|told| format!("· {told}"))
            }
            EventBody::Critique { .. }
            | EventBody::NotGraded(_)
            | EventBody::SecondAnswered { .. }
            | EventBody::SecondMissed(_)
            | EventBody::SecondTaken { .. }
            | EventBody::Pairwise { .. } => {
                let offer = quality::offer(&self.view, event);
                let offer = offer.map_or_else(String::new, |offer| format!("\n  {offer}"));
                let paint = Paint::for_stream(&std::io::stderr());
                let news = quality::news(&self.view, event);
                news.map(|news| format!("{}{offer}", news.line(paint)))
            }
            EventBody::Notice(fault) if event.query_id.is_none() => {
                let (what, how) = (visible_lines(&fault.message), visible_lines(&fault.hint));
                let code = visible_line(&fault.code);
                Some(format!("note: {what} [{code}]\n  {how}"))
            }
            EventBody::SignalReceived { signal } => {
                is_news(signal).then(|| format!("· came in: {}", visible_line(&summary(signal))))
            }
            EventBody::Rewound { .. } => {
                taken_back.map(|text| format!("· taken back in another window: {text}"))
            }
            EventBody::SessionResumed { .. } | EventBody::SessionConfigured { .. } => {
                change.map(|change| format!("· {change}"))
            }
            EventBody::QueryReceived { origin, text, .. } => match origin {
                Origin::Drive => None,
                Origin::User => {
                    let asked = in_words(text);
                    Some(format!("· asked elsewhere: {}", visible_line(&asked)))
                }
            },
            EventBody::QueryFinished { .. } => Some(ends).filter(|ends| !ends.is_empty()),
            _ => {
                self.view.open_request(event.query_id?)?;
                of_request(&event.body).or_else(|| Some(ends).filter(|ends| !ends.is_empty()))
            }
        }
    }
}

/// The line for what a request that is under way does.
fn of_request(body: &EventBody) -> Option<String> {
    match body {
        EventBody::ToolRequested {
            tool, arguments, ..
        } => Some(format!(
            "→ {} {}",
            visible_line(tool),
            values::arguments(arguments)
        )),
        EventBody::BrokerDecision {
            verdict: Verdict::Deny,
            reason,
            ..
        } => Some(format!("  ✗ denied: {}", visible_line(reason))),
        EventBody::ConfirmationAsked(_) => Some(QUESTION.to_owned()),
        EventBody::ConfirmationAnswered { answer, by, .. } => {
            Some(format!("· {}", confirm::closed(answer, by, "/retry")))
        }
        EventBody::Error(fault) => Some(format!("error: {}", visible_lines(&fault.message))),
        EventBody::GenerationFinished { answer, .. } if !answer.is_empty() => {
            Some(prose(answer.trim_end()))
        }
        _ => None,
    }
}
