//! Sessions over gRPC.

use crate::address::Endpoint;
use crate::answerable::while_answerable;
use crate::channel::sized;
use crate::openings::{Openings, Peer};
use crate::{channel, stream};
use api::Streaming;
use api::sessions::{
    Error, ErrorKind, FeedbackRequest, Follow, OpenRequest, PinChange, RewindTo, Selection,
    SendRequest, SessionSummary, Sessions, TakenBack, Whose,
};
use async_trait::async_trait;
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{ConfirmationAnswer, Event};
use domain::hash::Digest;
use domain::id::{ConfirmationId, HolderId, QueryId, SessionId};
use domain::limits::WIRE_MESSAGE_BYTES;
use domain::settings::SessionProfile;
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::convert::{InvalidField, WireEnum, each, optional_text, required, text};
use proto::sessions_client::SessionsClient;
use proto::sessions_server;
use proto::status::{INVALID_REQUEST, cause, reason, status};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// Sessions in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: SessionsClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = SessionsClient::new(channel::open(endpoint))
            .max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }

    fn failed(&self, status: Status) -> Error {
        from_status(status, &self.endpoint)
    }

    fn garbled(&self, error: InvalidField) -> Error {
        garbled(error, &self.endpoint)
    }

    fn events(&self, events: tonic::Streaming<proto::Event>) -> Streaming<Event, Error> {
        let endpoint = self.endpoint.clone();
        let events = events.map(move |event| match event {
            Ok(event) => event.try_into().map_err(|error| garbled(error, &endpoint)),
            Err(status) => Err(from_status(status, &endpoint)),
        });
        stream::until_error(events)
    }
}

/// An answer that cannot be understood: as good as none.
fn garbled(error: InvalidField, endpoint: &Endpoint) -> Error {
    let detail = format!("the sessions service at {endpoint} answered with nonsense: {error}");
    Error::new(ErrorKind::Unreachable, detail).with_source(error)
}

fn from_status(status: Status, endpoint: &Endpoint) -> Error {
    if let Some(reason) = reason(&status) {
        let known = ErrorKind::ALL
            .into_iter()
            .find(|kind| kind.code() == reason.code);
        let other = match reason.code.as_str() {
            INVALID_REQUEST => ErrorKind::InvalidRequest,
            _ => ErrorKind::Unreachable,
        };
        return Error::new(known.unwrap_or(other), reason.detail)
            .with_hint(reason.hint)
            .with_source(status);
    }
    let kind = match status.code() {
        // The request was larger than a message may be.
        Code::OutOfRange | Code::ResourceExhausted => ErrorKind::InvalidRequest,
        _ => ErrorKind::Unreachable,
    };
    let detail = format!("the sessions service at {endpoint}: {}", cause(&status));
    Error::new(kind, detail)
        .with_hint(format!("Is `carl serve` running at {endpoint}?"))
        .with_source(status)
}

fn to_status(error: Error) -> Status {
    let code = match error.kind {
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::Corrupt => Code::DataLoss,
        ErrorKind::Locked => Code::Aborted,
        ErrorKind::QueueFull => Code::ResourceExhausted,
        ErrorKind::InvalidRequest => Code::InvalidArgument,
        ErrorKind::InvalidAnswer
        | ErrorKind::Unwritable
        | ErrorKind::Busy
        | ErrorKind::NothingToDo
        | ErrorKind::NotAuto => Code::FailedPrecondition,
        ErrorKind::Refused => Code::PermissionDenied,
        ErrorKind::Unreachable => Code::Unavailable,
    };
    status(code, &error, &error.detail)
}

#[async_trait]
impl Sessions for Client {
    async fn open(&self, request: OpenRequest) -> Result<SessionSummary, Error> {
        let call = self
            .inner
            .clone()
            .open(proto::OpenRequest::from(request))
            .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn send(&self, request: SendRequest) -> Result<Streaming<Event, Error>, Error> {
        let call = async {
            self.inner
                .clone()
                .send(sized(proto::SendRequest::from(request))?)
                .await
        }
        .await;
        let events = call.map_err(|status| self.failed(status))?.into_inner();
        Ok(self.events(events))
    }

    async fn attach(
        &self,
        session_id: SessionId,
        from_seq: u64,
        follow: Follow,
    ) -> Result<Streaming<Event, Error>, Error> {
        let request = proto::AttachRequest {
            session_id: session_id.to_string(),
            from_seq,
            follow: follow.to_wire(),
        };
        let call = self.inner.clone().attach(request).await;
        let events = call.map_err(|status| self.failed(status))?.into_inner();
        Ok(self.events(events))
    }

    async fn confirm(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
    ) -> Result<(), Error> {
        let request = proto::ConfirmRequest {
            session_id: session_id.to_string(),
            confirmation_id: confirmation_id.to_string(),
            binding: binding.to_string(),
            answer: Some(answer.into()),
        };
        let call = self.inner.clone().confirm(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn interrupt(
        &self,
        session_id: SessionId,
        query_id: Option<QueryId>,
    ) -> Result<(), Error> {
        let request = proto::InterruptRequest {
            session_id: session_id.to_string(),
            query_id: query_id.map_or_else(String::new, |id| id.to_string()),
        };
        let call = self.inner.clone().interrupt(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn feedback(&self, request: FeedbackRequest) -> Result<(), Error> {
        let call = self
            .inner
            .clone()
            .feedback(proto::FeedbackRequest::from(request))
            .await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn configure(
        &self,
        session_id: SessionId,
        holder_id: HolderId,
        profile: SessionProfile,
    ) -> Result<(), Error> {
        let request = proto::ConfigureRequest {
            session_id: session_id.to_string(),
            profile: Some(profile.into()),
            holder_id: holder_id.to_string(),
        };
        let call = self.inner.clone().configure(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn list(&self, selection: Selection) -> Result<Vec<SessionSummary>, Error> {
        let request = proto::ListRequest::from(selection);
        let call = self.inner.clone().list(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.sessions, "sessions").map_err(|error| self.garbled(error))
    }

    async fn fork(&self, session_id: SessionId, at_seq: u64) -> Result<SessionSummary, Error> {
        let session_id = session_id.to_string();
        let request = proto::ForkRequest { session_id, at_seq };
        let call = self.inner.clone().fork(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn close(&self, session_id: SessionId, holder_id: HolderId) -> Result<(), Error> {
        let request = proto::CloseRequest {
            session_id: session_id.to_string(),
            holder_id: holder_id.to_string(),
        };
        let call = self.inner.clone().close(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn context(&self, session_id: SessionId, whose: Whose) -> Result<ContextView, Error> {
        let request = proto::ContextRequest {
            session_id: session_id.to_string(),
            agent_id: match whose {
                Whose::Root => None,
                Whose::Agent(agent_id) => Some(agent_id.to_string()),
            },
        };
        let call = self.inner.clone().context(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn compact(&self, session_id: SessionId) -> Result<(), Error> {
        let session_id = session_id.to_string();
        let request = proto::CompactRequest { session_id };
        let call = self.inner.clone().compact(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn rewind(&self, session_id: SessionId, to: RewindTo) -> Result<TakenBack, Error> {
        let request = proto::RewindRequest {
            session_id: session_id.to_string(),
            to: Some(to.into()),
        };
        let call = self.inner.clone().rewind(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn pin(&self, session_id: SessionId, seq: u64, change: PinChange) -> Result<(), Error> {
        let request = proto::PinRequest {
            session_id: session_id.to_string(),
            seq,
            change: change.to_wire(),
        };
        let call = self.inner.clone().pin(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn rename(&self, session_id: SessionId, name: &str) -> Result<(), Error> {
        let request = proto::RenameRequest {
            session_id: session_id.to_string(),
            name: name.to_owned(),
        };
        let call = self.inner.clone().rename(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn signal(&self, session_id: SessionId, signal: Signal) -> Result<(), Error> {
        let request = proto::SignalRequest {
            session_id: session_id.to_string(),
            signal: Some(signal.into()),
        };
        let call = async { self.inner.clone().signal(sized(request)?).await }.await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }
}

/// Sessions served to other processes.
pub(crate) struct Server {
    sessions: Arc<dyn Sessions>,
    openings: Arc<Openings>,
    /// Fires when no further call is taken.
    stopping: CancellationToken,
}

impl Server {
    pub(crate) fn new(sessions: Arc<dyn Sessions>, stopping: CancellationToken) -> Self {
        let openings = Openings::new(Arc::clone(&sessions));
        Self {
            sessions,
            openings,
            stopping,
        }
    }

    fn wire_events(&self, events: Streaming<Event, Error>) -> Response<Events> {
        let events = while_answerable(events, self.stopping.clone());
        let events = events.map(|event| event.map(Into::into).map_err(to_status));
        Response::new(stream::until_error(events))
    }

    /// Opens in a task of its own: what is opened is known, also of a caller who dies meanwhile.
    async fn known(
        &self,
        peer: Peer,
        open: impl Future<Output = Result<SessionSummary, Error>> + Send + 'static,
    ) -> Result<Response<proto::SessionSummary>, Status> {
        let openings = Arc::clone(&self.openings);
        let opening = tokio::spawn(async move {
            let summary = open.await?;
            if let Some(holder_id) = summary.holder_id {
                openings.opened(peer, (summary.session_id, holder_id));
            }
            Ok(summary)
        });
        let opened = opening
            .await
            .map_err(|error| Status::internal(format!("opening broke down: {error}")))?;
        Ok(Response::new(opened.map_err(to_status)?.into()))
    }
}

/// Who asks.
fn peer_of<T>(request: &Request<T>) -> Peer {
    let known = request.extensions().get::<Peer>();
    known.copied().unwrap_or(Peer(None))
}

type Events = BoxStream<'static, Result<proto::Event, Status>>;

#[async_trait]
impl sessions_server::Sessions for Server {
    type SendStream = Events;
    type AttachStream = Events;

    async fn open(
        &self,
        request: Request<proto::OpenRequest>,
    ) -> Result<Response<proto::SessionSummary>, Status> {
        let peer = peer_of(&request);
        let request = request.into_inner().try_into()?;
        let sessions = Arc::clone(&self.sessions);
        self.known(peer, async move { sessions.open(request).await })
            .await
    }

    async fn send(&self, request: Request<proto::SendRequest>) -> Result<Response<Events>, Status> {
        let request = request.into_inner().try_into()?;
        let events = self.sessions.send(request).await;
        events
            .map(|events| self.wire_events(events))
            .map_err(to_status)
    }

    async fn attach(
        &self,
        request: Request<proto::AttachRequest>,
    ) -> Result<Response<Events>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let follow = Follow::from_wire(request.follow, "follow")?;
        let events = self
            .sessions
            .attach(session_id, request.from_seq, follow)
            .await;
        events
            .map(|events| self.wire_events(events))
            .map_err(to_status)
    }

    async fn confirm(
        &self,
        request: Request<proto::ConfirmRequest>,
    ) -> Result<Response<proto::ConfirmResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let confirmation_id = text(&request.confirmation_id, "confirmation_id")?;
        let binding = text(&request.binding, "binding")?;
        let answer = required(request.answer, "answer")?;
        let confirmed = self
            .sessions
            .confirm(session_id, confirmation_id, binding, answer)
            .await;
        confirmed.map_err(to_status)?;
        Ok(Response::new(proto::ConfirmResponse {}))
    }

    async fn interrupt(
        &self,
        request: Request<proto::InterruptRequest>,
    ) -> Result<Response<proto::InterruptResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = match request.query_id.as_str() {
            "" => None,
            id => Some(text(id, "query_id")?),
        };
        self.sessions
            .interrupt(session_id, query_id)
            .await
            .map_err(to_status)?;
        Ok(Response::new(proto::InterruptResponse {}))
    }

    async fn feedback(
        &self,
        request: Request<proto::FeedbackRequest>,
    ) -> Result<Response<proto::FeedbackResponse>, Status> {
        let request = request.into_inner().try_into()?;
        self.sessions.feedback(request).await.map_err(to_status)?;
        Ok(Response::new(proto::FeedbackResponse {}))
    }

    async fn configure(
        &self,
        request: Request<proto::ConfigureRequest>,
    ) -> Result<Response<proto::ConfigureResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let holder_id = text(&request.holder_id, "holder_id")?;
        let profile = required(request.profile, "profile")?;
        self.sessions
            .configure(session_id, holder_id, profile)
            .await
            .map_err(to_status)?;
        Ok(Response::new(proto::ConfigureResponse {}))
    }

    async fn list(
        &self,
        request: Request<proto::ListRequest>,
    ) -> Result<Response<proto::ListResponse>, Status> {
        let selection = request.into_inner().try_into()?;
        let sessions = self.sessions.list(selection).await.map_err(to_status)?;
        let sessions = sessions.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ListResponse { sessions }))
    }

    async fn fork(
        &self,
        request: Request<proto::ForkRequest>,
    ) -> Result<Response<proto::SessionSummary>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let forked = self.sessions.fork(session_id, request.at_seq).await;
        Ok(Response::new(forked.map_err(to_status)?.into()))
    }

    async fn close(
        &self,
        request: Request<proto::CloseRequest>,
    ) -> Result<Response<proto::CloseResponse>, Status> {
        let peer = peer_of(&request);
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let holder_id = text(&request.holder_id, "holder_id")?;
        self.openings.closed(peer, holder_id);
        let closed = self.sessions.close(session_id, holder_id).await;
        closed.map_err(to_status)?;
        Ok(Response::new(proto::CloseResponse {}))
    }

    async fn context(
        &self,
        request: Request<proto::ContextRequest>,
    ) -> Result<Response<proto::ContextView>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let agent_id = optional_text(request.agent_id.as_deref(), "agent_id")?;
        let whose = agent_id.map_or(Whose::Root, Whose::Agent);
        let view = self
            .sessions
            .context(session_id, whose)
            .await
            .map_err(to_status)?;
        Ok(Response::new(view.into()))
    }

    async fn compact(
        &self,
        request: Request<proto::CompactRequest>,
    ) -> Result<Response<proto::CompactResponse>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        self.sessions.compact(session_id).await.map_err(to_status)?;
        Ok(Response::new(proto::CompactResponse {}))
    }

    async fn rewind(
        &self,
        request: Request<proto::RewindRequest>,
    ) -> Result<Response<proto::RewindResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let to = request.to.ok_or_else(|| InvalidField::missing("to"))?;
        let taken = self.sessions.rewind(session_id, to.try_into()?).await;
        Ok(Response::new(taken.map_err(to_status)?.into()))
    }

    async fn pin(
        &self,
        request: Request<proto::PinRequest>,
    ) -> Result<Response<proto::PinResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let change = PinChange::from_wire(request.change, "change")?;
        let pinned = self.sessions.pin(session_id, request.seq, change).await;
        pinned.map_err(to_status)?;
        Ok(Response::new(proto::PinResponse {}))
    }

    async fn rename(
        &self,
        request: Request<proto::RenameRequest>,
    ) -> Result<Response<proto::RenameResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let renamed = self.sessions.rename(session_id, &request.name).await;
        renamed.map_err(to_status)?;
        Ok(Response::new(proto::RenameResponse {}))
    }

    async fn signal(
        &self,
        request: Request<proto::SignalRequest>,
    ) -> Result<Response<proto::SignalResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let signal = required(request.signal, "signal")?;
        let taken = self.sessions.signal(session_id, signal).await;
        taken.map_err(to_status)?;
        Ok(Response::new(proto::SignalResponse {}))
    }
}
