//! Whether anyone serves at an address, who, and on which terms.

use crate::address::Endpoint;
use crate::channel;
use async_trait::async_trait;
use domain::limits::WIRE_CONNECT;
use proto::presence_client::PresenceClient;
use proto::presence_server;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use uuid::Uuid;

/// Asks the endpoint's health service. A refused connection, a process of another user, silence for
/// [`WIRE_CONNECT`] and anything but "serving" mean no. Call it inside a Tokio runtime.
pub async fn answers(endpoint: &Endpoint) -> bool {
    let mut health = HealthClient::new(channel::open(endpoint));
    let check = health.check(HealthCheckRequest::default());
    match tokio::time::timeout(WIRE_CONNECT, check).await {
        Ok(Ok(answer)) => answer.into_inner().status() == ServingStatus::Serving,
        Ok(Err(_)) | Err(_) => false,
    }
}

/// What services say of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Which services these are: another id than those that were at the same address before.
    pub instance: String,
    /// The terms they serve on, as [`crate::server::Builder::terms`] was given them.
    pub terms_json: String,
}

/// Who serves at an endpoint; `None` where nobody says within [`WIRE_CONNECT`]. Call it inside a
/// Tokio runtime.
pub async fn host(endpoint: &Endpoint) -> Option<Host> {
    let mut presence = PresenceClient::new(channel::open(endpoint));
    let asking = presence.terms(proto::TermsRequest {});
    match tokio::time::timeout(WIRE_CONNECT, asking).await {
        Ok(Ok(answer)) => {
            let proto::TermsResponse {
                terms_json,
                instance,
            } = answer.into_inner();
            Some(Host {
                instance,
                terms_json,
            })
        }
        Ok(Err(status)) => {
            tracing::debug!(%endpoint, %status, "no terms");
            None
        }
        Err(_late) => None,
    }
}

/// Whether the services at an endpoint are those that called themselves `instance`, or any where that is
/// not known. Services that do not say who they are count as the same. Call it inside a Tokio runtime.
pub async fn still_serves(endpoint: &Endpoint, instance: Option<&str>) -> bool {
    let is_same = |host: Host| instance.is_none_or(|known| known == host.instance);
    if let Some(host) = host(endpoint).await {
        return is_same(host);
    }
    // Between the two questions others may have begun to serve in their place.
    answers(endpoint).await && host(endpoint).await.is_none_or(is_same)
}

/// What other processes are told.
pub(crate) struct Server(Host);

impl Server {
    /// One that tells these terms, under an id of its own.
    pub(crate) fn new(terms_json: String) -> Self {
        Self(Host {
            instance: Uuid::now_v7().to_string(),
            terms_json,
        })
    }
}

#[async_trait]
impl presence_server::Presence for Server {
    async fn terms(
        &self,
        _: Request<proto::TermsRequest>,
    ) -> Result<Response<proto::TermsResponse>, Status> {
        let Host {
            instance,
            terms_json,
        } = self.0.clone();
        Ok(Response::new(proto::TermsResponse {
            terms_json,
            instance,
        }))
    }
}
