//! The server: listens, and hands each connection's requests to the routes.

use crate::access::Peer;
use crate::app::{App, Inner};
use crate::connections::{Connections, Place};
use crate::conversations::Conversations;
use crate::error::Error;
use crate::held::Held;
use crate::host::Host;
use crate::limits::{DRAIN, HEAD_BYTES, HEAD_TIME, HEADERS, HOLD_LOOK, HOLD_TIME};
use crate::listings::Listings;
use crate::login_codes::LoginCodes;
use crate::logins::Logins;
use crate::looks::Looks;
use crate::metrics::Metrics;
use crate::names::Names;
use crate::rates::Rates;
use crate::routes;
use crate::stalls::Stalling;
use crate::tls::Certificate;
use crate::tokens::Tokens;
use api::audit::Audit;
use api::models::Models;
use api::sessions::Sessions;
use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Where it listens unless it is told otherwise.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7433);

/// What the server is made of.
pub struct Parts {
    /// The sessions.
    pub sessions: Arc<dyn Sessions>,
    /// What the program that serves has to offer.
    pub host: Arc<dyn Host>,
    /// The models, for clients that want no agent.
    pub gateway: Arc<dyn Models>,
    /// The log of what models were asked for them.
    pub audit: Arc<dyn Audit>,
    /// Who may ask.
    pub tokens: Tokens,
    /// What a browser may show once to be logged in.
    pub codes: LoginCodes,
    /// What connections are encrypted with; `None`: they are not.
    pub certificate: Option<Certificate>,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    certificate: Option<Certificate>,
    app: App,
}

impl Server {
    /// Listens at an address: without a certificate at one of this machine alone.
    ///
    /// # Errors
    /// When others can reach the address and there is no certificate, or it cannot be listened at.
    pub async fn bind(address: SocketAddr, parts: Parts) -> Result<Self, Error> {
        if !address.ip().is_loopback() && parts.certificate.is_none() {
            return Err(Error::NotLoopback { address });
        }
        let cannot = |source| Error::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let Parts {
            sessions,
            host,
            gateway,
            audit,
            tokens,
            codes,
            certificate,
        } = parts;
        let app = Arc::new(Inner {
            sessions,
            host,
            gateway,
            audit,
            tokens,
            codes,
            logins: Logins::default(),
            cookie: format!("carl_login_{}", address.port()),
            rates: Rates::default(),
            strangers: Rates::default(),
            held: Held::default(),
            conversations: Conversations::default(),
            looks: Looks::default(),
            listings: Listings::default(),
            connections: Connections::default(),
            metrics: Metrics::default(),
            names: Names::of(address, certificate.clone()),
            stopping: CancellationToken::new(),
        });
        Ok(Self {
            listener,
            address,
            certificate,
            app,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser of this machine finds it: `https://carl.test:7433`.
    #[must_use]
    pub fn link(&self) -> String {
        self.app.names.link(self.address)
    }

    /// `http`, or `https` where there is a certificate.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        self.app.names.scheme()
    }

    /// Serves until it is told to stop, and lets go of every session then.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let router = routes::router(&self.app);
        let connections = self.app.connections.clone();
        let mut open = JoinSet::new();
        let sessions = self.app.sessions.as_ref();
        let mut looks = tokio::time::interval(HOLD_LOOK);
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = looks.tick() => self.app.held.let_go_of_unused(sessions, HOLD_TIME).await,
                Some(_ended) = open.join_next() => {}
                (stream, peer, place) = next(&self.listener, &connections) => {
                    let taken = Taken {
                        peer: Peer(peer.ip().to_canonical()),
                        place,
                        router: router.clone(),
                        stopping: self.app.stopping.clone(),
                    };
                    match self.certificate.clone() {
                        None => open.spawn(connection(stream, taken)),
                        Some(certificate) => open.spawn(encrypted(certificate, stream, taken)),
                    };
                }
            }
        }
        self.app.stopping.cancel();
        // What runs for clients ends, and with it whatever waits for an answer.
        self.app.held.let_go_of_all(sessions).await;
        let ended = async { while open.join_next().await.is_some() {} };
        let _late = tokio::time::timeout(DRAIN, ended).await;
    }
}

/// Both directions of a connection.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<C: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for C {}

/// What a connection that was taken in is served with.
struct Taken {
    peer: Peer,
    place: Place,
    router: Router,
    stopping: CancellationToken,
}

/// The next connection, once there is a place for it.
async fn next(
    listener: &TcpListener,
    connections: &Connections,
) -> (impl Stream + use<>, SocketAddr, Place) {
    loop {
        let place = connections.place().await;
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken in");
                // As where no more files may be open: it is tried again once some may be closed.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

/// The same for a connection that is to be encrypted first.
async fn encrypted(certificate: Certificate, stream: impl Stream, taken: Taken) {
    let accepted = tokio::select! {
        accepted = certificate.accept(stream) => accepted,
        () = taken.place.leave.cancelled() => None,
        () = taken.stopping.cancelled() => None,
    };
    if let Some(stream) = accepted {
        connection(stream, taken).await;
    }
}

/// Answers the requests of one connection, one after the other.
async fn connection(stream: impl Stream, taken: Taken) {
    let Taken {
        peer,
        place,
        router,
        stopping,
    } = taken;
    let answer = service_fn(|request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(place.admitted.clone());
        request.extensions_mut().insert(peer);
        router.clone().oneshot(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Stalling::new(stream)), answer);
    tokio::pin!(served);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                }
                return;
            }
            () = place.leave.cancelled() => return,
            () = stopping.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
}
