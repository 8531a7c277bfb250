//! The contract's own suite, through each protocol behind HTTP.

use crate::support::dialect;
use crate::support::ollama::{self, Installed};
use crate::support::server::{Part, Reply, Request, Server};
use crate::support::{exact, gateway};
use api::models::{ChatChunk, ErrorKind, Models};
use async_trait::async_trait;
use contracts::models_suite::{Subject, conformance, embedding};
use contracts::{Reply as Script, Step};
use domain::model::ModelChoice;
use models::ProviderType;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A gateway to a server that plays scripts.
struct Played {
    kind: ProviderType,
    latest: Mutex<Option<Arc<Server>>>,
}

impl Played {
    fn new(kind: ProviderType) -> Self {
        Self {
            kind,
            latest: Mutex::default(),
        }
    }
}

#[async_trait]
impl Subject for Played {
    async fn gateway(&self, replies: Vec<Script>) -> Arc<dyn Models> {
        let kind = self.kind;
        let scripts = Mutex::new(VecDeque::from(replies));
        let server = Server::start(move |request, _| {
            if request.path != dialect::chat_path(kind) {
                return beside(kind, request);
            }
            let script = scripts.lock().unwrap().pop_front().unwrap();
            play(kind, &script)
        })
        .await;
        let url = server.url.clone();
        *self.latest.lock().unwrap() = Some(Arc::new(server));
        Arc::new(gateway(kind, &url))
    }

    async fn cancelled(&self) {
        let latest = self.latest.lock().unwrap().clone().unwrap();
        latest.client_left().await;
    }

    fn model(&self) -> ModelChoice {
        exact()
    }

    fn refusals(&self) -> Vec<ErrorKind> {
        vec![
            ErrorKind::Unauthorised,
            ErrorKind::UnknownModel,
            ErrorKind::Rejected,
            ErrorKind::Busy,
            ErrorKind::Server,
        ]
    }

    fn failures(&self) -> Vec<ErrorKind> {
        vec![ErrorKind::Server, ErrorKind::Interrupted]
    }
}

fn beside(kind: ProviderType, request: &Request) -> Reply {
    match kind {
        ProviderType::Ollama if request.path == "/api/show" => {
            dialect::beside(kind, request).unwrap()
        }
        ProviderType::Ollama => Reply::json(&json!({"models": [{"model": "m", "size": 1}]})),
        _ => Reply::json(&json!({"data": [{"id": "m"}]})),
    }
}

fn play(kind: ProviderType, script: &Script) -> Reply {
    if let Some((refusal, detail)) = script.refusal() {
        let status = match refusal {
            ErrorKind::Unauthorised => 401,
            ErrorKind::UnknownModel => 404,
            ErrorKind::Rejected => 400,
            ErrorKind::Busy => 429,
            _ => 500,
        };
        return Reply::status(status, &json!({"error": detail})).header("retry-after", "0");
    }
    let mut parts = vec![bytes(dialect::opening(kind))];
    let mut calls = 0;
    for step in script.steps() {
        match step {
            Step::Chunk(chunk) => parts.push(bytes(spoken(kind, chunk, &mut calls))),
            Step::Fail(ErrorKind::Interrupted, _) => {
                return Reply::parts(dialect::content_type(kind), parts);
            }
            Step::Fail(_, _) => {
                parts.push(bytes(dialect::failure(kind)));
                return Reply::parts(dialect::content_type(kind), parts);
            }
            Step::Wait(_) => panic!("the suite does not wait here"),
            Step::Hang => parts.push(Part::Hang),
        }
    }
    parts.push(bytes(dialect::ending(kind)));
    Reply::parts(dialect::content_type(kind), parts)
}

fn bytes(text: String) -> Part {
    Part::Bytes(text.into_bytes())
}

fn spoken(kind: ProviderType, chunk: &ChatChunk, calls: &mut u32) -> String {
    match chunk {
        ChatChunk::Text(text) => dialect::text(kind, text),
        ChatChunk::Thinking(text) => thought(kind, text),
        ChatChunk::ToolCall { call, .. } => {
            *calls += 1;
            called(kind, *calls, &call.name, &call.arguments)
        }
        other => panic!("the suite does not say {other:?}"),
    }
}

fn thought(kind: ProviderType, text: &str) -> String {
    match kind {
        ProviderType::Ollama => format!("{}\n", ollama::thought(text)),
        ProviderType::OpenAi => dialect::event(
            kind,
            &json!({"choices": [{"delta": {"reasoning_content": text}}]}),
        ),
        _ => [
            json!({"type": "content_block_start", "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta",
                   "delta": {"type": "thinking_delta", "thinking": text}}),
            json!({"type": "content_block_stop"}),
        ]
        .iter()
        .map(|event| dialect::event(kind, event))
        .collect(),
    }
}

fn called(kind: ProviderType, nth: u32, name: &str, arguments: &Value) -> String {
    let text = arguments.to_string();
    let middle = (text.len() / 2..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap();
    let (first, second) = text.split_at(middle);
    match kind {
        ProviderType::Ollama => format!("{}\n", ollama::called(name, arguments.clone())),
        ProviderType::OpenAi => [
            json!([{"index": nth, "id": format!("c{nth}"), "type": "function",
                    "function": {"name": name, "arguments": first}}]),
            json!([{"index": nth, "function": {"arguments": second}}]),
        ]
        .iter()
        .map(|calls| {
            dialect::event(
                kind,
                &json!({"choices": [{"delta": {"tool_calls": calls}}]}),
            )
        })
        .collect(),
        _ => [
            json!({"type": "content_block_start",
                   "content_block": {"type": "tool_use", "id": "t", "name": name, "input": {}}}),
            json!({"type": "content_block_delta",
                   "delta": {"type": "input_json_delta", "partial_json": first}}),
            json!({"type": "content_block_delta",
                   "delta": {"type": "input_json_delta", "partial_json": second}}),
            json!({"type": "content_block_stop"}),
        ]
        .iter()
        .map(|event| dialect::event(kind, event))
        .collect(),
    }
}

#[tokio::test]
async fn ollama_keeps_the_contract() {
    conformance(&Played::new(ProviderType::Ollama)).await;
}

#[tokio::test]
async fn chat_completions_keep_the_contract() {
    conformance(&Played::new(ProviderType::OpenAi)).await;
}

#[tokio::test]
async fn anthropic_keeps_the_contract() {
    conformance(&Played::new(ProviderType::Anthropic)).await;
}

#[tokio::test]
async fn ollama_embeds() {
    let server = ollama::start(vec![Installed::new("m")], |_, _| Vec::new()).await;
    embedding(&gateway(ProviderType::Ollama, &server.url), exact()).await;
}
