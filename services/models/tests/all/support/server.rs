//! An HTTP/1.1 server on a free port that sends exactly the bytes it is told to.

use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
}

/// A part of an answer's body.
#[derive(Debug, Clone)]
pub enum Part {
    /// One chunk.
    Bytes(Vec<u8>),
    /// Nothing for a while.
    Wait(Duration),
    /// Nothing until the test opens the gate.
    Gate(Arc<Notify>),
    /// Nothing any more, until the client goes.
    Hang,
    /// The connection is reset.
    Reset,
    /// The connection is closed before the body's end.
    Close,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub parts: Vec<Part>,
}

impl Reply {
    pub fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            content_type,
            headers: Vec::new(),
            parts: vec![Part::Bytes(body.into())],
        }
    }

    pub fn json(body: &Value) -> Self {
        Self::new("application/json", body.to_string())
    }

    pub fn status(status: u16, body: &Value) -> Self {
        Self {
            status,
            ..Self::json(body)
        }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn then(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    pub fn parts(content_type: &'static str, parts: Vec<Part>) -> Self {
        Self {
            status: 200,
            content_type,
            headers: Vec::new(),
            parts,
        }
    }
}

type Handler = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// A running server. It ends with its handle.
pub struct Server {
    pub url: String,
    pub port: u16,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    handler: Box<Handler>,
    requests: Mutex<Vec<Request>>,
    count: AtomicUsize,
    left: Notify,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server. The handler gets each request and how many came before it.
    pub async fn start(handler: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            requests: Mutex::default(),
            count: AtomicUsize::new(0),
            left: Notify::new(),
        });
        let serving = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self {
            url: format!("http://127.0.0.1:{port}"),
            port,
            shared,
            task,
        }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    pub fn to(&self, path: &str) -> Vec<Request> {
        let mut all = self.requests();
        all.retain(|request| request.path == path);
        all
    }

    /// Waits until a client leaves while it is being answered.
    pub async fn client_left(&self) {
        self.shared.left.notified().await;
    }
}

/// A port on which nothing listens.
pub async fn unused_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    while let Some(request) = read_request(&mut stream).await {
        let nth = shared.count.fetch_add(1, Ordering::SeqCst);
        shared.requests.lock().unwrap().push(request.clone());
        let reply = (shared.handler)(&request, nth);
        if write_reply(&mut stream, reply, &shared).await.is_none() {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 65_536];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap().split(' ');
    let method = first.next().unwrap().to_owned();
    let path = first.next().unwrap().to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(0, |text| text.parse().unwrap());
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => body.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
    Some(Request {
        method,
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

/// Writes an answer; `None` when the connection is over.
async fn write_reply(stream: &mut TcpStream, reply: Reply, shared: &Shared) -> Option<()> {
    let mut head = format!(
        "HTTP/1.1 {} Test\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\n",
        reply.status, reply.content_type
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    send(stream, head.as_bytes(), shared).await?;
    for part in reply.parts {
        match part {
            Part::Bytes(bytes) if bytes.is_empty() => {}
            Part::Bytes(bytes) => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend_from_slice(&bytes);
                chunk.extend_from_slice(b"\r\n");
                send(stream, &chunk, shared).await?;
            }
            Part::Wait(time) => {
                if tokio::time::timeout(time, gone(stream)).await.is_ok() {
                    shared.left.notify_one();
                    return None;
                }
            }
            Part::Gate(gate) => gate.notified().await,
            Part::Hang => {
                gone(stream).await;
                shared.left.notify_one();
                return None;
            }
            Part::Reset => {
                stream.set_zero_linger().unwrap();
                return None;
            }
            Part::Close => return None,
        }
    }
    send(stream, b"0\r\n\r\n", shared).await
}

async fn send(stream: &mut TcpStream, bytes: &[u8], shared: &Shared) -> Option<()> {
    match stream.write_all(bytes).await {
        Ok(()) => Some(()),
        Err(_gone) => {
            shared.left.notify_one();
            None
        }
    }
}

/// Returns when the client closes or resets the connection.
async fn gone(stream: &mut TcpStream) {
    let mut buffer = [0; 256];
    while matches!(stream.read(&mut buffer).await, Ok(count) if count > 0) {}
}
