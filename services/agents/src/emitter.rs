//! The one way an event comes into being: appended to the session log first, then shown.

use crate::config::Clock;
use crate::record::SessionLog;
use api::sessions::{Error, ErrorKind};
use domain::event::{Event, EventBody};
use domain::id::{AgentId, CallId, QueryId, SessionId};
use domain::limits::EVENT_BACKLOG;
use std::sync::Arc;
use tokio::sync::{Mutex, broadcast};

/// What an event belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scope {
    /// The request.
    pub query_id: Option<QueryId>,
    /// The agent.
    pub agent_id: Option<AgentId>,
    /// The tool call.
    pub call_id: Option<CallId>,
}

/// Appends events to one session's log and shows them to whoever listens. Cheap to clone.
#[derive(Clone)]
pub struct Emitter {
    inner: Arc<Inner>,
}

struct Inner {
    session_id: SessionId,
    clock: Clock,
    log: Mutex<Option<SessionLog>>,
    sender: broadcast::Sender<Arc<Event>>,
}

/// Shows an event when dropped, so that one which is in the log is shown even if its writer was
/// cancelled while waiting for the disk.
struct Announcement<'a> {
    sender: &'a broadcast::Sender<Arc<Event>>,
    event: Arc<Event>,
}

impl Drop for Announcement<'_> {
    fn drop(&mut self) {
        // No listener is no failure: the log has the event.
        let _ = self.sender.send(Arc::clone(&self.event));
    }
}

impl Emitter {
    /// An emitter that continues `log`.
    #[must_use]
    pub fn new(session_id: SessionId, log: SessionLog, clock: Clock) -> Self {
        let (sender, _) = broadcast::channel(EVENT_BACKLOG);
        Self {
            inner: Arc::new(Inner {
                session_id,
                clock,
                log: Mutex::new(Some(log)),
                sender,
            }),
        }
    }

    /// Appends an event and shows it.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`]; the event then exists nowhere.
    pub async fn emit(&self, scope: Scope, body: EventBody) -> Result<Arc<Event>, Error> {
        let mut guard = self.inner.log.lock().await;
        let log = guard.as_mut().ok_or_else(closed)?;
        let event = Arc::new(Event {
            seq: log.last_seq() + 1,
            time: (self.inner.clock)(),
            session_id: self.inner.session_id,
            query_id: scope.query_id,
            agent_id: scope.agent_id,
            respondent_id: None,
            call_id: scope.call_id,
            body,
        });
        log.append(&event)?;
        let announcement = Announcement {
            sender: &self.inner.sender,
            event: Arc::clone(&event),
        };
        if must_survive_power_loss(&event.body) {
            let file = log.file();
            let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
            if !matches!(synced, Ok(Ok(()))) {
                tracing::error!(session = %self.inner.session_id, ?synced, "the session log could not be synchronised");
            }
        }
        drop(announcement);
        Ok(event)
    }

    /// The last event's number and every event after it.
    pub async fn subscribe(&self) -> (u64, broadcast::Receiver<Arc<Event>>) {
        let guard = self.inner.log.lock().await;
        let last_seq = guard.as_ref().map_or(0, SessionLog::last_seq);
        (last_seq, self.inner.sender.subscribe())
    }

    /// Gives up the log and its lock. Emitting afterwards fails.
    pub async fn close(&self) {
        self.inner.log.lock().await.take();
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::NotFound, "The session is closed.")
        .with_hint("Open it again to continue.")
}

/// Killing the process loses no written line; only power loss does. These are the lines that the
/// user was told of or that say what was done to the world.
fn must_survive_power_loss(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::QueryReceived { .. }
            | EventBody::ToolResult { .. }
            | EventBody::QueryFinished { .. }
    )
}
