//! The inbox: messages from programs on this machine, for sessions in auto mode.
//!
//! What it is: an HTTP server on a loopback address with one path, and an `api::signals::Source` of
//! what comes in there.
//! What it owns: who may leave a message (whoever has the token, and is no web page), how large and
//! how many messages are.
//! What it never does: listen beyond this machine, answer with anything but whether it took the
//! message, say whose words a message is. A message is nobody's word but its sender's.
//! Where to start: [`Inbox::open`]; the checks are in `door.rs`.

mod door;
mod hasty;
mod lazy;

pub use door::{CHANNEL, MESSAGES_A_MINUTE};
pub use lazy::{LazyInbox, unopened};

use axum::Router;
use axum::routing::post;
use domain::drive::Signal;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

/// The path.
pub const PATH: &str = "/inbox";
/// Shortest token, bytes.
pub const TOKEN_BYTES: usize = 16;
/// Most connections at one time. For a further one the oldest that has not shown the token is dropped.
pub const CONNECTIONS: usize = 64;
/// Longest a connection may last that has not shown the token.
pub const HEAD_TIME: Duration = Duration::from_secs(2);
/// Longest a connection may last.
pub const CONNECTION_TIME: Duration = Duration::from_secs(10);
/// Messages that a slow session may lag behind before it misses the oldest.
const BACKLOG: usize = 256;

/// Why there is no inbox.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not this machine's alone.
    #[error("the inbox listens on this machine alone, and {0} is not a loopback address")]
    NotLoopback(SocketAddr),
    /// The token is too easily guessed.
    #[error("the inbox's token needs at least {TOKEN_BYTES} bytes")]
    Token,
    /// No token can be made.
    #[error("the inbox's token {path} cannot be made")]
    NoToken {
        /// Its file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The token's file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] disk::Error),
    /// The address cannot be listened on.
    #[error("the inbox cannot listen on {address}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// An inbox that is open. It closes when dropped.
#[derive(Debug)]
pub struct Inbox {
    address: SocketAddr,
    messages: broadcast::Sender<Signal>,
    serving: JoinHandle<()>,
}

impl Inbox {
    /// Listens on a loopback address for whoever has the token. Port 0: any that is free.
    ///
    /// # Errors
    /// [`Error`] when that cannot be, or must not be.
    pub async fn open(address: SocketAddr, token: &str) -> Result<Self, Error> {
        if !address.ip().is_loopback() {
            return Err(Error::NotLoopback(address));
        }
        if token.len() < TOKEN_BYTES {
            return Err(Error::Token);
        }
        let failed = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (messages, _) = broadcast::channel(BACKLOG);
        let door = Arc::new(door::Door::new(address, token, messages.clone()));
        let router = Router::new()
            .route(PATH, post(door::leave))
            .fallback(door::nothing_here)
            .with_state(door)
            .into_make_service_with_connect_info::<hasty::Pass>();
        let bounds = hasty::Bounds {
            connections: CONNECTIONS,
            head: HEAD_TIME,
            whole: CONNECTION_TIME,
        };
        let listener = hasty::Hasty::new(listener, bounds);
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the inbox is closed");
            }
        });
        Ok(Self {
            address,
            messages,
            serving,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Inbox {
    /// The messages from now on.
    #[must_use]
    pub fn messages(&self) -> BoxStream<'static, Signal> {
        let messages = self.messages.subscribe();
        futures::stream::unfold(messages, async |mut messages| {
            loop {
                match messages.recv().await {
                    Ok(signal) => return Some((signal, messages)),
                    Err(broadcast::error::RecvError::Lagged(missed)) => {
                        tracing::warn!(missed, "messages came faster than they were taken");
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        })
        .boxed()
    }
}
