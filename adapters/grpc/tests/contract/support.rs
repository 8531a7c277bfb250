//! Services served over each transport.

use grpc::server::Builder;
use grpc::{Endpoint, Listen};
use std::sync::Mutex;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How a caller reaches a service in another process.
#[derive(Debug, Clone, Copy)]
pub enum Transport {
    Unix,
    Tcp,
}

impl Transport {
    pub const ALL: [Self; 2] = [Self::Unix, Self::Tcp];
}

/// A running endpoint. It stops when it is dropped.
pub struct Served {
    pub endpoint: Endpoint,
    pub folder: TempDir,
    pub stop: Option<oneshot::Sender<()>>,
    pub task: JoinHandle<Result<(), grpc::server::Error>>,
}

/// A folder as sockets need it.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Serves on a fresh address.
pub async fn serve(transport: Transport, services: Builder) -> Served {
    let folder = folder();
    let listen = match transport {
        Transport::Unix => Listen::Unix(folder.path().join("carl.sock")),
        Transport::Tcp => "tcp:127.0.0.1:0".parse().unwrap(),
    };
    let bound = services.bind(&listen).await.unwrap();
    let endpoint = Endpoint::from(bound.local());
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(bound.serve(async {
        // A dropped sender is a stop, too.
        let _ = stopped.await;
    }));
    Served {
        endpoint,
        folder,
        stop: Some(stop),
        task,
    }
}

/// Keeps endpoints running until the test is over.
#[derive(Default)]
pub struct Running(Mutex<Vec<Served>>);

impl Running {
    pub async fn serve(&self, transport: Transport, services: Builder) -> Endpoint {
        let served = serve(transport, services).await;
        let endpoint = served.endpoint.clone();
        self.0.lock().unwrap().push(served);
        endpoint
    }
}
