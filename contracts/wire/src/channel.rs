//! Client connections: made when first needed, and again after a loss.

use crate::address::Endpoint;
use crate::socket;
use domain::limits::{WIRE_CONNECT, WIRE_PING, WIRE_PING_ANSWER};
use hyper_util::rt::TokioIo;
use std::io;
use tokio::net::{TcpStream, UnixStream};
use tonic::transport::{Channel, Endpoint as Target, Uri};
use tower::service_fn;

/// The name that requests carry. Where they go is decided by the connector alone.
const AUTHORITY: &str = "http://housecarl";

/// A connection to an endpoint. Connects with the first call. Runs inside a Tokio runtime.
pub(crate) fn open(endpoint: &Endpoint) -> Channel {
    let target = Target::from_static(AUTHORITY)
        .connect_timeout(WIRE_CONNECT)
        .http2_keep_alive_interval(WIRE_PING)
        .keep_alive_timeout(WIRE_PING_ANSWER);
    match endpoint.clone() {
        Endpoint::Unix(path) => target.connect_with_connector_lazy(service_fn(move |_: Uri| {
            let path = path.clone();
            async move {
                let stream = UnixStream::connect(&path).await?;
                socket::check_peer(&stream)?;
                Ok::<_, io::Error>(TokioIo::new(stream))
            }
        })),
        Endpoint::Tcp { host, port } => {
            target.connect_with_connector_lazy(service_fn(move |_: Uri| {
                let host = host.clone();
                async move {
                    let stream = TcpStream::connect((host.as_str(), port)).await?;
                    stream.set_nodelay(true)?;
                    Ok::<_, io::Error>(TokioIo::new(stream))
                }
            }))
        }
    }
}
