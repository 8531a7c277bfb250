//! What the handlers of a model server share: the requests so far and the script.

use crate::reply::{Reply, Step};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// One request as it came in.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The path asked for.
    pub path: String,
    /// Its headers, by name in lower case; empty where a stand-in does not keep them.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
    /// When it came.
    pub time: Instant,
}

pub(crate) type Scripted = Box<dyn FnMut(&Value, usize) -> Reply + Send>;

/// What handlers share.
pub struct Shared {
    pub(crate) recorded: Mutex<Vec<Recorded>>,
    pub(crate) came: Condvar,
    pub(crate) script: Mutex<(Scripted, usize)>,
    pub(crate) fragment: usize,
    /// Answers that were given up while they waited.
    pub(crate) hung_up: (Mutex<usize>, Condvar),
}

impl Shared {
    pub(crate) fn record(&self, path: &str, body: &Value) {
        self.record_with(path, &HeaderMap::new(), body);
    }

    pub(crate) fn record_with(&self, path: &str, headers: &HeaderMap, body: &Value) {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = headers.iter();
        let request = Recorded {
            path: path.to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            body: body.clone(),
            time: Instant::now(),
        };
        self.recorded.lock().unwrap().push(request);
        self.came.notify_all();
    }

    pub(crate) fn next(&self, body: &Value) -> Reply {
        let mut script = self.script.lock().unwrap();
        let (speak, count) = &mut *script;
        let reply = speak(body, *count);
        *count += 1;
        reply
    }

    /// Streams what `render` makes of each step, after passing its gates.
    pub(crate) fn stream(
        self: &Arc<Self>,
        kind: &str,
        reply: Reply,
        mut render: impl FnMut(&Step) -> Vec<u8> + Send + 'static,
        end: Vec<u8>,
    ) -> Response {
        let (sender, receiver) = mpsc::channel::<Result<Bytes, io::Error>>(16);
        let fragment = self.fragment;
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            for step in &reply.steps {
                match step {
                    Step::Wait(gate) => tokio::select! {
                        () = gate.pass() => {}
                        () = sender.closed() => {
                            let (count, changed) = &shared.hung_up;
                            *count.lock().unwrap() += 1;
                            changed.notify_all();
                            return;
                        }
                    },
                    Step::Cut => {
                        let cut = io::Error::new(io::ErrorKind::ConnectionReset, "cut off");
                        let _gone = sender.send(Err(cut)).await;
                        return;
                    }
                    _ => {
                        if !send(&sender, render(step), fragment).await {
                            return;
                        }
                    }
                }
            }
            send(&sender, end, fragment).await;
        });
        let body = Body::from_stream(ReceiverStream::new(receiver));
        Response::builder()
            .header("content-type", kind)
            .body(body)
            .unwrap()
    }
}

async fn send(
    sender: &mpsc::Sender<Result<Bytes, io::Error>>,
    bytes: Vec<u8>,
    size: usize,
) -> bool {
    for piece in bytes.chunks(size) {
        if sender
            .send(Ok(Bytes::copy_from_slice(piece)))
            .await
            .is_err()
        {
            return false;
        }
        // Lets the connection write each piece by itself.
        tokio::task::yield_now().await;
    }
    true
}

/// A plain answer with a status.
pub(crate) fn plain(status: u16, body: String) -> Response {
    document(status, "application/json", body.into_bytes())
}

/// An answer in one piece, of this content type.
pub(crate) fn document(status: u16, kind: &str, body: Vec<u8>) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", kind)
        .body(Body::from(body))
        .unwrap()
}
