//! What the drive does while the prompt of a chat waits.

use crate::exit::OrFail;
use anyhow::Result;
use api::sessions::{Follow, Sessions};
use domain::decision::Verdict;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use futures::StreamExt;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use text::escape::{visible, visible_line};
use tokio::task::JoinHandle;
use turn::drive::summary;

/// Prints lines while the prompt waits; whether it still can.
type Printer = Box<dyn FnMut(String) -> bool + Send>;

/// A printer that several have.
#[derive(Clone)]
pub struct SharedPrinter(Arc<Mutex<Printer>>);

impl SharedPrinter {
    /// One that prints like this.
    #[must_use]
    pub fn new(print: impl FnMut(String) -> bool + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(print))))
    }

    /// Prints lines, each with its end; whether it could.
    pub fn print(&self, lines: String) -> bool {
        let mut print = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        print(lines)
    }
}

/// A request of the drive's that waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The request that asks.
    pub query_id: QueryId,
    /// The event with which it came in.
    pub seq: u64,
}

/// Prints what happens by itself, above the prompt. It ends when dropped.
#[derive(Debug)]
pub struct Onlooker {
    /// Set while something else shows the session's events.
    is_away: Arc<AtomicBool>,
    waiting: Arc<Mutex<Option<Waiting>>>,
    looking: JoinHandle<()>,
}

impl Onlooker {
    /// Looks on from now.
    ///
    /// # Errors
    /// When the session's events cannot be read.
    pub async fn begin(
        sessions: &dyn Sessions,
        session_id: SessionId,
        printer: SharedPrinter,
    ) -> Result<Self> {
        let mut past = sessions
            .attach(session_id, 1, Follow::ToEnd)
            .await
            .or_fail()?;
        let mut last_seq = 0;
        while let Some(event) = past.next().await {
            last_seq = event.or_fail()?.seq;
        }
        let mut events = sessions
            .attach(session_id, last_seq + 1, Follow::Live)
            .await
            .or_fail()?;
        let is_away = Arc::new(AtomicBool::new(false));
        let waiting = Arc::new(Mutex::new(None));
        let (away, question) = (Arc::clone(&is_away), Arc::clone(&waiting));
        let looking = tokio::spawn(async move {
            let mut sight = Sight::default();
            while let Some(Ok(event)) = events.next().await {
                let line = sight.line(&event);
                *question.lock().unwrap_or_else(PoisonError::into_inner) = sight.waiting;
                let Some(line) = line.filter(|_| !away.load(Ordering::SeqCst)) else {
                    continue;
                };
                if !printer.print(format!("{line}\n")) {
                    return;
                }
            }
        });
        Ok(Self {
            is_away,
            waiting,
            looking,
        })
    }

    /// Whether something else shows the session's events for now.
    pub fn look_away(&self, away: bool) {
        self.is_away.store(away, Ordering::SeqCst);
    }

    /// Waits until it sees no more: what it looked at is gone. To be asked once.
    pub async fn blinded(&mut self) {
        let _ended = (&mut self.looking).await;
    }

    /// The question that waits.
    #[must_use]
    pub fn waiting(&self) -> Option<Waiting> {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Onlooker {
    fn drop(&mut self) {
        self.looking.abort();
    }
}

/// What has been seen so far.
#[derive(Debug, Default)]
struct Sight {
    /// The drive's requests that are not finished, and the event each came in with.
    own: BTreeMap<QueryId, u64>,
    waiting: Option<Waiting>,
}

impl Sight {
    /// The line for an event; `None` for what belongs to the user's own requests, which are shown
    /// where they are made, and for what needs none.
    fn line(&mut self, event: &Event) -> Option<String> {
        match &event.body {
            EventBody::DriveState { state, reason } => {
                return Some(format!("· drive: {}, {}", state.as_str(), visible(reason)));
            }
            EventBody::SignalReceived { signal } => {
                return Some(format!("· came in: {}", visible_line(&summary(signal))));
            }
            EventBody::QueryReceived {
                origin: Origin::Drive,
                ..
            } => {
                self.own.extend(event.query_id.map(|id| (id, event.seq)));
                return None;
            }
            _ => {}
        }
        let query_id = event.query_id?;
        let seq = *self.own.get(&query_id)?;
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => Some(format!(
                "→ {} {}",
                visible_line(tool),
                visible_line(&arguments.to_string())
            )),
            EventBody::BrokerDecision {
                verdict: Verdict::Deny,
                reason,
                ..
            } => Some(format!("  ✗ denied: {}", visible(reason))),
            EventBody::ConfirmationAsked(_) => {
                self.waiting = Some(Waiting { query_id, seq });
                Some("? a question waits for you: press Enter to see it".to_owned())
            }
            EventBody::ConfirmationAnswered { .. } => {
                self.waiting = None;
                None
            }
            EventBody::Error(fault) => Some(format!("error: {}", visible(&fault.message))),
            EventBody::GenerationFinished { answer, .. } if !answer.is_empty() => {
                Some(visible(answer.trim_end()))
            }
            EventBody::QueryFinished { .. } => {
                self.own.remove(&query_id);
                self.waiting = None;
                None
            }
            _ => None,
        }
    }
}
