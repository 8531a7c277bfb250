//! What the drive needs of its session, and what it works with.

use crate::drive::settings::{Senses, Settings};
use crate::history::Emitter;
use api::broker::Control;
use api::sessions::Error;
use async_trait::async_trait;
use domain::id::QueryId;
use domain::settings::Mode;
use session_log::Clock;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A session, as its drive sees it.
#[async_trait]
pub(crate) trait SessionHandle: Send + Sync {
    /// The session's log.
    fn emitter(&self) -> &Emitter;

    /// Fires when the session closes.
    fn closing(&self) -> CancellationToken;

    /// Takes a request of the drive, unless something runs or waits: then `None`.
    ///
    /// # Errors
    /// When the session is closed or its log does not take the request.
    async fn send_if_free(&self, text: String, mode: Mode) -> Result<Option<QueryId>, Error>;

    /// Stops what runs if it is this request.
    async fn stop_request(&self, query_id: QueryId);

    /// Logs the ends of requests that could not be logged before: how many there were.
    ///
    /// # Errors
    /// When the log takes none.
    async fn log_ends(&self) -> Result<usize, Error>;

    /// Whether the root agent may call a tool on a path without anybody being asked.
    async fn may_read(&self, tool: &str, path: &str) -> bool;
}

/// What the drive works with.
pub(crate) struct Adapters {
    pub(crate) clock: Clock,
    pub(crate) settings: Settings,
    pub(crate) control: Arc<dyn Control>,
    pub(crate) senses: Senses,
}
