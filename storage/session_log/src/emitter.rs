//! The one way an event comes into being: appended to the session log first, then shown to whoever
//! attached to the session, and to the bus. One in passing is shown to whoever attached, and no more.

use crate::changed::Changed;
use crate::fold::{Fold, Scope};
use crate::record::SessionLog;
use api::bus::Bus;
use api::sessions::{Error, ErrorKind};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::fault::{Coded, Fault};
use domain::id::SessionId;
use domain::limits::EVENT_BACKLOG;
use std::sync::{Arc, MutexGuard, PoisonError};
use tokio::sync::{Mutex, broadcast};

/// Tells the time, UTC. A value, so that tests choose it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// When an event may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once the operating system has it: killing this process does not lose it.
    Written,
    /// Once the disk has it: losing power does not lose it either.
    Synchronised,
}

/// What listeners are sent.
#[derive(Debug, Clone)]
pub enum Shown {
    /// Something happened.
    Event(Arc<Event>),
    /// Something happened that the log could not take, so no one will ever see it. Behind a pointer: a
    /// session keeps room for many of these.
    Broken(Arc<Fault>),
}

/// Appends events to one session's log, folds them, and shows them to whoever listens. Cheap to clone.
pub struct Emitter<F> {
    inner: Arc<Inner<F>>,
}

impl<F> Clone for Emitter<F> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

struct Inner<F> {
    session_id: SessionId,
    clock: Clock,
    log: Mutex<Option<SessionLog>>,
    sender: broadcast::Sender<Shown>,
    bus: Arc<dyn Bus>,
    history: std::sync::Mutex<F>,
    changed: std::sync::Mutex<Changed>,
}

impl<F> Inner<F> {
    /// Tells whoever listens that the log cannot be written, and what was changed all the same.
    fn broken(&self, error: Error) -> Error {
        let error = lock(&self.changed).told_with(error, self.session_id);
        // No listener is no failure: whoever emits is told as well.
        let _ = self.sender.send(Shown::Broken(Arc::new(error.fault())));
        error
    }
}

/// Shows an event when dropped, so that one which is in the log is shown even if its writer was
/// cancelled while waiting for the disk.
struct Announcement<'a, F: Fold> {
    inner: &'a Inner<F>,
    event: Arc<Event>,
}

impl<F: Fold> Drop for Announcement<'_, F> {
    fn drop(&mut self) {
        lock(&self.inner.history).apply(&self.event);
        // The bus first: who sees the event may rely on the observers being told.
        self.inner.bus.publish(Arc::clone(&self.event));
        // No listener is no failure: the log has the event.
        let _ = self
            .inner
            .sender
            .send(Shown::Event(Arc::clone(&self.event)));
    }
}

impl<F: Fold> Emitter<F> {
    /// An emitter that continues `log`, whose events `history` has seen.
    #[must_use]
    pub fn new(
        session_id: SessionId,
        log: SessionLog,
        history: F,
        (clock, bus): (Clock, Arc<dyn Bus>),
    ) -> Self {
        let (sender, _) = broadcast::channel(EVENT_BACKLOG);
        Self {
            inner: Arc::new(Inner {
                session_id,
                clock,
                log: Mutex::new(Some(log)),
                sender,
                bus,
                history: std::sync::Mutex::new(history),
                changed: std::sync::Mutex::default(),
            }),
        }
    }

    /// Whose events they are.
    pub fn session_id(&self) -> SessionId {
        self.inner.session_id
    }

    /// What happened so far. Not to be held across an await.
    pub fn history(&self) -> MutexGuard<'_, F> {
        lock(&self.inner.history)
    }

    /// Appends an event and shows it. One in passing ([`EventBody::is_passing`]) is shown alone.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`]; the event then exists nowhere, or is shown but may not outlast a
    /// loss of power.
    pub async fn emit(
        &self,
        scope: Scope,
        body: EventBody,
        durability: Durability,
    ) -> Result<Arc<Event>, Error> {
        let mut guard = self.inner.log.lock().await;
        let log = guard.as_mut().ok_or_else(closed)?;
        let is_passing = body.is_passing();
        let event = Arc::new(Event {
            seq: log.last_seq() + u64::from(!is_passing),
            time: (self.inner.clock)(),
            session_id: self.inner.session_id,
            query_id: scope.query_id,
            agent_id: scope.agent_id,
            respondent_id: None,
            call_id: scope.call_id,
            body,
        });
        if is_passing {
            // No listener is no failure: nobody needs it later.
            let _ = self.inner.sender.send(Shown::Event(Arc::clone(&event)));
            return Ok(event);
        }
        lock(&self.inner.changed).note(&event.body);
        if let Err(error) = log.append(&event) {
            return Err(self.inner.broken(error));
        }
        let announcement = Announcement {
            inner: &self.inner,
            event: Arc::clone(&event),
        };
        let synced = match durability {
            Durability::Synchronised => log.synchronise().await,
            Durability::Written => Ok(()),
        };
        drop(announcement);
        synced.map_err(|error| self.inner.broken(error))?;
        lock(&self.inner.changed).listed(&event.body);
        Ok(event)
    }

    /// The last event's number and everything shown after it.
    pub async fn subscribe(&self) -> (u64, broadcast::Receiver<Shown>) {
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

fn lock<T>(shared: &std::sync::Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while folding leaves at worst one event out of the view; the log has it.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
