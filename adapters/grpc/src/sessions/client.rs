//! Sessions of another process.

use crate::address::Endpoint;
use crate::channel::sized;
use crate::{channel, stream};
use api::Streaming;
use api::programs::{Program, Programs};
use api::sessions::{
    Error, ErrorKind, FeedbackRequest, Finding, Follow, OpenRequest, PinChange, QueueChange,
    RewindTo, SecondRequest, Selection, SendRequest, SessionSummary, Sessions, TakenBack, Whose,
};
use async_trait::async_trait;
use domain::context::ContextView;
use domain::drive::Signal;
use domain::event::{ConfirmationAnswer, Event};
use domain::hash::Digest;
use domain::id::{CallId, ConfirmationId, HolderId, QueryId, SessionId};
use domain::limits::WIRE_MESSAGE_BYTES;
use domain::quality::Winner;
use domain::settings::SessionProfile;
use domain::token::Answerer;
use futures::StreamExt;
use proto::convert::programs::wire_wanted;
use proto::convert::{InvalidField, WireEnum, each};
use proto::sessions_client::SessionsClient;
use proto::status::{INVALID_REQUEST, cause, reason};
use tonic::transport::Channel;
use tonic::{Code, Status};

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
        by: Answerer,
    ) -> Result<(), Error> {
        let request = proto::ConfirmRequest {
            session_id: session_id.to_string(),
            confirmation_id: confirmation_id.to_string(),
            binding: binding.to_string(),
            answer: Some(answer.into()),
            token: by.token().map(ToString::to_string),
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

    async fn stop_calls(
        &self,
        session_id: SessionId,
        call_id: Option<CallId>,
    ) -> Result<u32, Error> {
        let request = proto::StopCallsRequest {
            session_id: session_id.to_string(),
            call_id: call_id.map_or_else(String::new, |id| id.to_string()),
        };
        let call = self.inner.clone().stop_calls(request).await;
        let answer = call.map_err(|status| self.failed(status))?;
        Ok(answer.into_inner().stopped)
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        let request = proto::ProgramsRequest {
            session_id: session_id.to_string(),
            program: wire_wanted(wanted),
        };
        let call = self.inner.clone().programs(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        let request = proto::StopJobsRequest {
            session_id: session_id.to_string(),
            job: name,
        };
        let call = self.inner.clone().stop_jobs(request).await;
        let answer = call.map_err(|status| self.failed(status))?;
        Ok(answer.into_inner().stopped)
    }

    async fn change_queue(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        change: QueueChange,
    ) -> Result<bool, Error> {
        let request = proto::ChangeQueueRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
            change: Some(change.into()),
        };
        let call = self.inner.clone().change_queue(request).await;
        let answer = call.map_err(|status| self.failed(status))?;
        Ok(answer.into_inner().changed)
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

    async fn ask_grade(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        let request = proto::AskGradeRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
        };
        let call = self.inner.clone().ask_grade(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn ask_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        wanted: SecondRequest,
    ) -> Result<(), Error> {
        let request = proto::AskSecondRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
            model: wanted.model.map(Into::into),
            temperature: wanted.temperature,
        };
        let call = self.inner.clone().ask_second(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn rate_second(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        winner: Winner,
    ) -> Result<(), Error> {
        let request = proto::RateSecondRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
            winner: winner.to_wire(),
        };
        let call = self.inner.clone().rate_second(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn take_second(&self, session_id: SessionId, query_id: QueryId) -> Result<(), Error> {
        let request = proto::TakeSecondRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
        };
        let call = self.inner.clone().take_second(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn record_finding(
        &self,
        session_id: SessionId,
        query_id: QueryId,
        finding: Finding,
    ) -> Result<(), Error> {
        let request = proto::RecordFindingRequest {
            session_id: session_id.to_string(),
            query_id: query_id.to_string(),
            finding: Some(finding.into()),
        };
        let call = self.inner.clone().record_finding(request).await;
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
