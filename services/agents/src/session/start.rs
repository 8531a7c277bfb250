//! A session begins to work: the task that works its queue off, and its drive.

use crate::drive;
use crate::history::Emitter;
use crate::session::holders::{Force, Holders};
use crate::session::shared::Shared;
use crate::session::{Root, Session};

use crate::drive::handle::{Adapters, SessionHandle};
use api::sessions::Error;
use async_trait::async_trait;
use domain::Timestamp;
use domain::id::QueryId;
use domain::settings::{Mode, SessionProfile};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;

impl Session {
    /// Starts working; the log is open and its history known.
    pub(crate) async fn start(
        shared: &Arc<Shared>,
        emitter: Emitter,
        (root, created): (Root, Timestamp),
        (holders, profile): (Holders, SessionProfile),
    ) -> Arc<Self> {
        let session = Arc::new(Self {
            id: emitter.session_id(),
            emitter,
            created,
            root,
            holders: std::sync::Mutex::new(holders),
            force: Mutex::new(Force::of(profile)),
            queue: Mutex::new(VecDeque::new()),
            unended: Mutex::new(Vec::new()),
            pinning: Mutex::new(()),
            arrived: Notify::new(),
            closing: CancellationToken::new(),
            worker: Mutex::new(None),
            context_tokens: AtomicU32::new(shared.config.context_tokens),
        });
        session.refresh_prompts(&shared.config).await;
        let work_off = Arc::clone(&session).work_off(Arc::clone(shared));
        *session.worker.lock().await = Some(tokio::spawn(work_off));
        let (_, shown) = session.emitter.subscribe().await;
        let adapters = Adapters {
            clock: Arc::clone(&shared.clock),
            settings: shared.config.drive.clone(),
            control: Arc::clone(&shared.control),
            senses: shared.tools.senses().clone(),
        };
        let driven = Driven {
            session: Arc::clone(&session),
            shared: Arc::clone(shared),
        };
        tokio::spawn(drive::run(Arc::new(driven), adapters, shown));
        session
    }

    async fn work_off(self: Arc<Self>, shared: Arc<Shared>) {
        loop {
            let next = self.queue.lock().await.front().cloned();
            match next {
                Some(pending) => Box::pin(self.answer(&shared, pending)).await,
                None if self.closing.is_cancelled() => return,
                None => self.arrived.notified().await,
            }
        }
    }
}

/// A session in the hands of its drive.
struct Driven {
    session: Arc<Session>,
    shared: Arc<Shared>,
}

#[async_trait]
impl SessionHandle for Driven {
    fn emitter(&self) -> &Emitter {
        &self.session.emitter
    }

    fn closing(&self) -> CancellationToken {
        self.session.closing()
    }

    async fn send_if_free(&self, text: String, mode: Mode) -> Result<Option<QueryId>, Error> {
        self.session.send_if_free(text, mode).await
    }

    async fn log_ends(&self) -> Result<usize, Error> {
        self.session.log_ends().await
    }

    async fn stop_request(&self, query_id: QueryId) {
        self.session.stop_request(query_id).await;
    }

    async fn may_read(&self, tool: &str, path: &str) -> bool {
        self.session.may_read(&self.shared, tool, path).await
    }
}
