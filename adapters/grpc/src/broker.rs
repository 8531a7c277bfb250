//! The broker over gRPC: what agents may ask.

use crate::address::Endpoint;
use crate::channel::sized;
use crate::{channel, stream};
use api::broker::{
    Broker, CallRequest, Error, ErrorKind, OfferBound, PlanEvent, PlanRequest, Registered,
    ToolEvent,
};
use api::executor::ToolFailure;
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::id::CallId;
use domain::label::Label;
use domain::limits::WIRE_MESSAGE_BYTES;
use domain::lineage::AgentType;
use domain::tool::{ToolDefinition, ToolOutput};
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::broker_client::BrokerClient;
use proto::broker_server;
use proto::convert::own_calls::{outcome, wire_outcome};
use proto::convert::{InvalidField, each, name, required, text};
use proto::status::{cause, reason, status};
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// The broker in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: BrokerClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = BrokerClient::new(channel::open(endpoint))
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
}

/// An answer that cannot be understood: as good as none.
pub(crate) fn garbled(error: InvalidField, endpoint: &Endpoint) -> Error {
    let detail = format!("the broker at {endpoint} answered with nonsense: {error}");
    Error::new(ErrorKind::Unreachable, detail).with_source(error)
}

/// The error behind a status.
pub(crate) fn from_status(status: Status, endpoint: &Endpoint) -> Error {
    let (kind, detail) = match reason(&status) {
        Some(reason) => {
            let known = ErrorKind::ALL
                .into_iter()
                .find(|kind| kind.code() == reason.code);
            (known.unwrap_or(ErrorKind::Unreachable), reason.detail)
        }
        None => {
            let detail = format!("the broker at {endpoint}: {}", cause(&status));
            match status.code() {
                Code::Unimplemented => (ErrorKind::NotOffered, detail),
                _ => (ErrorKind::Unreachable, detail),
            }
        }
    };
    Error::new(kind, detail).with_source(status)
}

/// The status that carries an error.
pub(crate) fn to_status(error: Error) -> Status {
    let code = match error.kind {
        ErrorKind::UnknownAgent => Code::Unauthenticated,
        ErrorKind::UnknownSession | ErrorKind::UnknownConfirmation | ErrorKind::UnknownCall => {
            Code::NotFound
        }
        ErrorKind::SessionOpen => Code::AlreadyExists,
        ErrorKind::UnknownAgentType | ErrorKind::InvalidSettings => Code::InvalidArgument,
        ErrorKind::BindingMismatch | ErrorKind::AuditUnwritable => Code::FailedPrecondition,
        ErrorKind::LimitReached => Code::ResourceExhausted,
        ErrorKind::Unreachable => Code::Unavailable,
        ErrorKind::NotOffered => Code::Unimplemented,
    };
    status(code, &error, &error.detail)
}

#[async_trait]
impl Broker for Client {
    async fn register_agent(
        &self,
        parent: CallContext,
        agent_type: AgentType,
    ) -> Result<Registered, Error> {
        let request = proto::RegisterAgentRequest {
            context: Some(parent.into()),
            agent_type: agent_type.into(),
        };
        let call = self.inner.clone().register_agent(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn discover_tools(
        &self,
        context: CallContext,
        task: String,
        bound: OfferBound,
    ) -> Result<Vec<ToolDefinition>, Error> {
        let request = proto::DiscoverToolsRequest {
            context: Some(context.into()),
            task,
            room_tokens: bound.room_tokens,
            without: bound.without.into_iter().collect(),
            is_search: bound.is_search,
        };
        let call = async { self.inner.clone().discover_tools(sized(request)?).await }.await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.tools, "tools").map_err(|error| self.garbled(error))
    }

    async fn validate(&self, request: CallRequest) -> Result<Decision, Error> {
        let request = proto::CallRequest::from(request);
        let call = async { self.inner.clone().validate(sized(request)?).await }.await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn execute(&self, request: CallRequest) -> Result<Streaming<ToolEvent, Error>, Error> {
        let request = proto::CallRequest::from(request);
        let call = async { self.inner.clone().execute(sized(request)?).await }.await;
        let events = call.map_err(|status| self.failed(status))?.into_inner();
        let endpoint = self.endpoint.clone();
        let events = events.map(move |event| match event {
            Ok(event) => event.try_into().map_err(|error| garbled(error, &endpoint)),
            Err(status) => Err(from_status(status, &endpoint)),
        });
        Ok(stream::until_error(events))
    }

    async fn stop_call(&self, context: CallContext, call_id: CallId) -> Result<(), Error> {
        let request = proto::StopCallRequest {
            context: Some(context.into()),
            call_id: call_id.to_string(),
        };
        let call = async { self.inner.clone().stop_call(sized(request)?).await }.await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn report_call(
        &self,
        context: CallContext,
        call_id: CallId,
        outcome: Result<ToolOutput, ToolFailure>,
    ) -> Result<(), Error> {
        let request = proto::ReportCallRequest {
            context: Some(context.into()),
            call_id: call_id.to_string(),
            outcome: Some(wire_outcome(outcome)),
        };
        let call = async { self.inner.clone().report_call(sized(request)?).await }.await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn pin_plan(&self, request: PlanRequest) -> Result<Streaming<PlanEvent, Error>, Error> {
        let request = proto::PinPlanRequest::from(request);
        let call = async { self.inner.clone().pin_plan(sized(request)?).await }.await;
        let events = call.map_err(|status| self.failed(status))?.into_inner();
        let endpoint = self.endpoint.clone();
        let events = events.map(move |event| match event {
            Ok(event) => event.try_into().map_err(|error| garbled(error, &endpoint)),
            Err(status) => Err(from_status(status, &endpoint)),
        });
        Ok(stream::until_error(events))
    }

    async fn note_shown(&self, context: CallContext, label: Label) -> Result<(), Error> {
        let request = proto::NoteShownRequest {
            context: Some(context.into()),
            label: Some(label.into()),
        };
        let call = self.inner.clone().note_shown(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn release(&self, context: CallContext) -> Result<(), Error> {
        let request = proto::ReleaseRequest {
            context: Some(context.into()),
        };
        let call = self.inner.clone().release(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }
}

/// The broker served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Broker>);

#[async_trait]
impl broker_server::Broker for Server {
    type ExecuteStream = BoxStream<'static, Result<proto::ToolEvent, Status>>;
    type PinPlanStream = BoxStream<'static, Result<proto::PlanEvent, Status>>;

    async fn register_agent(
        &self,
        request: Request<proto::RegisterAgentRequest>,
    ) -> Result<Response<proto::Registered>, Status> {
        let request = request.into_inner();
        let context = required(request.context, "context")?;
        let agent_type = name(request.agent_type, "agent_type")?;
        let registered = self.0.register_agent(context, agent_type).await;
        Ok(Response::new(registered.map_err(to_status)?.into()))
    }

    async fn discover_tools(
        &self,
        request: Request<proto::DiscoverToolsRequest>,
    ) -> Result<Response<proto::DiscoverToolsResponse>, Status> {
        let request = request.into_inner();
        let context = required(request.context, "context")?;
        let bound = OfferBound {
            room_tokens: request.room_tokens,
            without: request.without.into_iter().collect(),
            is_search: request.is_search,
        };
        let tools = self
            .0
            .discover_tools(context, request.task, bound)
            .await
            .map_err(to_status)?;
        let tools = tools.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::DiscoverToolsResponse { tools }))
    }

    async fn validate(
        &self,
        request: Request<proto::CallRequest>,
    ) -> Result<Response<proto::Decision>, Status> {
        let request = request.into_inner().try_into()?;
        let decision = self.0.validate(request).await.map_err(to_status)?;
        Ok(Response::new(decision.into()))
    }

    async fn execute(
        &self,
        request: Request<proto::CallRequest>,
    ) -> Result<Response<Self::ExecuteStream>, Status> {
        let request = request.into_inner().try_into()?;
        let events = self.0.execute(request).await.map_err(to_status)?;
        let events = events.map(|event| event.map(Into::into).map_err(to_status));
        Ok(Response::new(stream::until_error(events)))
    }

    async fn stop_call(
        &self,
        request: Request<proto::StopCallRequest>,
    ) -> Result<Response<proto::StopCallResponse>, Status> {
        let request = request.into_inner();
        let context = required(request.context, "context")?;
        let call_id = text(&request.call_id, "call_id")?;
        let stopped = self.0.stop_call(context, call_id).await;
        stopped.map_err(to_status)?;
        Ok(Response::new(proto::StopCallResponse {}))
    }

    async fn report_call(
        &self,
        request: Request<proto::ReportCallRequest>,
    ) -> Result<Response<proto::ReportCallResponse>, Status> {
        let request = request.into_inner();
        let context = required(request.context, "context")?;
        let call_id = text(&request.call_id, "call_id")?;
        let outcome = outcome(request.outcome)?;
        let reported = self.0.report_call(context, call_id, outcome).await;
        reported.map_err(to_status)?;
        Ok(Response::new(proto::ReportCallResponse {}))
    }

    async fn pin_plan(
        &self,
        request: Request<proto::PinPlanRequest>,
    ) -> Result<Response<Self::PinPlanStream>, Status> {
        let request = request.into_inner().try_into()?;
        let events = self.0.pin_plan(request).await.map_err(to_status)?;
        let events = events.map(|event| event.map(Into::into).map_err(to_status));
        Ok(Response::new(stream::until_error(events)))
    }

    async fn note_shown(
        &self,
        request: Request<proto::NoteShownRequest>,
    ) -> Result<Response<proto::NoteShownResponse>, Status> {
        let request = request.into_inner();
        let context = required(request.context, "context")?;
        let label = required(request.label, "label")?;
        let noted = self.0.note_shown(context, label).await;
        noted.map_err(to_status)?;
        Ok(Response::new(proto::NoteShownResponse {}))
    }

    async fn release(
        &self,
        request: Request<proto::ReleaseRequest>,
    ) -> Result<Response<proto::ReleaseResponse>, Status> {
        let context = required(request.into_inner().context, "context")?;
        self.0.release(context).await.map_err(to_status)?;
        Ok(Response::new(proto::ReleaseResponse {}))
    }
}
