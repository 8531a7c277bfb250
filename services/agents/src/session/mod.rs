//! One live session: its queue, the task that works it off, and how requests end.
//!
//! Requests of a session run one after the other. An interrupt stops the one that runs; those that
//! wait stay, since they are what the user said later, and the next begins at once.

pub(crate) mod holders;
pub(crate) mod profile;
mod queue;
pub(crate) mod refused;
mod requests;
pub(crate) mod shared;
mod start;

use crate::drive;
use crate::history::{Emitter, Unfinished};
use crate::session::holders::{Force, Holders};
use crate::session::shared::Shared;
use session_log::{Durability, Scope, Shown};

use crate::work::resources::SessionShared;
use api::CallContext;
use api::broker::{AgentListing, CallRequest, Registered};
use api::sessions::{Error, ErrorKind};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::drive::Origin;
use domain::event::EventBody;
use domain::id::{CallId, HolderId, QueryId, SessionId, TraceId};
use domain::limits::QUEUED_MESSAGES;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::settings::{Mode, SessionProfile};
use domain::tool::EffectClass;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, Notify, broadcast};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How long closing waits for a request to notice that it was stopped.
const CLOSING_WAIT: Duration = Duration::from_secs(5);

/// What a session knows of its root agent.
pub(crate) struct Root {
    pub(crate) registered: Registered,
    /// The model role its type asks for.
    pub(crate) role: ModelRole,
    /// One line about its type.
    pub(crate) about: String,
    pub(crate) effects: Arc<BTreeMap<String, EffectClass>>,
    pub(crate) agents: Arc<BTreeMap<AgentType, AgentListing>>,
    /// What its agents share.
    pub(crate) shared: Arc<SessionShared>,
    /// Whether memories are recalled for its requests, as far as its type and configuration go.
    pub(crate) may_recall: bool,
}

impl Root {
    fn agent_type(&self) -> Option<&AgentType> {
        let lineage = self.registered.lineage.last();
        lineage.map(|agent| &agent.agent_type)
    }
}

/// A live session.
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) emitter: Emitter,
    pub(crate) created: Timestamp,
    root: Root,
    pub(crate) holders: std::sync::Mutex<Holders>,
    pub(crate) force: Mutex<Force>,
    queue: Mutex<VecDeque<Pending>>,
    /// Requests whose end could not be logged, each with its last event: the log counts them as open.
    unended: Mutex<Vec<(QueryId, EventBody)>>,
    /// Held while a pin changes.
    pub(crate) pinning: Mutex<()>,
    arrived: Notify,
    closing: CancellationToken,
    worker: Mutex<Option<JoinHandle<()>>>,
    /// The context of the model that was asked last, as far as it is known, tokens.
    context_tokens: AtomicU32,
}

/// A request that runs (the first of the queue) or waits.
#[derive(Clone)]
struct Pending {
    query_id: QueryId,
    /// The chain of work that it begins.
    trace_id: TraceId,
    text: String,
    mode: Mode,
    received: Timestamp,
    /// Who sent it, and by which profile it is worked on; `None`: the session's.
    own: Option<(HolderId, SessionProfile)>,
    cancel: CancellationToken,
}

/// A request on its way into the queue.
pub(crate) struct Sent {
    /// The chain of work that it begins; the broker heard of it, where the user sent it.
    pub(crate) trace_id: TraceId,
    pub(crate) text: String,
    pub(crate) mode: Mode,
    pub(crate) origin: Origin,
    /// What came with it: data, pictures.
    pub(crate) given: Vec<EventBody>,
    /// Who sent it.
    pub(crate) holder_id: Option<HolderId>,
}

impl Session {
    /// The model role that its agent type asks for.
    pub(crate) const fn role(&self) -> ModelRole {
        self.root.role
    }

    /// What the session is opened with now.
    pub(crate) fn profile(&self) -> Option<SessionProfile> {
        self.emitter.history().view.profile().cloned()
    }

    /// Takes a request; the receiver sees everything from its `QueryReceived` on.
    pub(crate) async fn send(
        &self,
        sent: Sent,
    ) -> Result<(QueryId, (u64, broadcast::Receiver<Shown>)), Error> {
        let queue = self.queue.lock().await;
        self.place(queue, sent).await
    }

    /// Whether its agent only hands work out, and is shown nothing raw.
    pub(crate) fn orchestrates(&self) -> bool {
        let listing = self
            .root
            .agent_type()
            .and_then(|it| self.root.agents.get(it));
        listing.is_some_and(|listing| listing.orchestrates)
    }

    /// Takes a request of the drive, unless something runs or waits: then `None`.
    pub(crate) async fn send_if_free(
        &self,
        text: String,
        mode: Mode,
    ) -> Result<Option<QueryId>, Error> {
        let queue = self.queue.lock().await;
        if !queue.is_empty() {
            return Ok(None);
        }
        let sent = Sent {
            trace_id: TraceId::from_uuid(Uuid::now_v7()),
            text,
            mode,
            origin: Origin::Drive,
            given: Vec::new(),
            holder_id: None,
        };
        let placed = self.place(queue, sent).await?;
        Ok(Some(placed.0))
    }

    async fn place(
        &self,
        mut queue: MutexGuard<'_, VecDeque<Pending>>,
        sent: Sent,
    ) -> Result<(QueryId, (u64, broadcast::Receiver<Shown>)), Error> {
        if self.closing.is_cancelled() {
            return Err(Error::new(ErrorKind::NotFound, "The session is closed."));
        }
        let Sent {
            trace_id,
            text,
            mode,
            origin,
            given,
            holder_id,
        } = sent;
        // With the queue in hand: who leaves from here on finds the request there.
        let own = match holder_id {
            Some(id) => Some((id, self.holders().profile_of(id)?.clone())),
            None => None,
        };
        let waiting = queue.len().saturating_sub(1);
        if waiting >= QUEUED_MESSAGES {
            return Err(Error::new(
                ErrorKind::QueueFull,
                format!("{waiting} requests wait already; no more are taken."),
            )
            .with_hint("Wait for an answer, or interrupt what runs."));
        }
        let query_id = QueryId::from_uuid(Uuid::now_v7());
        let scope = self.scope(query_id);
        let shown = self.emitter.subscribe().await;
        let received = EventBody::QueryReceived {
            text: text.clone(),
            mode,
            origin,
        };
        let event = self
            .emitter
            .emit(scope, received, Durability::Synchronised)
            .await?;
        for given in given {
            self.emitter.emit(scope, given, Durability::Written).await?;
        }
        if let Some(position) = u32::try_from(queue.len()).ok().filter(|before| *before > 0) {
            let queued = EventBody::QueryQueued { position };
            self.emitter
                .emit(scope, queued, Durability::Written)
                .await?;
        }
        queue.push_back(Pending {
            query_id,
            trace_id,
            text,
            mode,
            received: event.time,
            own,
            cancel: self.closing.child_token(),
        });
        self.arrived.notify_one();
        Ok((query_id, shown))
    }

    /// Takes up a request that an earlier process began, before anything else is asked.
    pub(crate) async fn go_on(&self, unfinished: Unfinished, trace_id: TraceId, now: Timestamp) {
        let pending = Pending {
            query_id: unfinished.query_id,
            trace_id,
            text: unfinished.text,
            mode: unfinished.mode,
            received: now,
            own: None,
            cancel: self.closing.child_token(),
        };
        self.queue.lock().await.push_front(pending);
        self.arrived.notify_one();
    }

    /// Stops what runs if it is this request.
    pub(crate) async fn stop_request(&self, query_id: QueryId) {
        let queue = self.queue.lock().await;
        if let Some(running) = queue.front().filter(|first| first.query_id == query_id) {
            running.cancel.cancel();
        }
    }

    /// Stops what a holder asked for, running or waiting.
    pub(crate) async fn stop_requests_of(&self, holder_id: HolderId) {
        for pending in self.queue.lock().await.iter() {
            if pending.own.as_ref().is_some_and(|(id, _)| *id == holder_id) {
                pending.cancel.cancel();
            }
        }
    }

    /// Fires when the session closes.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Whether the root agent may call a tool on a path without anybody being asked. Calls nothing.
    pub(crate) async fn may_read(&self, shared: &Shared, tool: &str, path: &str) -> bool {
        let request = CallRequest {
            context: self.caller(TraceId::from_uuid(Uuid::now_v7())),
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: tool.to_owned(),
            arguments: serde_json::json!({ "path": path }),
            plan_id: None,
            batch: None,
            recovered: false,
        };
        match shared.broker.validate(request).await {
            Ok(decision) => decision.verdict == Verdict::Allow,
            Err(error) => {
                tracing::warn!(session = %self.id, %error, "a path could not be judged");
                false
            }
        }
    }

    fn caller(&self, trace_id: TraceId) -> CallContext {
        CallContext {
            session_id: self.id,
            agent_token: self.root.registered.token.clone(),
            trace_id,
        }
    }

    /// Does something to the conversation that nothing may run beside. Requests that come meanwhile
    /// wait for it.
    pub(crate) async fn while_idle<T>(
        &self,
        work: impl AsyncFnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let queue = self.queue.lock().await;
        if self.closing.is_cancelled() {
            return Err(Error::new(ErrorKind::NotFound, "The session is closed."));
        }
        if !queue.is_empty() {
            return Err(Error::new(
                ErrorKind::Busy,
                "The session is busy: a request is being worked on.",
            )
            .with_hint("Wait for the answer, or interrupt, and ask again."));
        }
        work().await
    }

    /// Stops everything. What ran is still logged by the session's own task, which then ends.
    pub(crate) fn stop(&self) {
        self.closing.cancel();
        self.arrived.notify_one();
    }

    /// Stops everything, lets it be logged, and gives up the log.
    pub(crate) async fn close(&self, shared: &Shared) {
        self.stop();
        if let Some(mut worker) = self.worker.lock().await.take()
            && tokio::time::timeout(CLOSING_WAIT, &mut worker)
                .await
                .is_err()
        {
            tracing::error!(session = %self.id, "a request did not stop in time and was dropped");
            worker.abort();
        }
        if let Err(error) = shared.control.close_session(self.id).await {
            tracing::warn!(session = %self.id, %error, "the broker could not close the session");
        }
        // What still ran in the background has ended with it, and that is on record.
        for signal in drive::unheard(shared.tools.senses(), self.id).await {
            let body = EventBody::SignalReceived { signal };
            let scope = Scope::default();
            if let Err(error) = self.emitter.emit(scope, body, Durability::Written).await {
                tracing::warn!(session = %self.id, %error, "the end of a job could not be logged");
            }
        }
        self.emitter.close().await;
        tracing::info!(session = %self.id, "a session is closed");
    }

    fn scope(&self, query_id: QueryId) -> Scope {
        Scope {
            query_id: Some(query_id),
            agent_id: Some(self.root.registered.agent_id),
            call_id: None,
        }
    }
}
