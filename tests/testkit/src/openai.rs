//! Chat completions over server-sent events, as OpenAI-compatible servers speak them.

use crate::ollama::vector;
use crate::reply::Step;
use crate::shared::{Shared, document, plain};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;

/// What llama.cpp's server tells of itself under `/props`, as far as it is read.
#[derive(Debug, Clone, Copy)]
pub struct Props {
    /// The context of each slot, tokens.
    pub n_ctx: u32,
    /// Whether the model was started with its projector for pictures.
    pub vision: bool,
}

pub(crate) fn router_with(shared: Arc<Shared>, props: Props) -> Router {
    let told = json!({
        "default_generation_settings": {"n_ctx": props.n_ctx},
        "modalities": {"vision": props.vision, "audio": false},
    });
    router(shared).route("/props", get(move || async move { Json(told) }))
}

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/embeddings", post(embeddings))
        .route("/v1/models", get(models))
        .route("/health", get(|| async { Json(json!({"status": "ok"})) }))
        .with_state(shared)
}

async fn models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Json<Value> {
    shared.record_with("/v1/models", &headers, &Value::Null);
    let model =
        json!({"id": "scripted-model", "object": "model", "created": 0, "owned_by": "test"});
    Json(json!({"object": "list", "data": [model]}))
}

async fn embeddings(State(shared): State<Arc<Shared>>, Json(body): Json<Value>) -> Json<Value> {
    shared.record("/v1/embeddings", &body);
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    let vectors: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text)}))
        .collect();
    Json(json!({"object": "list", "data": vectors, "model": body["model"]}))
}

async fn chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    shared.record_with("/v1/chat/completions", &headers, &body);
    let reply = shared.next(&body);
    if let Some((status, text)) = reply.refusal {
        return plain(status, text);
    }
    let characters = body["messages"].to_string().len() + body["tools"].to_string().len();
    let prompt = characters as u64 / 4 + reply.more_prompt_tokens;
    let usage = json!({
        "prompt_tokens": prompt,
        "completion_tokens": reply.tokens(),
        "total_tokens": prompt + reply.tokens(),
    });
    let natural = if reply.has_calls() {
        "tool_calls"
    } else {
        "stop"
    };
    let finish = reply.finish.clone().unwrap_or_else(|| natural.to_owned());
    let content_type = reply.content_type.clone();
    if reply.is_whole || body["stream"] != json!(true) {
        let mut bytes = raw(&reply.steps);
        bytes.extend(
            whole(&reply.steps, &finish, &usage)
                .to_string()
                .into_bytes(),
        );
        let content_type = content_type.as_deref().unwrap_or("application/json");
        return document(200, content_type, bytes);
    }
    let mut end = event(&chunk(json!({}), Some(&finish), None));
    end.extend(event(&chunk(Value::Null, None, Some(&usage))));
    end.extend_from_slice(b"data: [DONE]\n\n");
    let mut calls = 0;
    let is_told = body["return_progress"] == json!(true);
    let render = move |step: &Step| match step {
        Step::Text(text) => event(&chunk(json!({"content": text}), None, None)),
        Step::Thinking(text) => event(&chunk(json!({"reasoning_content": text}), None, None)),
        Step::Call(name, arguments) => {
            calls += 1;
            call(calls - 1, name, arguments)
        }
        Step::Error(message) => {
            event(&json!({"error": {"message": message, "type": "server_error"}}))
        }
        Step::Read { read, of } if is_told => event(&progress(*read, *of)),
        Step::Read { .. } => Vec::new(),
        Step::Raw(bytes) => bytes.clone(),
        Step::Wait(_) | Step::Cut => Vec::new(),
    };
    let content_type = content_type.unwrap_or_else(|| "text/event-stream".to_owned());
    shared.stream(&content_type, reply, render, end)
}

fn event(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

fn chunk(delta: Value, finish: Option<&str>, usage: Option<&Value>) -> Value {
    let choices = match usage {
        Some(_) => json!([]),
        None => json!([{"index": 0, "delta": delta, "finish_reason": finish}]),
    };
    let mut chunk = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted-model",
        "choices": choices,
    });
    if let Some(usage) = usage {
        chunk["usage"] = usage.clone();
    }
    chunk
}

/// What llama.cpp's server sends after each part of a prompt.
fn progress(read: u64, of: u64) -> Value {
    let role = json!({"role": "assistant", "content": null});
    let mut chunk = chunk(role, None, None);
    chunk["prompt_progress"] =
        json!({"total": of, "cache": 0, "processed": read, "time_ms": 1_200});
    chunk
}

fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A call as servers stream it: first the name, then the arguments in fragments.
fn call(index: usize, name: &str, arguments: &Value) -> Vec<u8> {
    let text = arguments_text(arguments);
    let first = json!({"tool_calls": [{
        "index": index,
        "id": format!("call_{index}"),
        "type": "function",
        "function": {"name": name, "arguments": ""},
    }]});
    let mut out = event(&chunk(first, None, None));
    let middle = (0..=text.len() / 2)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    for part in [&text[..middle], &text[middle..]] {
        let delta = json!({"tool_calls": [{"index": index, "function": {"arguments": part}}]});
        out.extend(event(&chunk(delta, None, None)));
    }
    out
}

/// The bytes of no protocol among the steps.
fn raw(steps: &[Step]) -> Vec<u8> {
    let raw = steps.iter().filter_map(|step| match step {
        Step::Raw(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    raw.flatten().copied().collect()
}

fn whole(steps: &[Step], finish: &str, usage: &Value) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for step in steps {
        match step {
            Step::Text(piece) => text.push_str(piece),
            Step::Call(name, arguments) => calls.push(json!({
                "id": format!("call_{}", calls.len()),
                "type": "function",
                "function": {"name": name, "arguments": arguments_text(arguments)},
            })),
            _ => {}
        }
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted-model",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    })
}
