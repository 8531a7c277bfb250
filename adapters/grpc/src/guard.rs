//! Guard over gRPC.

use crate::address::Endpoint;
use crate::{channel, stream};
use api::Streaming;
use api::guard::{Answer, Error, Guard, Request};
use async_trait::async_trait;
use domain::limits::WIRE_MESSAGE_BYTES;
use futures::stream::{BoxStream, Stream, StreamExt, once, unfold};
use proto::guard_client::GuardClient;
use proto::guard_server;
use proto::status::{INVALID_REQUEST, cause, reason, status};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

/// A guard in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: GuardClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner =
            GuardClient::new(channel::open(endpoint)).max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }
}

fn from_status(status: &Status, endpoint: &Endpoint) -> Error {
    match reason(status) {
        Some(reason) if [INVALID_REQUEST, "guard.unreadable"].contains(&reason.code.as_str()) => {
            Error::Unreadable {
                detail: reason.detail,
            }
        }
        Some(reason) => Error::Unreachable {
            detail: format!("{endpoint}: {}", reason.detail),
        },
        None if status.code() == Code::OutOfRange => Error::Unreadable {
            detail: status.message().to_owned(),
        },
        None => Error::Unreachable {
            detail: format!("{endpoint}: {}", cause(status)),
        },
    }
}

fn to_status(error: Error) -> Status {
    let code = match error {
        Error::Unreadable { .. } => Code::InvalidArgument,
        Error::Unreachable { .. } => Code::Unavailable,
    };
    // The client puts the sentence around it again.
    let (Error::Unreadable { detail } | Error::Unreachable { detail }) = &error;
    status(code, &error, detail)
}

/// Requests on their way out. A type with a name, because the compiler cannot see that a boxed
/// stream within a future outlives it.
struct Messages(BoxStream<'static, Request>);

impl Stream for Messages {
    type Item = proto::GuardRequest;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.0.poll_next_unpin(cx);
        next.map(|request| request.map(Into::into))
    }
}

#[async_trait]
impl Guard for Client {
    async fn converse(
        &self,
        requests: BoxStream<'static, Request>,
    ) -> Result<Streaming<Answer, Error>, Error> {
        let answers = match self.inner.clone().converse(Messages(requests)).await {
            Ok(answers) => answers.into_inner(),
            Err(status) => return Err(from_status(&status, &self.endpoint)),
        };
        let endpoint = self.endpoint.clone();
        let answers = answers.map(move |answer| match answer {
            Ok(answer) => Answer::try_from(answer).map_err(|error| Error::Unreachable {
                detail: format!("the guard at {endpoint} answered with nonsense: {error}"),
            }),
            Err(status) => Err(from_status(&status, &endpoint)),
        });
        Ok(stream::until_error(answers))
    }
}

/// A guard served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Guard>);

/// The requests up to the first that cannot be read; that one's status goes to `problem`.
fn readable(
    messages: tonic::Streaming<proto::GuardRequest>,
    problem: oneshot::Sender<Status>,
) -> BoxStream<'static, Request> {
    let step = |(mut messages, problem): (tonic::Streaming<_>, oneshot::Sender<_>)| async move {
        let request = match messages.next().await? {
            Ok(message) => read(message).await,
            Err(status) => Err(status),
        };
        match request {
            Ok(request) => Some((request, (messages, problem))),
            Err(status) => {
                // Nobody waits for it when the conversation is over on the other side.
                let _unheard = problem.send(status);
                None
            }
        }
    };
    unfold((messages, problem), step).boxed()
}

/// Reads a request. A large one takes long, and is not read on a thread that others wait for.
async fn read(message: proto::GuardRequest) -> Result<Request, Status> {
    let read = || Request::try_from(message).map_err(Status::from);
    match tokio::task::spawn_blocking(read).await {
        Ok(request) => request,
        Err(error) => Err(Status::internal(format!("reading it broke down: {error}"))),
    }
}

#[async_trait]
impl guard_server::Guard for Server {
    type ConverseStream = BoxStream<'static, Result<proto::GuardAnswer, Status>>;

    async fn converse(
        &self,
        requests: tonic::Request<tonic::Streaming<proto::GuardRequest>>,
    ) -> Result<Response<Self::ConverseStream>, Status> {
        let (sender, problem) = oneshot::channel();
        let requests = readable(requests.into_inner(), sender);
        let answers = self.0.converse(requests).await.map_err(to_status)?;
        let answers = answers.map(|answer| answer.map(Into::into).map_err(to_status));
        let problem = once(problem).filter_map(async |problem| problem.ok().map(Err));
        Ok(Response::new(stream::until_error(answers.chain(problem))))
    }
}
