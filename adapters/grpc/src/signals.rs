//! Signals over gRPC: what a session hears of what tools in another process began.

use crate::address::Endpoint;
use crate::channel;
use api::signals::{Error, Source};
use async_trait::async_trait;
use domain::drive::Signal;
use domain::fault::Fault;
use domain::id::SessionId;
use domain::limits::WIRE_MESSAGE_BYTES;
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt, unfold};
use proto::convert::{InvalidField, each, text};
use proto::signals_client::SignalsClient;
use proto::signals_server;
use proto::status::cause;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::Channel;
use tonic::{Request, Response, Status, Streaming};

/// How long a listener waits before it tries again to reach a process that is gone.
const RETRY: Duration = Duration::from_secs(2);
/// After how many failures in a row the user is told that nothing is heard.
const TOLD_AT: u32 = 2;

/// A source in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: SignalsClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = SignalsClient::new(channel::open(endpoint))
            .max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }

    fn unheard(&self, why: &str) -> Error {
        let endpoint = &self.endpoint;
        Error::new(format!(
            "The ends of jobs are not heard: the broker at {endpoint} does not tell them ({why})."
        ))
    }
}

#[async_trait]
impl Source for Client {
    fn signals(&self, session_id: SessionId) -> BoxStream<'static, Result<Signal, Error>> {
        let inner = self.inner.clone();
        let session_id = session_id.to_string();
        let signals = lasting(move || {
            let (mut inner, session_id) = (inner.clone(), session_id.clone());
            async move { inner.listen(proto::ListenRequest { session_id }).await }.boxed()
        });
        let client = self.clone();
        let read = move |signal: Result<proto::Signal, Status>| match signal {
            Ok(signal) => Signal::try_from(signal).map_err(|error| error.to_string()),
            Err(status) => Err(cause(&status)),
        };
        let signals = signals.map(move |it| read(it).map_err(|why| client.unheard(&why)));
        signals.boxed()
    }

    fn notices(&self, session_id: SessionId) -> BoxStream<'static, Fault> {
        let inner = self.inner.clone();
        let session_id = session_id.to_string();
        let notices = lasting(move || {
            let (mut inner, session_id) = (inner.clone(), session_id.clone());
            async move { inner.notices(proto::NoticesRequest { session_id }).await }.boxed()
        });
        // That nothing is heard is told with the signals.
        let notices = notices.filter_map(async |notice| Fault::try_from(notice.ok()?).ok());
        notices.boxed()
    }

    async fn untold(&self, session_id: SessionId) -> Vec<Signal> {
        let session_id = session_id.to_string();
        let request = proto::UntoldRequest { session_id };
        let signals = match self.inner.clone().untold(request).await {
            Ok(answer) => each(answer.into_inner().signals, "signals"),
            Err(status) => {
                tracing::warn!(endpoint = %self.endpoint, %status, "ends of jobs are not told");
                return Vec::new();
            }
        };
        signals.unwrap_or_else(|error: InvalidField| {
            tracing::warn!(endpoint = %self.endpoint, %error, "ends of jobs are not told");
            Vec::new()
        })
    }
}

type Opening<T> = BoxFuture<'static, Result<Response<Streaming<T>>, Status>>;

/// A stream that is opened again when it breaks off, and what it brought until then.
struct Lasting<T, F> {
    open: F,
    stream: Option<Streaming<T>>,
    /// How often it broke off in a row.
    failures: u32,
}

impl<T, F: Fn() -> Opening<T>> Lasting<T, F> {
    /// The next item, or why the stream ended.
    async fn next(&mut self) -> Result<T, Status> {
        if self.stream.is_none() {
            self.stream = Some((self.open)().await?.into_inner());
        }
        let next = match &mut self.stream {
            Some(stream) => stream.message().await?,
            None => None,
        };
        next.ok_or_else(|| Status::unavailable("it has ended"))
    }
}

/// What a stream brings, which is opened again where it breaks off. Where that cannot be done at once,
/// as it can after a restart, it is told why, once until something comes again.
fn lasting<T: Send + 'static>(
    open: impl Fn() -> Opening<T> + Send + 'static,
) -> BoxStream<'static, Result<T, Status>> {
    let begin = Lasting {
        open,
        stream: None,
        failures: 0,
    };
    let step = |mut lasting: Lasting<T, _>| async move {
        loop {
            let next = lasting.next().await;
            match &next {
                Ok(_) => lasting.failures = 0,
                Err(_) => {
                    lasting.failures = lasting.failures.saturating_add(1);
                    lasting.stream = None;
                }
            }
            if next.is_ok() || lasting.failures == TOLD_AT {
                return Some((next, lasting));
            }
            tokio::time::sleep(RETRY).await;
        }
    };
    unfold(begin, step).boxed()
}

/// A source served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Source>);

#[async_trait]
impl signals_server::Signals for Server {
    type ListenStream = BoxStream<'static, Result<proto::Signal, Status>>;
    type NoticesStream = BoxStream<'static, Result<proto::Fault, Status>>;

    async fn listen(
        &self,
        request: Request<proto::ListenRequest>,
    ) -> Result<Response<Self::ListenStream>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        let signals = self.0.signals(session_id).map(|signal| match signal {
            Ok(signal) => Ok(signal.into()),
            Err(error) => Err(Status::unavailable(error.to_string())),
        });
        Ok(Response::new(crate::stream::until_error(signals)))
    }

    async fn notices(
        &self,
        request: Request<proto::NoticesRequest>,
    ) -> Result<Response<Self::NoticesStream>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        let notices = self.0.notices(session_id).map(|notice| Ok(notice.into()));
        Ok(Response::new(notices.boxed()))
    }

    async fn untold(
        &self,
        request: Request<proto::UntoldRequest>,
    ) -> Result<Response<proto::UntoldResponse>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        let signals = self.0.untold(session_id).await;
        let signals = signals.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::UntoldResponse { signals }))
    }
}
