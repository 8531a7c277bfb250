//! The same answers in the words of each protocol.

use super::server::{Part, Reply, Request};
use models::ProviderType;
use serde_json::{Value, json};

/// The protocols behind HTTP.
pub const ALL: [ProviderType; 3] = [
    ProviderType::Ollama,
    ProviderType::OpenAi,
    ProviderType::Anthropic,
];

/// Where questions go.
pub fn chat_path(kind: ProviderType) -> &'static str {
    match kind {
        ProviderType::Ollama => "/api/chat",
        ProviderType::OpenAi => "/v1/chat/completions",
        ProviderType::Anthropic => "/v1/messages",
        ProviderType::Embedded | ProviderType::Static => panic!("not behind HTTP"),
    }
}

pub fn content_type(kind: ProviderType) -> &'static str {
    match kind {
        ProviderType::Ollama => "application/x-ndjson",
        _ => "text/event-stream",
    }
}

/// What every server needs beside the chat: facts about the model.
pub fn beside(kind: ProviderType, request: &Request) -> Option<Reply> {
    (kind == ProviderType::Ollama && request.path == "/api/show").then(|| {
        Reply::json(&json!({
            "model_info": {"test.context_length": 131_072},
            "capabilities": ["completion", "tools", "thinking"],
        }))
    })
}

/// One event.
pub fn event(kind: ProviderType, body: &Value) -> String {
    match kind {
        ProviderType::Ollama => format!("{body}\n"),
        ProviderType::OpenAi => format!("data: {body}\n\n"),
        _ => format!(
            "event: {}\ndata: {body}\n\n",
            body["type"].as_str().unwrap()
        ),
    }
}

/// The beginning of an answer: whatever comes before text.
pub fn opening(kind: ProviderType) -> String {
    match kind {
        ProviderType::Ollama => String::new(),
        ProviderType::OpenAi => event(
            kind,
            &json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
        ),
        _ => {
            event(
                kind,
                &json!({"type": "message_start", "message": {"usage": {
                    "input_tokens": 20, "cache_read_input_tokens": 5, "output_tokens": 1,
                }}}),
            ) + &event(
                kind,
                &json!({"type": "content_block_start", "index": 0,
                        "content_block": {"type": "text", "text": ""}}),
            ) + &event(kind, &json!({"type": "ping"}))
        }
    }
}

/// A piece of text.
pub fn text(kind: ProviderType, text: &str) -> String {
    match kind {
        ProviderType::Ollama => event(
            kind,
            &json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": false}),
        ),
        ProviderType::OpenAi => event(
            kind,
            &json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
        ),
        _ => event(
            kind,
            &json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "text_delta", "text": text}}),
        ),
    }
}

/// The end of an answer, with usage.
pub fn ending(kind: ProviderType) -> String {
    match kind {
        ProviderType::Ollama => event(
            kind,
            &json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true,
                    "done_reason": "stop", "prompt_eval_count": 25, "eval_count": 7}),
        ),
        ProviderType::OpenAi => {
            event(
                kind,
                &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            ) + &event(
                kind,
                &json!({"choices": [], "usage": {"prompt_tokens": 25, "completion_tokens": 7,
                        "prompt_tokens_details": {"cached_tokens": 5}}}),
            ) + "data: [DONE]\n\n"
        }
        _ => {
            event(kind, &json!({"type": "content_block_stop", "index": 0}))
                + &event(
                    kind,
                    &json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                            "usage": {"output_tokens": 7}}),
                )
                + &event(kind, &json!({"type": "message_stop"}))
        }
    }
}

/// An error where a piece was due.
pub fn failure(kind: ProviderType) -> String {
    match kind {
        ProviderType::Ollama => "{\"error\":\"model runner has unexpectedly stopped\"}\n".into(),
        ProviderType::OpenAi => event(
            kind,
            &json!({"error": {"message": "the model crashed", "type": "server_error"}}),
        ),
        _ => event(
            kind,
            &json!({"type": "error", "error": {"type": "api_error", "message": "it crashed"}}),
        ),
    }
}

/// A whole answer.
pub fn answer(kind: ProviderType, said: &str) -> String {
    opening(kind) + &text(kind, said) + &ending(kind)
}

/// A whole answer as a reply.
pub fn reply(kind: ProviderType, said: &str) -> Reply {
    Reply::new(content_type(kind), answer(kind, said))
}

/// A reply that begins well and goes on with other parts.
pub fn begun(kind: ProviderType, said: &str, parts: Vec<Part>) -> Reply {
    let mut all = vec![Part::Bytes(
        (opening(kind) + &text(kind, said)).into_bytes(),
    )];
    all.extend(parts);
    Reply::parts(content_type(kind), all)
}
