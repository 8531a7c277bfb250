//! Audit over gRPC.

use crate::address::Endpoint;
use crate::{channel, stream};
use api::audit::{Ack, Audit, Durability, Entry, Error};
use async_trait::async_trait;
use domain::fault::Coded;
use domain::limits::WIRE_MESSAGE_BYTES;
use futures::StreamExt;
use futures::stream::BoxStream;
use proto::audit_client::AuditClient;
use proto::audit_server;
use proto::status::{cause, reason, status};
use std::sync::Arc;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status, Streaming};

/// Audit in another process.
#[derive(Debug, Clone)]
pub struct Client {
    inner: AuditClient<Channel>,
    endpoint: Endpoint,
}

impl Client {
    /// A client that connects with its first call, and again after a loss. Call it inside a Tokio
    /// runtime.
    #[must_use]
    pub fn connect(endpoint: &Endpoint) -> Self {
        let inner =
            AuditClient::new(channel::open(endpoint)).max_decoding_message_size(WIRE_MESSAGE_BYTES);
        Self {
            inner,
            endpoint: endpoint.clone(),
        }
    }
}

fn from_status(status: &Status, endpoint: &Endpoint) -> Error {
    match reason(status) {
        Some(reason) if reason.code == "audit.unwritable" => Error::Unwritable {
            detail: reason.detail,
        },
        Some(reason) if reason.code == "audit.poisoned" => Error::Poisoned {
            detail: reason.detail,
        },
        Some(reason) => Error::Unreachable {
            detail: format!("{endpoint}: {}", reason.detail),
        },
        None => Error::Unreachable {
            detail: format!("{endpoint}: {}", cause(status)),
        },
    }
}

fn to_status(error: Error) -> Status {
    let code = match error {
        Error::Unwritable { .. } => Code::ResourceExhausted,
        Error::Poisoned { .. } => Code::FailedPrecondition,
        Error::Unreachable { .. } => Code::Unavailable,
    };
    // The client puts the sentence around it again.
    let (Error::Unwritable { detail } | Error::Poisoned { detail } | Error::Unreachable { detail }) =
        &error;
    status(code, &error, detail)
}

#[async_trait]
impl Audit for Client {
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, Error> {
        let record = proto::Record::from((entry, durability));
        match self.inner.clone().append_one(record).await {
            Ok(ack) => Ok(Ack {
                sequence: ack.into_inner().sequence,
            }),
            Err(status) => {
                let error = from_status(&status, &self.endpoint);
                tracing::debug!(code = error.code(), %status, "an append failed");
                Err(error)
            }
        }
    }
}

/// Audit served to other processes.
pub(crate) struct Server(pub(crate) Arc<dyn Audit>);

async fn append(audit: &dyn Audit, record: proto::Record) -> Result<proto::Ack, Status> {
    let (entry, durability) = record.try_into()?;
    let ack = audit.append(entry, durability).await.map_err(to_status)?;
    Ok(proto::Ack {
        sequence: ack.sequence,
    })
}

#[async_trait]
impl audit_server::Audit for Server {
    type AppendStream = BoxStream<'static, Result<proto::Ack, Status>>;

    async fn append(
        &self,
        records: Request<Streaming<proto::Record>>,
    ) -> Result<Response<Self::AppendStream>, Status> {
        let audit = Arc::clone(&self.0);
        // One after the other: a record is never recorded after one that failed.
        let acks = records.into_inner().then(move |record| {
            let audit = Arc::clone(&audit);
            async move { append(audit.as_ref(), record?).await }
        });
        Ok(Response::new(stream::until_error(acks)))
    }

    async fn append_one(
        &self,
        record: Request<proto::Record>,
    ) -> Result<Response<proto::Ack>, Status> {
        append(self.0.as_ref(), record.into_inner())
            .await
            .map(Response::new)
    }
}
