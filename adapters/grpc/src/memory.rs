//! Memory over gRPC: for agents' tools and observers, and the user's side beside it.

use crate::address::Endpoint;
use crate::channel::{self, sized};
use crate::stream;
use api::memory::{
    Annotation, CorrelatedRequest, Curator, Error, Forgotten, ListRequest, Memory, QueryEvent,
    QueryRequest, Recall, Stats, Stored, WriteAnswer, WriteRequest,
};
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::id::{MemoryId, QueryId};
use domain::limits::WIRE_MESSAGE_BYTES;
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::convert::InvalidField;
use proto::memory_client::MemoryClient;
use proto::memory_curator_client::MemoryCuratorClient;
use proto::status::{cause, reason, status};
use proto::{memory_curator_server, memory_server};
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// Memory in another process, with the user's side where it is offered.
#[derive(Debug, Clone)]
pub struct Client {
    memory: MemoryClient<Channel>,
    curator: MemoryCuratorClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let channel = channel::open(endpoint);
        Self {
            memory: MemoryClient::new(channel.clone())
                .max_decoding_message_size(WIRE_MESSAGE_BYTES),
            curator: MemoryCuratorClient::new(channel)
                .max_decoding_message_size(WIRE_MESSAGE_BYTES),
            endpoint: endpoint.clone(),
        }
    }

    fn failed(&self, status: Status) -> Error {
        from_status(status, &self.endpoint)
    }

    fn garbled(&self, error: InvalidField) -> Error {
        garbled(error, &self.endpoint)
    }

    /// What a stream of messages says.
    fn told<W, D>(&self, messages: tonic::Streaming<W>) -> Streaming<D, Error>
    where
        W: Send + 'static,
        D: TryFrom<W, Error = InvalidField> + Send + 'static,
    {
        let endpoint = self.endpoint.clone();
        let told = messages.map(move |message| match message {
            Ok(message) => D::try_from(message).map_err(|error| garbled(error, &endpoint)),
            Err(status) => Err(from_status(status, &endpoint)),
        });
        stream::until_error(told)
    }
}

fn garbled(error: InvalidField, endpoint: &Endpoint) -> Error {
    Error::Unavailable {
        detail: format!("{endpoint} answered with nonsense: {error}"),
        source: Some(Box::new(error)),
    }
}

fn from_status(status: Status, endpoint: &Endpoint) -> Error {
    let unavailable = |detail: String| Error::Unavailable {
        detail,
        source: None,
    };
    let Some(reason) = reason(&status) else {
        if status.code() == Code::Unimplemented {
            let detail = format!("{endpoint}: {}", cause(&status));
            return Error::NotOffered { detail };
        }
        let detail = format!("{endpoint}: {}", cause(&status));
        return Error::Unreachable { detail };
    };
    let detail = reason.detail;
    match reason.code.as_str() {
        "memory.not_found" => match detail.parse() {
            Ok(id) => Error::NotFound { id },
            Err(error) => garbled(InvalidField::new("id", error), endpoint),
        },
        "memory.invalid" => Error::Invalid { detail },
        "memory.still_there" => Error::StillThere { file: detail },
        "memory.in_use" => Error::InUse { folder: detail },
        "memory.not_offered" => Error::NotOffered { detail },
        "memory.unreachable" => Error::Unreachable { detail },
        "memory.damaged" => Error::Damaged { detail },
        "memory.not_recorded" => Error::NotRecorded { detail },
        "memory.unavailable" => unavailable(detail),
        _ => unavailable(format!("{endpoint}: {detail}")),
    }
}

fn to_status(error: Error) -> Status {
    let (code, detail) = match &error {
        Error::NotFound { id } => (Code::NotFound, id.to_string()),
        Error::Invalid { detail } => (Code::InvalidArgument, detail.clone()),
        Error::StillThere { file } => (Code::FailedPrecondition, file.clone()),
        Error::InUse { folder } => (Code::FailedPrecondition, folder.clone()),
        Error::NotOffered { detail } => (Code::FailedPrecondition, detail.clone()),
        Error::Damaged { detail } => (Code::DataLoss, detail.clone()),
        Error::NotRecorded { detail } => (Code::FailedPrecondition, detail.clone()),
        Error::Unreachable { detail } => (Code::Unavailable, detail.clone()),
        Error::Unavailable { detail, .. } => (Code::Unavailable, detail.clone()),
    };
    status(code, &error, &detail)
}

#[async_trait]
impl Memory for Client {
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error> {
        let call = async {
            let request = sized(proto::MemoryQueryRequest::from(request))?;
            self.memory.clone().query(request).await
        };
        let events = call.await.map_err(|status| self.failed(status))?;
        Ok(self.told(events.into_inner()))
    }

    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error> {
        let call = async {
            let request = sized(proto::MemoryWriteRequest::from(request))?;
            self.memory.clone().write(request).await
        };
        let answer = call.await.map_err(|status| self.failed(status))?;
        let answer = answer.into_inner().try_into();
        answer.map_err(|error| self.garbled(error))
    }

    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error> {
        let call = async {
            let request = sized(proto::GetCorrelatedRequest::from(request))?;
            self.memory.clone().get_correlated(request).await
        };
        let answer = call.await.map_err(|status| self.failed(status))?;
        let recalls = proto::convert::each(answer.into_inner().recalls, "recalls");
        recalls.map_err(|error| self.garbled(error))
    }

    async fn engram_of(
        &self,
        query_id: QueryId,
        respondent: &str,
    ) -> Result<Option<MemoryId>, Error> {
        let request = proto::EngramOfRequest {
            query_id: query_id.to_string(),
            respondent: respondent.to_owned(),
        };
        let call = self.memory.clone().engram_of(request).await;
        let answer = call.map_err(|status| self.failed(status))?.into_inner();
        let id = proto::convert::optional_text(answer.id.as_deref(), "id");
        id.map_err(|error| self.garbled(error))
    }

    async fn annotate(
        &self,
        context: Option<CallContext>,
        id: MemoryId,
        annotation: Annotation,
    ) -> Result<(), Error> {
        let request = proto::AnnotateRequest {
            context: context.map(Into::into),
            id: id.to_string(),
            annotation: Some(annotation.into()),
        };
        let call = async { self.memory.clone().annotate(sized(request)?).await };
        call.await
            .map(|_done| ())
            .map_err(|status| self.failed(status))
    }
}

#[async_trait]
impl Curator for Client {
    async fn show(&self, id: MemoryId) -> Result<Stored, Error> {
        let request = proto::ShowMemoryRequest { id: id.to_string() };
        let answer = self.curator.clone().show(request).await;
        let stored = answer.map_err(|status| self.failed(status))?;
        let stored = stored.into_inner().try_into();
        stored.map_err(|error| self.garbled(error))
    }

    async fn list(&self, request: ListRequest) -> Result<Streaming<Stored, Error>, Error> {
        let request = proto::ListMemoriesRequest::from(request);
        let entries = self.curator.clone().list(request).await;
        let entries = entries.map_err(|status| self.failed(status))?;
        Ok(self.told(entries.into_inner()))
    }

    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Error> {
        let request = proto::ForgetRequest { id: id.to_string() };
        let answer = self.curator.clone().forget(request).await;
        let forgotten = answer.map_err(|status| self.failed(status))?;
        let forgotten = forgotten.into_inner().try_into();
        forgotten.map_err(|error| self.garbled(error))
    }

    async fn restore(&self, entry: Stored) -> Result<WriteAnswer, Error> {
        let call = async {
            let entry = sized(proto::StoredMemory::from(entry))?;
            self.curator.clone().restore(entry).await
        };
        let answer = call.await.map_err(|status| self.failed(status))?;
        let answer = answer.into_inner().try_into();
        answer.map_err(|error| self.garbled(error))
    }

    async fn stats(&self) -> Result<Stats, Error> {
        let request = proto::MemoryStatsRequest {};
        let answer = self.curator.clone().stats(request).await;
        let stats = answer.map_err(|status| self.failed(status))?;
        let stats = stats.into_inner().try_into();
        stats.map_err(|error| self.garbled(error))
    }

    async fn reindex(&self) -> Result<Stats, Error> {
        let request = proto::ReindexRequest {};
        let answer = self.curator.clone().reindex(request).await;
        let stats = answer.map_err(|status| self.failed(status))?;
        let stats = stats.into_inner().try_into();
        stats.map_err(|error| self.garbled(error))
    }
}

/// Memory served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Memory>);

#[async_trait]
impl memory_server::Memory for Server {
    type QueryStream = BoxStream<'static, Result<proto::MemoryQueryEvent, Status>>;

    async fn query(
        &self,
        request: Request<proto::MemoryQueryRequest>,
    ) -> Result<Response<Self::QueryStream>, Status> {
        let request = request.into_inner().try_into()?;
        let events = self.0.query(request).await.map_err(to_status)?;
        let events = events.map(|event| event.map(Into::into).map_err(to_status));
        Ok(Response::new(stream::until_error(events)))
    }

    async fn write(
        &self,
        request: Request<proto::MemoryWriteRequest>,
    ) -> Result<Response<proto::MemoryWriteResponse>, Status> {
        let request = request.into_inner().try_into()?;
        let answer = self.0.write(request).await.map_err(to_status)?;
        Ok(Response::new(answer.into()))
    }

    async fn get_correlated(
        &self,
        request: Request<proto::GetCorrelatedRequest>,
    ) -> Result<Response<proto::GetCorrelatedResponse>, Status> {
        let request = request.into_inner().try_into()?;
        let recalls = self.0.get_correlated(request).await.map_err(to_status)?;
        let recalls = recalls.into_iter().map(Into::into).collect();
        Ok(Response::new(proto::GetCorrelatedResponse { recalls }))
    }

    async fn engram_of(
        &self,
        request: Request<proto::EngramOfRequest>,
    ) -> Result<Response<proto::EngramOfResponse>, Status> {
        let request = request.into_inner();
        let query_id = proto::convert::text(&request.query_id, "query_id")?;
        let found = self.0.engram_of(query_id, &request.respondent).await;
        let id = found.map_err(to_status)?;
        let id = id.map(|id| id.to_string());
        Ok(Response::new(proto::EngramOfResponse { id }))
    }

    async fn annotate(
        &self,
        request: Request<proto::AnnotateRequest>,
    ) -> Result<Response<proto::AnnotateResponse>, Status> {
        let request = request.into_inner();
        let context = proto::convert::optional(request.context, "context")?;
        let id = proto::convert::text(&request.id, "id")?;
        let annotation = request.annotation;
        let annotation = annotation.ok_or_else(|| InvalidField::missing("annotation"))?;
        let annotated = self.0.annotate(context, id, annotation.try_into()?).await;
        annotated.map_err(to_status)?;
        Ok(Response::new(proto::AnnotateResponse {}))
    }
}

/// The user's side served to the user's other processes.
pub(crate) struct CuratorServer(pub(crate) Arc<dyn Curator>);

#[async_trait]
impl memory_curator_server::MemoryCurator for CuratorServer {
    type ListStream = BoxStream<'static, Result<proto::StoredMemory, Status>>;

    async fn show(
        &self,
        request: Request<proto::ShowMemoryRequest>,
    ) -> Result<Response<proto::StoredMemory>, Status> {
        let id = proto::convert::text(&request.into_inner().id, "id")?;
        let stored = self.0.show(id).await.map_err(to_status)?;
        Ok(Response::new(stored.into()))
    }

    async fn list(
        &self,
        request: Request<proto::ListMemoriesRequest>,
    ) -> Result<Response<Self::ListStream>, Status> {
        let request = request.into_inner().try_into()?;
        let entries = self.0.list(request).await.map_err(to_status)?;
        let entries = entries.map(|entry| entry.map(Into::into).map_err(to_status));
        Ok(Response::new(stream::until_error(entries)))
    }

    async fn forget(
        &self,
        request: Request<proto::ForgetRequest>,
    ) -> Result<Response<proto::ForgetResponse>, Status> {
        let id = proto::convert::text(&request.into_inner().id, "id")?;
        let forgotten = self.0.forget(id).await.map_err(to_status)?;
        Ok(Response::new(forgotten.into()))
    }

    async fn restore(
        &self,
        request: Request<proto::StoredMemory>,
    ) -> Result<Response<proto::MemoryWriteResponse>, Status> {
        let entry = request.into_inner().try_into()?;
        let answer = self.0.restore(entry).await.map_err(to_status)?;
        Ok(Response::new(answer.into()))
    }

    async fn stats(
        &self,
        _request: Request<proto::MemoryStatsRequest>,
    ) -> Result<Response<proto::MemoryStats>, Status> {
        let stats = self.0.stats().await.map_err(to_status)?;
        Ok(Response::new(stats.into()))
    }

    async fn reindex(
        &self,
        _request: Request<proto::ReindexRequest>,
    ) -> Result<Response<proto::MemoryStats>, Status> {
        let stats = self.0.reindex().await.map_err(to_status)?;
        Ok(Response::new(stats.into()))
    }
}
