//! Client connections: made when first needed, and again after a loss.

use crate::address::Endpoint;
use crate::socket;
use domain::limits::{WIRE_CONNECT, WIRE_MESSAGE_BYTES, WIRE_PING, WIRE_PING_ANSWER};
use hyper_util::rt::TokioIo;
use prost::Message;
use std::io;
use tokio::net::{TcpStream, UnixStream};
use tonic::Status;
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

/// The message, if it may be sent. Asked here, because a limit kept by the transport would only say
/// that the stream was reset.
pub(crate) fn sized<M: Message>(message: M) -> Result<M, Status> {
    let bytes = message.encoded_len();
    if bytes <= WIRE_MESSAGE_BYTES {
        return Ok(message);
    }
    let text = format!("the message has {bytes} bytes; at most {WIRE_MESSAGE_BYTES} are sent");
    Err(Status::out_of_range(text))
}
