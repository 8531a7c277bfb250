//! Whether anyone serves at an address.

use crate::address::Endpoint;
use crate::channel;
use domain::limits::WIRE_CONNECT;
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
