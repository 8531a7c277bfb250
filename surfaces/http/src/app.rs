//! What every request works with.

use crate::connections::Connections;
use crate::conversations::Conversations;
use crate::host::Host;
use crate::metrics::Metrics;
use crate::rates::Rates;
use crate::tokens::{Token, Tokens};
use api::sessions::Sessions;
use domain::Timestamp;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

use crate::held::Held;

/// What every request works with.
pub(crate) struct Inner {
    pub(crate) sessions: Arc<dyn Sessions>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) tokens: Tokens,
    pub(crate) rates: Rates,
    pub(crate) held: Held,
    pub(crate) conversations: Conversations,
    pub(crate) connections: Connections,
    pub(crate) metrics: Metrics,
    /// What a request may say it was sent to.
    pub(crate) names: Vec<String>,
    /// Cancelled when the server is to stop.
    pub(crate) stopping: CancellationToken,
}

/// The same, shared.
pub(crate) type App = Arc<Inner>;

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Caller(pub(crate) Token);

impl Inner {
    /// Whether a caller's token still counts.
    pub(crate) fn still_counts(&self, caller: &Caller) -> bool {
        self.tokens.still_counts(&caller.0, Timestamp::now())
    }
}

/// What a request may say it was sent to, where the server listens at an address of this machine alone.
/// A name that leads here by a stranger's name server is none of them.
pub(crate) fn names(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut names = vec![
        address.to_string(),
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
    ];
    names.dedup();
    names
}
