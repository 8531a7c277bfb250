//! Search over gRPC.

use crate::address::Endpoint;
use crate::channel::{self, sized};
use api::search::{Error, ReadAnswer, ReadRequest, Search, SearchAnswer, SearchRequest};
use async_trait::async_trait;
use domain::limits::WIRE_MESSAGE_BYTES;
use proto::convert::InvalidField;
use proto::search_client::SearchClient;
use proto::search_server;
use proto::status::{cause, reason, status};
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

/// Search in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: SearchClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner = SearchClient::new(channel::open(endpoint))
            .max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }

    fn garbled(&self, error: InvalidField) -> Error {
        Error::Unavailable {
            detail: format!("{} answered with nonsense: {error}", self.endpoint),
        }
    }

    fn failed(&self, status: Status) -> Error {
        let Some(reason) = reason(&status) else {
            return Error::Unavailable {
                detail: format!("{}: {}", self.endpoint, cause(&status)),
            };
        };
        let detail = reason.detail;
        match reason.code.as_str() {
            "search.not_configured" => Error::NotConfigured,
            "search.invalid" => Error::Invalid { detail },
            "search.blocked" => Error::Blocked { detail },
            "search.unavailable" => Error::Unavailable { detail },
            _ => Error::Unavailable {
                detail: format!("{}: {detail}", self.endpoint),
            },
        }
    }
}

fn to_status(error: Error) -> Status {
    let (code, detail) = match &error {
        Error::NotConfigured => (Code::FailedPrecondition, ""),
        Error::Invalid { detail } => (Code::InvalidArgument, detail.as_str()),
        Error::Blocked { detail } => (Code::PermissionDenied, detail.as_str()),
        Error::Unavailable { detail } => (Code::Unavailable, detail.as_str()),
    };
    status(code, &error, detail)
}

#[async_trait]
impl Search for Client {
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, Error> {
        let call = async {
            let request = sized(proto::SearchRequest::from(request))?;
            self.inner.clone().search(request).await
        };
        let answer = call.await.map_err(|status| self.failed(status))?;
        let answer = answer.into_inner().try_into();
        answer.map_err(|error| self.garbled(error))
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, Error> {
        let call = async {
            let request = sized(proto::ReadPageRequest::from(request))?;
            self.inner.clone().read(request).await
        };
        let answer = call.await.map_err(|status| self.failed(status))?;
        let answer = answer.into_inner().try_into();
        answer.map_err(|error| self.garbled(error))
    }

    /// What it asks in its turn stands in its own configuration.
    async fn destination(&self) -> Result<Option<String>, Error> {
        Ok(Some(format!("what serves search at {}", self.endpoint)))
    }
}

/// Search served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Search>);

#[async_trait]
impl search_server::Search for Server {
    async fn search(
        &self,
        request: Request<proto::SearchRequest>,
    ) -> Result<Response<proto::SearchResponse>, Status> {
        let request = request.into_inner().try_into()?;
        let answer = self.0.search(request).await.map_err(to_status)?;
        Ok(Response::new(answer.into()))
    }

    async fn read(
        &self,
        request: Request<proto::ReadPageRequest>,
    ) -> Result<Response<proto::ReadPageResponse>, Status> {
        let request = request.into_inner().try_into()?;
        let answer = self.0.read(request).await.map_err(to_status)?;
        Ok(Response::new(answer.into()))
    }
}
