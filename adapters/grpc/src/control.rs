//! The broker over gRPC: what only the user's side may ask.

use crate::address::Endpoint;
use crate::broker::{from_status, garbled, to_status};
use crate::channel::{self, sized};
use api::broker::{
    AgentListing, Control, Error, GrantListing, PlannedCall, Registered, ToolListing,
};
use api::programs::{Program, Programs};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::event::ConfirmationAnswer;
use domain::hash::Digest;
use domain::id::{ConfirmationId, SessionId, TraceId};
use domain::label::Label;
use domain::limits::WIRE_MESSAGE_BYTES;
use domain::lineage::AgentType;
use domain::settings::SessionSettings;
use domain::token::Answerer;
use proto::broker_control_client::BrokerControlClient;
use proto::broker_control_server;
use proto::convert::programs::{wanted, wire_wanted};
use proto::convert::{InvalidField, each, json, name, optional_text, required, text};
use serde_json::Value;
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

/// The user's side of a broker in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: BrokerControlClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = BrokerControlClient::new(channel::open(endpoint))
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

#[async_trait]
impl Control for Client {
    async fn open_session(
        &self,
        session_id: SessionId,
        root: AgentType,
        settings: SessionSettings,
    ) -> Result<Registered, Error> {
        let request = proto::OpenSessionRequest {
            session_id: session_id.to_string(),
            root_agent_type: root.into(),
            settings: Some(settings.into()),
        };
        let call = self.inner.clone().open_session(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn configure(
        &self,
        session_id: SessionId,
        settings: SessionSettings,
    ) -> Result<(), Error> {
        let request = proto::BrokerConfigureRequest {
            session_id: session_id.to_string(),
            settings: Some(settings.into()),
        };
        let call = self.inner.clone().configure(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn answer(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error> {
        let request = proto::AnswerRequest {
            session_id: session_id.to_string(),
            confirmation_id: confirmation_id.to_string(),
            binding: binding.to_string(),
            answer: Some(answer.into()),
            token: by.token().map(ToString::to_string),
        };
        let call = self.inner.clone().answer(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn explain(
        &self,
        agent_type: AgentType,
        tool: String,
        arguments: Value,
        settings: SessionSettings,
    ) -> Result<Decision, Error> {
        let request = proto::ExplainRequest {
            agent_type: agent_type.into(),
            tool,
            arguments_json: arguments.to_string(),
            settings: Some(settings.into()),
        };
        let call = async { self.inner.clone().explain(sized(request)?).await }.await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn list_tools(&self) -> Result<Vec<ToolListing>, Error> {
        let call = self
            .inner
            .clone()
            .list_tools(proto::ListToolsRequest {})
            .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.tools, "tools").map_err(|error| self.garbled(error))
    }

    async fn list_agents(&self) -> Result<Vec<AgentListing>, Error> {
        let call = self
            .inner
            .clone()
            .list_agents(proto::ListAgentsRequest {})
            .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.agents, "agents").map_err(|error| self.garbled(error))
    }

    async fn hear(
        &self,
        session_id: SessionId,
        text: String,
        begins: Option<TraceId>,
    ) -> Result<(), Error> {
        let request = proto::HearRequest {
            session_id: session_id.to_string(),
            text,
            trace_id: begins.map_or_else(String::new, |trace| trace.to_string()),
        };
        let call = async { self.inner.clone().hear(sized(request)?).await }.await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn approve_call(
        &self,
        session_id: SessionId,
        trace_id: TraceId,
        call: PlannedCall,
    ) -> Result<(), Error> {
        let request = proto::ApproveCallRequest {
            session_id: session_id.to_string(),
            trace_id: trace_id.to_string(),
            call: Some(call.into()),
        };
        let call = async { self.inner.clone().approve_call(sized(request)?).await }.await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn recall(&self, session_id: SessionId, label: Label) -> Result<(), Error> {
        let request = proto::RecallRequest {
            session_id: session_id.to_string(),
            label: Some(label.into()),
        };
        let call = self.inner.clone().recall(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }

    async fn list_grants(&self, session_id: SessionId) -> Result<Vec<GrantListing>, Error> {
        let request = proto::ListGrantsRequest {
            session_id: session_id.to_string(),
        };
        let call = self.inner.clone().list_grants(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.grants, "grants").map_err(|error| self.garbled(error))
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

    async fn close_session(&self, session_id: SessionId) -> Result<(), Error> {
        let request = proto::CloseSessionRequest {
            session_id: session_id.to_string(),
        };
        let call = self.inner.clone().close_session(request).await;
        call.map_err(|status| self.failed(status))?;
        Ok(())
    }
}

/// The user's side of the broker served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Control>);

#[async_trait]
impl broker_control_server::BrokerControl for Server {
    async fn open_session(
        &self,
        request: Request<proto::OpenSessionRequest>,
    ) -> Result<Response<proto::Registered>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let root = name(request.root_agent_type, "root_agent_type")?;
        let settings = required(request.settings, "settings")?;
        let registered = self.0.open_session(session_id, root, settings).await;
        Ok(Response::new(registered.map_err(to_status)?.into()))
    }

    async fn configure(
        &self,
        request: Request<proto::BrokerConfigureRequest>,
    ) -> Result<Response<proto::BrokerConfigureResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let settings = required(request.settings, "settings")?;
        self.0
            .configure(session_id, settings)
            .await
            .map_err(to_status)?;
        Ok(Response::new(proto::BrokerConfigureResponse {}))
    }

    async fn answer(
        &self,
        request: Request<proto::AnswerRequest>,
    ) -> Result<Response<proto::AnswerResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let confirmation_id = text(&request.confirmation_id, "confirmation_id")?;
        let binding = text(&request.binding, "binding")?;
        let answer = required(request.answer, "answer")?;
        let by = Answerer::from(optional_text(request.token.as_deref(), "token")?);
        let answered = self
            .0
            .answer(session_id, confirmation_id, binding, answer, by)
            .await;
        answered.map_err(to_status)?;
        Ok(Response::new(proto::AnswerResponse {}))
    }

    async fn explain(
        &self,
        request: Request<proto::ExplainRequest>,
    ) -> Result<Response<proto::Decision>, Status> {
        let request = request.into_inner();
        let agent_type = name(request.agent_type, "agent_type")?;
        let arguments = json(&request.arguments_json, "arguments_json")?;
        let settings = required(request.settings, "settings")?;
        let decision = self
            .0
            .explain(agent_type, request.tool, arguments, settings)
            .await;
        Ok(Response::new(decision.map_err(to_status)?.into()))
    }

    async fn list_tools(
        &self,
        _: Request<proto::ListToolsRequest>,
    ) -> Result<Response<proto::ListToolsResponse>, Status> {
        let tools = self.0.list_tools().await.map_err(to_status)?;
        let tools = tools.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ListToolsResponse { tools }))
    }

    async fn list_agents(
        &self,
        _: Request<proto::ListAgentsRequest>,
    ) -> Result<Response<proto::ListAgentsResponse>, Status> {
        let agents = self.0.list_agents().await.map_err(to_status)?;
        let agents = agents.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ListAgentsResponse { agents }))
    }

    async fn hear(
        &self,
        request: Request<proto::HearRequest>,
    ) -> Result<Response<proto::HearResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let begins = match request.trace_id.as_str() {
            "" => None,
            trace => Some(text(trace, "trace_id")?),
        };
        let heard = self.0.hear(session_id, request.text, begins).await;
        heard.map_err(to_status)?;
        Ok(Response::new(proto::HearResponse {}))
    }

    async fn approve_call(
        &self,
        request: Request<proto::ApproveCallRequest>,
    ) -> Result<Response<proto::ApproveCallResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let trace_id = text(&request.trace_id, "trace_id")?;
        let call = required(request.call, "call")?;
        let approved = self.0.approve_call(session_id, trace_id, call).await;
        approved.map_err(to_status)?;
        Ok(Response::new(proto::ApproveCallResponse {}))
    }

    async fn recall(
        &self,
        request: Request<proto::RecallRequest>,
    ) -> Result<Response<proto::RecallResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let label = required(request.label, "label")?;
        let recalled = self.0.recall(session_id, label).await;
        recalled.map_err(to_status)?;
        Ok(Response::new(proto::RecallResponse {}))
    }

    async fn list_grants(
        &self,
        request: Request<proto::ListGrantsRequest>,
    ) -> Result<Response<proto::ListGrantsResponse>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        let grants = self.0.list_grants(session_id).await.map_err(to_status)?;
        let grants = grants.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ListGrantsResponse { grants }))
    }

    async fn programs(
        &self,
        request: Request<proto::ProgramsRequest>,
    ) -> Result<Response<proto::ProgramsResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let wanted = wanted(request.program)?;
        let programs = self.0.programs(session_id, wanted).await;
        Ok(Response::new(programs.map_err(to_status)?.into()))
    }

    async fn stop_jobs(
        &self,
        request: Request<proto::StopJobsRequest>,
    ) -> Result<Response<proto::StopJobsResponse>, Status> {
        let request = request.into_inner();
        let session_id = text(&request.session_id, "session_id")?;
        let stopped = self.0.stop_jobs(session_id, request.job).await;
        let stopped = stopped.map_err(to_status)?;
        Ok(Response::new(proto::StopJobsResponse { stopped }))
    }

    async fn close_session(
        &self,
        request: Request<proto::CloseSessionRequest>,
    ) -> Result<Response<proto::CloseSessionResponse>, Status> {
        let session_id = text(&request.into_inner().session_id, "session_id")?;
        self.0.close_session(session_id).await.map_err(to_status)?;
        Ok(Response::new(proto::CloseSessionResponse {}))
    }
}
