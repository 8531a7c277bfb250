//! Whether anyone serves at an address, and on which terms.

use crate::address::Endpoint;
use crate::channel;
use crate::proto::presence_client::PresenceClient;
use crate::proto::{self, presence_server};
use async_trait::async_trait;
use domain::limits::WIRE_CONNECT;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

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

/// The terms that an endpoint serves on, as [`crate::server::Builder::terms`] was given them; `None`
/// where nobody says any within [`WIRE_CONNECT`]. Call it inside a Tokio runtime.
pub async fn terms(endpoint: &Endpoint) -> Option<String> {
    let mut presence = PresenceClient::new(channel::open(endpoint));
    let asking = presence.terms(proto::TermsRequest {});
    match tokio::time::timeout(WIRE_CONNECT, asking).await {
        Ok(Ok(answer)) => Some(answer.into_inner().terms_json),
        Ok(Err(status)) => {
            tracing::debug!(%endpoint, %status, "no terms");
            None
        }
        Err(_late) => None,
    }
}

/// Terms told to other processes.
pub(crate) struct Server(pub(crate) String);

#[async_trait]
impl presence_server::Presence for Server {
    async fn terms(
        &self,
        _: Request<proto::TermsRequest>,
    ) -> Result<Response<proto::TermsResponse>, Status> {
        let terms_json = self.0.clone();
        Ok(Response::new(proto::TermsResponse { terms_json }))
    }
}
