//! Asks a server over HTTP, and reads its events.

use crate::error::Error;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::time::Duration;
use text::escape::visible_line;

/// Most bytes of one event: one of a tool's whole result has far fewer.
const EVENT_BYTES: usize = 64 << 20;
/// How long a connection and an answer that is no stream may take.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// How long a page of a story may take to answer.
const PAGE_TIME: Duration = Duration::from_secs(5);

/// What a token with the scope `admin` alone is told.
const SCOPED: &str = "/api/v1/memory/search";

/// Whoever asks, with a token.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

/// An event of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// Its name, such as `tool.request.web_search`.
    pub(crate) name: String,
    /// All that it says.
    pub(crate) value: Value,
}

impl Seen {
    /// Its number in the session.
    pub(crate) fn seq(&self) -> u64 {
        self.value["seq"].as_u64().unwrap_or_default()
    }

    /// Whether it is told for the moment alone, and stands in no log.
    pub(crate) fn is_passing(&self) -> bool {
        self.name == "response.prompt"
    }

    /// The request that it belongs to.
    pub(crate) fn query(&self) -> Option<&str> {
        self.value["query_id"].as_str()
    }
}

impl Client {
    /// One that asks at an address.
    ///
    /// # Errors
    /// When no client can be had.
    pub(crate) fn new(url: &str, token: &str) -> Result<Self, Error> {
        // Another part of the program may have chosen already, and the same.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        // A server that is tested is asked itself, by no proxy.
        let built = reqwest::Client::builder().no_proxy().build();
        Ok(Self {
            http: built.map_err(|error| unreachable(url, &error))?,
            url: url.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        })
    }

    /// Whether it answers, and the token has the scope that stories need.
    pub(crate) async fn check(&self) -> Result<(), Error> {
        let asked = self.request(Method::POST, SCOPED);
        let asked = asked.json(&json!({ "query": "story" })).send().await;
        let answer = asked.map_err(|error| unreachable(&self.url, &error))?;
        match answer.status().is_success() {
            true => Ok(()),
            false => Err(Error::Unreachable {
                url: visible_line(&self.url),
                detail: refusal(answer).await,
            }),
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        request.bearer_auth(&self.token)
    }

    /// Asks for JSON.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, String> {
        answered(self.request(Method::GET, path)).await
    }

    /// Sends JSON; null where nothing comes back.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        answered(self.request(Method::POST, path).json(body)).await
    }

    /// Sends JSON, and reads the events that come of it.
    pub(crate) async fn post_for_events(&self, path: &str, body: &Value) -> Result<Events, String> {
        Events::of(self.request(Method::POST, path).json(body)).await
    }

    /// The events of a session.
    pub(crate) async fn events(&self, session: &str, follow: bool) -> Result<Events, String> {
        let path = format!("/api/v1/sessions/{session}/events?follow={follow}");
        Events::of(self.request(Method::GET, &path)).await
    }

    /// Whether a page answers.
    pub(crate) async fn opens(&self, page: &str) -> bool {
        let asked = self.http.get(page).timeout(PAGE_TIME).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }
}

fn unreachable(url: &str, error: &reqwest::Error) -> Error {
    Error::Unreachable {
        url: visible_line(url),
        detail: visible_line(&because(error)),
    }
}

/// An error with what it came of, which alone says what is wrong.
fn because(error: &reqwest::Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        said = format!("{said}: {inner}");
        cause = inner.source();
    }
    said
}

async fn answered(request: RequestBuilder) -> Result<Value, String> {
    let answer = request.timeout(ANSWER_TIME).send().await;
    let answer = answer.map_err(|error| because(&error))?;
    if !answer.status().is_success() {
        return Err(refusal(answer).await);
    }
    let text = answer.text().await.map_err(|error| because(&error))?;
    match text.is_empty() {
        true => Ok(Value::Null),
        false => serde_json::from_str(&text).map_err(|error| error.to_string()),
    }
}

/// What a refusal says.
async fn refusal(answer: Response) -> String {
    let status = answer.status();
    let told: Value = answer.json().await.unwrap_or_default();
    let said = told["detail"].as_str().or(told["title"].as_str());
    let code = told["code"].as_str().unwrap_or("no code");
    visible_line(&format!(
        "{status}: {} ({code})",
        said.unwrap_or("no words")
    ))
}

/// Events as they come.
pub(crate) struct Events {
    bytes: BoxStream<'static, Result<Vec<u8>, String>>,
    left: Vec<u8>,
}

impl Events {
    async fn of(request: RequestBuilder) -> Result<Self, String> {
        let asked = request.header("Accept", "text/event-stream").send().await;
        let answer = asked.map_err(|error| because(&error))?;
        if !answer.status().is_success() {
            return Err(refusal(answer).await);
        }
        let bytes = answer.bytes_stream().map(|read| match read {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(error) => Err(because(&error)),
        });
        Ok(Self {
            bytes: bytes.boxed(),
            left: Vec::new(),
        })
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Seen>, String> {
        loop {
            while let Some(block) = self.block() {
                if let Some(seen) = read(&block)? {
                    return Ok(Some(seen));
                }
            }
            match self.bytes.next().await {
                None => return Ok(None),
                Some(read) => self.left.extend(read?),
            }
            if self.left.len() > EVENT_BYTES {
                return Err("an event is larger than 64 MiB".to_owned());
            }
        }
    }

    /// The lines up to the next empty one, if they are there.
    fn block(&mut self) -> Option<Vec<u8>> {
        let end = self.left.windows(2).position(|two| two == b"\n\n")?;
        let rest = self.left.split_off(end + 2);
        Some(std::mem::replace(&mut self.left, rest))
    }
}

/// The event of a block of lines; none in a sign of life.
fn read(block: &[u8]) -> Result<Option<Seen>, String> {
    let text = String::from_utf8_lossy(block);
    let (mut name, mut data) = (String::new(), String::new());
    for line in text.lines() {
        if let Some(said) = line.strip_prefix("event: ") {
            said.clone_into(&mut name);
        } else if let Some(said) = line.strip_prefix("data: ") {
            data.push_str(said);
        }
    }
    if data.is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(&data).map_err(|error| error.to_string())?;
    match name.as_str() {
        "problem" => Err(visible_line(&format!("the events broke off: {value}"))),
        _ => Ok(Some(Seen { name, value })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_and_signs_of_life_left_out() {
        let seen = read(b"id: 3\nevent: notice\ndata: {\"seq\":3}\n\n").unwrap();
        assert_eq!(seen.unwrap().seq(), 3);
        assert_eq!(read(b":\n\n").unwrap(), None);
        assert!(read(b"event: problem\ndata: {\"code\":\"x\"}\n\n").is_err());
    }
}
