//! Who may leave a message, and what a message is.

use crate::hasty::Pass;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use domain::drive::Signal;
use domain::limits::SIGNAL_BYTES;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use tokio::sync::broadcast;

/// What messages are called that come in here.
pub const CHANNEL: &str = "inbox";
/// Most messages in a minute.
pub const MESSAGES_A_MINUTE: u32 = 60;
/// Most bytes of a body: a text in JSON may be twice as long as the text, and has a frame.
const BODY_BYTES: usize = 2 * SIGNAL_BYTES + 64;

/// What is checked, and where messages go.
pub(crate) struct Door {
    hosts: Vec<String>,
    token: String,
    messages: broadcast::Sender<Signal>,
    /// When the minute began in which messages are counted, and how many came in it.
    minute: Mutex<(Instant, u32)>,
}

/// An answer: a number and one line.
pub(crate) type Answer = (StatusCode, &'static str);

impl Door {
    pub(crate) fn new(
        address: SocketAddr,
        token: &str,
        messages: broadcast::Sender<Signal>,
    ) -> Self {
        Self {
            hosts: vec![address.to_string(), format!("localhost:{}", address.port())],
            token: token.to_owned(),
            messages,
            minute: Mutex::new((Instant::now(), 0)),
        }
    }

    /// A name that leads here by a stranger's name server is not one of ours; a web page says where
    /// it is from; and a program has the token.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Answer> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).unwrap_or_default();
        if !self
            .hosts
            .iter()
            .any(|ours| ours.eq_ignore_ascii_case(host))
        {
            return Err((StatusCode::FORBIDDEN, "unknown host\n"));
        }
        if headers.contains_key(ORIGIN) {
            return Err((StatusCode::FORBIDDEN, "not for web pages\n"));
        }
        let token = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let token = token.unwrap_or_default().as_bytes();
        if !bool::from(token.ct_eq(self.token.as_bytes())) {
            return Err((StatusCode::UNAUTHORIZED, "the token is missing or wrong\n"));
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.0.elapsed() >= Duration::from_secs(60) {
            *minute = (Instant::now(), 0);
        }
        minute.1 = minute.1.saturating_add(1);
        minute.1 <= MESSAGES_A_MINUTE
    }
}

/// `POST /inbox`: plain text, or JSON with a `text`.
pub(crate) async fn leave(
    State(door): State<Arc<Door>>,
    ConnectInfo(pass): ConnectInfo<Pass>,
    request: Request<Body>,
) -> Answer {
    match take(&door, &pass, request).await {
        Ok(()) => (StatusCode::ACCEPTED, "taken\n"),
        Err(refused) => refused,
    }
}

/// Every other path says as little to whoever may not be here.
pub(crate) async fn nothing_here() -> Answer {
    (StatusCode::NOT_FOUND, "nothing here\n")
}

async fn take(door: &Door, pass: &Pass, request: Request<Body>) -> Result<(), Answer> {
    let (head, body) = request.into_parts();
    door.admit(&head.headers)?;
    pass.admit();
    if !door.has_room() {
        return Err((StatusCode::TOO_MANY_REQUESTS, "too many messages\n"));
    }
    let bytes = to_bytes(body, BODY_BYTES)
        .await
        .map_err(|error| too_large(&error))?;
    let text = text_of(&head.headers, &bytes)?;
    if text.trim().is_empty() {
        return Err((StatusCode::BAD_REQUEST, "the message is empty\n"));
    }
    if text.len() + CHANNEL.len() > SIGNAL_BYTES {
        return Err((StatusCode::PAYLOAD_TOO_LARGE, "the message is too long\n"));
    }
    let signal = Signal::Message {
        channel: CHANNEL.to_owned(),
        text,
    };
    match door.messages.send(signal) {
        Ok(_) => Ok(()),
        Err(_) => Err((
            StatusCode::SERVICE_UNAVAILABLE,
            "no session is in auto mode\n",
        )),
    }
}

fn too_large(error: &axum::Error) -> Answer {
    tracing::debug!(%error, "a message was not read to its end");
    (StatusCode::PAYLOAD_TOO_LARGE, "the message is too long\n")
}

fn text_of(headers: &HeaderMap, bytes: &[u8]) -> Result<String, Answer> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("text/plain");
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        let wrong = (StatusCode::BAD_REQUEST, "the JSON needs a `text`\n");
        let value: serde_json::Value = serde_json::from_slice(bytes).or(Err(wrong))?;
        return value["text"].as_str().map(str::to_owned).ok_or(wrong);
    }
    if kind.eq_ignore_ascii_case("text/plain") {
        let text = std::str::from_utf8(bytes);
        return text
            .map(str::to_owned)
            .or(Err((StatusCode::BAD_REQUEST, "the text is not UTF-8\n")));
    }
    Err((
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "send text/plain or application/json\n",
    ))
}
