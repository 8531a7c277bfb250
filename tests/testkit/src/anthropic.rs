//! A local stand-in for Anthropic's messages API, after its documented interface.
//!
//! Strict where the real one is: messages alternate between the user and the assistant, and while
//! thinking is on a turn with tool calls must begin with its signed thinking.

use crate::reply::Step;
use crate::shared::{Shared, plain};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;

/// What every piece of thinking is signed with.
pub const SIGNATURE: &str = "signed-by-the-server";

pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/messages", post(chat))
        .route("/v1/models", get(models))
        .with_state(shared)
}

async fn models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Json<Value> {
    shared.record_with("/v1/models", &headers, &Value::Null);
    let model = json!({"type": "model", "id": "scripted-model", "display_name": "Scripted"});
    Json(json!({"data": [model], "has_more": false}))
}

fn refused(message: &str) -> Response {
    let error = json!({"type": "invalid_request_error", "message": message});
    plain(400, json!({"type": "error", "error": error}).to_string())
}

/// What the real server would refuse.
fn mistake(body: &Value) -> Option<&'static str> {
    let messages = body["messages"].as_array()?;
    let thinks = body["thinking"]["type"] == "enabled";
    let mut expected = "user";
    for message in messages {
        if message["role"] != expected {
            return Some("roles must alternate");
        }
        expected = if expected == "user" {
            "assistant"
        } else {
            "user"
        };
    }
    let last = messages
        .iter()
        .rev()
        .find(|one| one["role"] == "assistant")?;
    let blocks = last["content"].as_array()?;
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    let answered = messages.last()?["content"][0]["type"] == "tool_result";
    let signed = blocks[0]["type"] == "thinking" && blocks[0]["signature"] == SIGNATURE;
    (thinks && calls && answered && !signed).then_some("expected `thinking`, found `tool_use`")
}

async fn chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    shared.record_with("/v1/messages", &headers, &body);
    if let Some(mistake) = mistake(&body) {
        return refused(mistake);
    }
    let reply = shared.next(&body);
    if let Some((status, text)) = reply.refusal {
        return plain(status, text);
    }
    let natural = if reply.has_calls() {
        "tool_use"
    } else {
        "end_turn"
    };
    let reason = reply.finish.clone().unwrap_or_else(|| natural.to_owned());
    let prompt = body["messages"].to_string().len() / 4;
    let mut begin = event(&json!({"type": "message_start", "message": {
        "role": "assistant", "usage": {"input_tokens": prompt, "output_tokens": 1},
    }}));
    let mut end = event(
        &json!({"type": "message_delta", "delta": {"stop_reason": reason},
        "usage": {"output_tokens": reply.tokens()}}),
    );
    end.extend(event(&json!({"type": "message_stop"})));
    let mut index = 0;
    let render = move |step: &Step| {
        let mut out = std::mem::take(&mut begin);
        out.extend(rendered(step, index));
        index += 1;
        out
    };
    shared.stream("text/event-stream", reply, render, end)
}

fn event(value: &Value) -> Vec<u8> {
    let kind = value["type"].as_str().unwrap_or_default();
    format!("event: {kind}\ndata: {value}\n\n").into_bytes()
}

fn rendered(step: &Step, index: usize) -> Vec<u8> {
    match step {
        Step::Text(text) => block(
            index,
            &json!({"type": "text", "text": ""}),
            &[json!({"type": "text_delta", "text": text})],
        ),
        Step::Thinking(text) => block(
            index,
            &json!({"type": "thinking", "thinking": "", "signature": ""}),
            &[
                json!({"type": "thinking_delta", "thinking": text}),
                json!({"type": "signature_delta", "signature": SIGNATURE}),
            ],
        ),
        Step::Call(name, arguments) => block(
            index,
            &json!({"type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {}}),
            &[
                json!({"type": "input_json_delta", "partial_json": match arguments {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                }}),
            ],
        ),
        Step::Error(message) => {
            event(&json!({"type": "error", "error": {"type": "api_error", "message": message}}))
        }
        Step::Raw(bytes) => bytes.clone(),
        Step::Read { .. } | Step::Wait(_) | Step::Cut => Vec::new(),
    }
}

fn block(index: usize, start: &Value, deltas: &[Value]) -> Vec<u8> {
    let mut out =
        event(&json!({"type": "content_block_start", "index": index, "content_block": start}));
    for delta in deltas {
        out.extend(event(
            &json!({"type": "content_block_delta", "index": index, "delta": delta}),
        ));
    }
    out.extend(event(
        &json!({"type": "content_block_stop", "index": index}),
    ));
    out
}
