//! Models over gRPC.

use crate::address::Endpoint;
use crate::channel::sized;
use crate::{channel, stream};
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelFacts, ModelInfo,
    Models, ProviderHealth,
};
use async_trait::async_trait;
use domain::limits::WIRE_MESSAGE_BYTES;
use domain::model::ModelChoice;
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::convert::{InvalidField, each, required};
use proto::models_client::ModelsClient;
use proto::models_server;
use proto::status::{cause, reason, status};
use std::path::Path;
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// Models in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: ModelsClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = ModelsClient::new(channel::open(endpoint))
            .max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }

    fn failed(&self, status: Status) -> Error {
        from_status(status, &self.endpoint, ErrorKind::Unreachable)
    }

    fn garbled(&self, error: InvalidField) -> Error {
        garbled(error, &self.endpoint)
    }
}

fn garbled(error: InvalidField, endpoint: &Endpoint) -> Error {
    let detail = format!("the models service at {endpoint} answered with nonsense: {error}");
    Error::new(ErrorKind::Protocol, detail).with_source(error)
}

/// `lost` is what a broken connection means: unreachable before an answer, interrupted within one.
fn from_status(status: Status, endpoint: &Endpoint, lost: ErrorKind) -> Error {
    if let Some(reason) = reason(&status) {
        let known = ErrorKind::ALL
            .into_iter()
            .find(|kind| kind.code() == reason.code);
        let kind = known.unwrap_or(ErrorKind::Rejected);
        return Error::new(kind, reason.detail)
            .with_hint(reason.hint)
            .with_source(status);
    }
    let kind = match status.code() {
        Code::Cancelled => ErrorKind::Cancelled,
        Code::DeadlineExceeded => ErrorKind::Timeout,
        Code::OutOfRange | Code::ResourceExhausted => ErrorKind::TooLarge,
        Code::Unimplemented => ErrorKind::NotConfigured,
        _ => lost,
    };
    let detail = format!("the models service at {endpoint}: {}", cause(&status));
    Error::new(kind, detail)
        .with_hint(
            "Start it with the same configuration: `carl serve --role models` (at a TCP address with \
             `--listen ADDRESS --trust-network`).",
        )
        .with_source(status)
}

fn to_status(error: Error) -> Status {
    let code = match error.kind {
        ErrorKind::NotConfigured
        | ErrorKind::KeyMissing
        | ErrorKind::KeyLocked
        | ErrorKind::KeyUnavailable
        | ErrorKind::SchemaUnmet => Code::FailedPrecondition,
        ErrorKind::UnknownModel => Code::NotFound,
        ErrorKind::Unreachable | ErrorKind::CircuitOpen => Code::Unavailable,
        ErrorKind::Blocked => Code::PermissionDenied,
        ErrorKind::Unauthorised => Code::Unauthenticated,
        ErrorKind::Busy => Code::ResourceExhausted,
        ErrorKind::Server | ErrorKind::Protocol => Code::Internal,
        ErrorKind::Rejected => Code::InvalidArgument,
        ErrorKind::ContextOverflow | ErrorKind::TooLarge => Code::OutOfRange,
        ErrorKind::Timeout => Code::DeadlineExceeded,
        ErrorKind::Interrupted => Code::Aborted,
        ErrorKind::Cancelled => Code::Cancelled,
    };
    status(code, &error, &error.detail)
}

/// The gateway or engine behind a unix socket.
#[must_use]
pub fn at_socket(socket: &Path) -> Arc<dyn Models> {
    Arc::new(Client::connect(&Endpoint::Unix(socket.to_owned())))
}

#[async_trait]
impl Models for Client {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let call = async {
            self.inner
                .clone()
                .chat(sized(proto::ChatRequest::from(request))?)
                .await
        }
        .await;
        let chunks = call.map_err(|status| self.failed(status))?.into_inner();
        let endpoint = self.endpoint.clone();
        let chunks = chunks.map(move |chunk| match chunk {
            Ok(chunk) => chunk.try_into().map_err(|error| garbled(error, &endpoint)),
            Err(status) => Err(from_status(status, &endpoint, ErrorKind::Interrupted)),
        });
        Ok(stream::until_error(chunks))
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        let call = async {
            self.inner
                .clone()
                .embed(sized(proto::EmbedRequest::from(request))?)
                .await
        }
        .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        answer.try_into().map_err(|error| self.garbled(error))
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        let call = self
            .inner
            .clone()
            .list_models(proto::ListModelsRequest {})
            .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.models, "models").map_err(|error| self.garbled(error))
    }

    async fn describe(&self, model: ModelChoice) -> Result<ModelFacts, Error> {
        let request = proto::DescribeModelRequest {
            model: Some(model.into()),
        };
        let call = self.inner.clone().describe(request).await;
        let facts = call.map_err(|status| self.failed(status))?.into_inner();
        facts.try_into().map_err(|error| self.garbled(error))
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        let request = proto::CountTokensRequest {
            model: Some(model.into()),
            text,
        };
        let call = async { self.inner.clone().count_tokens(sized(request)?).await }.await;
        Ok(call
            .map_err(|status| self.failed(status))?
            .into_inner()
            .tokens)
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        let call = self
            .inner
            .clone()
            .health(proto::ModelsHealthRequest {})
            .await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        each(answer.providers, "providers").map_err(|error| self.garbled(error))
    }
}

/// Models served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Models>);

#[async_trait]
impl models_server::Models for Server {
    type ChatStream = BoxStream<'static, Result<proto::ChatChunk, Status>>;

    async fn chat(
        &self,
        request: Request<proto::ChatRequest>,
    ) -> Result<Response<Self::ChatStream>, Status> {
        let request = request.into_inner().try_into()?;
        let chunks = self.0.chat(request).await.map_err(to_status)?;
        let chunks = chunks.map(|chunk| chunk.map(Into::into).map_err(to_status));
        Ok(Response::new(stream::until_error(chunks)))
    }

    async fn embed(
        &self,
        request: Request<proto::EmbedRequest>,
    ) -> Result<Response<proto::EmbedResponse>, Status> {
        let request = request.into_inner().try_into()?;
        let answer = self.0.embed(request).await.map_err(to_status)?;
        Ok(Response::new(answer.into()))
    }

    async fn list_models(
        &self,
        _: Request<proto::ListModelsRequest>,
    ) -> Result<Response<proto::ListModelsResponse>, Status> {
        let models = self.0.list_models().await.map_err(to_status)?;
        let models = models.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ListModelsResponse { models }))
    }

    async fn describe(
        &self,
        request: Request<proto::DescribeModelRequest>,
    ) -> Result<Response<proto::DescribeModelResponse>, Status> {
        let model = required(request.into_inner().model, "model")?;
        let facts = self.0.describe(model).await.map_err(to_status)?;
        Ok(Response::new(facts.into()))
    }

    async fn count_tokens(
        &self,
        request: Request<proto::CountTokensRequest>,
    ) -> Result<Response<proto::CountTokensResponse>, Status> {
        let request = request.into_inner();
        let model = required(request.model, "model")?;
        let tokens = self
            .0
            .count_tokens(model, request.text)
            .await
            .map_err(to_status)?;
        Ok(Response::new(proto::CountTokensResponse { tokens }))
    }

    async fn health(
        &self,
        _: Request<proto::ModelsHealthRequest>,
    ) -> Result<Response<proto::ModelsHealthResponse>, Status> {
        let providers = self.0.health().await.map_err(to_status)?;
        let providers = providers.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::ModelsHealthResponse { providers }))
    }
}
