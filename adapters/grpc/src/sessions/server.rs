//! Sessions for other processes.

use crate::answerable::while_answerable;
use crate::openings::{Openings, Peer};
use crate::stream;
use api::Streaming;
use api::sessions::{
    Error, ErrorKind, Follow, PinChange, QueueChange, SecondRequest, SessionSummary, Sessions,
    Whose,
};
use async_trait::async_trait;
use domain::event::Event;
use domain::quality::Winner;
use domain::token::Answerer;
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::convert::programs::wanted;
use proto::convert::{InvalidField, WireEnum, optional_text, required, text};
use proto::sessions_server;
use proto::status::status;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status};

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
        let by = Answerer::from(optional_text(request.token.as_deref(), "token")?);
        let confirmed = self
            .sessions
            .confirm(session_id, confirmation_id, binding, answer, by)
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

    async fn stop_calls(
        &self,
        request: Request<proto::StopCallsRequest>,
    ) -> Result<Response<proto::StopCallsResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let call_id = match request.call_id.as_str() {
            "" => None,
            id => Some(text(id, "call_id")?),
        };
        let stopped = self.sessions.stop_calls(session_id, call_id).await;
        let stopped = stopped.map_err(to_status)?;
        Ok(Response::new(proto::StopCallsResponse { stopped }))
    }

    async fn programs(
        &self,
        request: Request<proto::ProgramsRequest>,
    ) -> Result<Response<proto::ProgramsResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let wanted = wanted(request.program)?;
        let programs = self.sessions.programs(session_id, wanted).await;
        Ok(Response::new(programs.map_err(to_status)?.into()))
    }

    async fn stop_jobs(
        &self,
        request: Request<proto::StopJobsRequest>,
    ) -> Result<Response<proto::StopJobsResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let stopped = self.sessions.stop_jobs(session_id, request.job).await;
        let stopped = stopped.map_err(to_status)?;
        Ok(Response::new(proto::StopJobsResponse { stopped }))
    }

    async fn change_queue(
        &self,
        request: Request<proto::ChangeQueueRequest>,
    ) -> Result<Response<proto::ChangeQueueResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let change: QueueChange = required(request.change, "change")?;
        let changed = self.sessions.change_queue(session_id, query_id, change);
        let changed = changed.await.map_err(to_status)?;
        Ok(Response::new(proto::ChangeQueueResponse { changed }))
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

    async fn ask_grade(
        &self,
        request: Request<proto::AskGradeRequest>,
    ) -> Result<Response<proto::AskGradeResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let asked = self.sessions.ask_grade(session_id, query_id).await;
        asked.map_err(to_status)?;
        Ok(Response::new(proto::AskGradeResponse {}))
    }

    async fn ask_second(
        &self,
        request: Request<proto::AskSecondRequest>,
    ) -> Result<Response<proto::AskSecondResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let model = request.model.map(|model| required(Some(model), "model"));
        let wanted = SecondRequest {
            model: model.transpose()?,
            temperature: request.temperature,
        };
        let asked = self.sessions.ask_second(session_id, query_id, wanted).await;
        asked.map_err(to_status)?;
        Ok(Response::new(proto::AskSecondResponse {}))
    }

    async fn rate_second(
        &self,
        request: Request<proto::RateSecondRequest>,
    ) -> Result<Response<proto::RateSecondResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let winner = Winner::from_wire(request.winner, "winner")?;
        let rated = self.sessions.rate_second(session_id, query_id, winner);
        rated.await.map_err(to_status)?;
        Ok(Response::new(proto::RateSecondResponse {}))
    }

    async fn take_second(
        &self,
        request: Request<proto::TakeSecondRequest>,
    ) -> Result<Response<proto::TakeSecondResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let taken = self.sessions.take_second(session_id, query_id);
        taken.await.map_err(to_status)?;
        Ok(Response::new(proto::TakeSecondResponse {}))
    }

    async fn record_finding(
        &self,
        request: Request<proto::RecordFindingRequest>,
    ) -> Result<Response<proto::RecordFindingResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let query_id = text(&request.query_id, "query_id")?;
        let finding = required(request.finding, "finding")?;
        let recorded = self.sessions.record_finding(session_id, query_id, finding);
        recorded.await.map_err(to_status)?;
        Ok(Response::new(proto::RecordFindingResponse {}))
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
