//! A local stand-in for Ollama, after its documented interface.
//!
//! Faithful where clients have been hurt: the context is about 4k unless `num_ctx` asks for more
//! and the oldest tokens go without a word, tool calls arrive as objects in the middle of the
//! stream, errors in mid-stream are a line of their own, and the last line carries the counts.

use crate::reply::Step;
use crate::shared::{Shared, plain};
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;

/// Context of a request that asks for none, tokens.
pub const DEFAULT_CONTEXT: u64 = 4_096;
/// The documented form of a moment.
const MOMENT: &str = "2026-01-01T00:00:00.000000Z";

/// What is installed and how it behaves.
#[derive(Debug, Clone)]
pub struct OllamaState {
    /// Installed models, by name.
    pub models: Vec<String>,
    /// How large each of them is, bytes.
    pub model_bytes: u64,
    /// The context every model was trained for, tokens.
    pub model_context: u64,
    /// Ignores `num_ctx`, as a server with a fixed context does.
    pub fixed_context: Option<u64>,
    /// Whether the models see pictures.
    pub vision: bool,
    /// A word whose texts it makes no vectors of, with all that are asked for together.
    pub refused_word: Option<String>,
    /// It fails at longer texts that vectors are asked of, characters.
    pub embedded_chars: usize,
    /// The version it reports.
    pub version: String,
}

impl Default for OllamaState {
    fn default() -> Self {
        Self {
            models: vec![
                "scripted-model".to_owned(),
                "qwen2.5:7b-instruct".to_owned(),
            ],
            model_bytes: 4_683_073_184,
            model_context: 32_768,
            fixed_context: None,
            vision: false,
            refused_word: None,
            embedded_chars: usize::MAX,
            version: "0.12.0".to_owned(),
        }
    }
}

type Both = (Arc<Shared>, Arc<OllamaState>);

pub(crate) fn router(shared: Arc<Shared>, state: OllamaState) -> Router {
    Router::new()
        .route("/", get(|| async { "Ollama is running" }))
        .route("/api/version", get(version))
        .route("/api/tags", get(tags))
        .route("/api/ps", get(running))
        .route("/api/show", post(show))
        .route("/api/embed", post(embed))
        .route("/api/chat", post(chat))
        .with_state((shared, Arc::new(state)))
}

async fn version(State((shared, state)): State<Both>) -> Json<Value> {
    shared.record("/api/version", &Value::Null);
    Json(json!({"version": state.version}))
}

/// What a server tells of a file of so many bytes, at five bits a parameter.
fn details(bytes: u64) -> Value {
    let billions = bytes as f64 * 8.0 / 4.93 / 1e9;
    json!({
        "parent_model": "",
        "format": "gguf",
        "family": "qwen2",
        "families": ["qwen2"],
        "parameter_size": format!("{billions:.1}B"),
        "quantization_level": "Q4_K_M",
    })
}

fn listed(name: &str, bytes: u64) -> Value {
    json!({
        "name": name,
        "model": name,
        "modified_at": MOMENT,
        "size": bytes,
        "digest": "0".repeat(64),
        "details": details(bytes),
    })
}

async fn tags(State((shared, state)): State<Both>) -> Json<Value> {
    shared.record("/api/tags", &Value::Null);
    let models: Vec<Value> = state
        .models
        .iter()
        .map(|name| listed(name, state.model_bytes))
        .collect();
    Json(json!({"models": models}))
}

async fn running(State((shared, state)): State<Both>) -> Json<Value> {
    shared.record("/api/ps", &Value::Null);
    let loaded = state.models.first().map(|name| {
        let mut model = listed(name, state.model_bytes);
        model["expires_at"] = json!(MOMENT);
        model["size_vram"] = json!(state.model_bytes);
        model["context_length"] = json!(DEFAULT_CONTEXT);
        model
    });
    Json(json!({"models": loaded.into_iter().collect::<Vec<Value>>()}))
}

fn missing(name: &str) -> Response {
    plain(
        404,
        json!({"error": format!("model '{name}' not found")}).to_string(),
    )
}

fn is_installed(state: &OllamaState, name: &str) -> bool {
    let with_tag = format!("{name}:latest");
    state
        .models
        .iter()
        .any(|model| model == name || *model == with_tag)
}

async fn show(State((shared, state)): State<Both>, Json(body): Json<Value>) -> Response {
    shared.record("/api/show", &body);
    let name = body["model"]
        .as_str()
        .or(body["name"].as_str())
        .unwrap_or_default();
    if !is_installed(&state, name) {
        return missing(name);
    }
    let mut capabilities = vec!["completion", "tools", "thinking"];
    if state.vision {
        capabilities.push("vision");
    }
    let answer = json!({
        "modelfile": "",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": details(state.model_bytes),
        "model_info": {
            "general.architecture": "qwen2",
            "qwen2.context_length": state.model_context,
            "qwen2.embedding_length": 8,
        },
        "capabilities": capabilities,
        "modified_at": MOMENT,
    });
    plain(200, answer.to_string())
}

async fn embed(State((shared, state)): State<Both>, Json(body): Json<Value>) -> Response {
    shared.record("/api/embed", &body);
    let inputs = match &body["input"] {
        Value::Array(texts) => texts.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let is_refused = |text: &Value| {
        let word = state.refused_word.as_deref();
        word.is_some_and(|word| text.as_str().unwrap_or_default().contains(word))
    };
    if inputs.iter().any(is_refused) {
        let error = json!({"error": "the input length exceeds the context length"});
        return plain(400, error.to_string());
    }
    let chars = |text: &Value| text.as_str().unwrap_or_default().chars().count();
    if inputs.iter().any(|text| chars(text) > state.embedded_chars) {
        return plain(500, json!({"error": "input is too large"}).to_string());
    }
    let vectors: Vec<Vec<f32>> = inputs.iter().map(vector).collect();
    let answer = json!({
        "model": body["model"],
        "embeddings": vectors,
        "total_duration": 1_000_000,
        "load_duration": 1_000,
        "prompt_eval_count": inputs.len(),
    });
    plain(200, answer.to_string())
}

/// Eight numbers from the letters of a text, of length one.
pub(crate) fn vector(text: &Value) -> Vec<f32> {
    let mut sums = [1.0_f32; 8];
    for (index, byte) in text.as_str().unwrap_or_default().bytes().enumerate() {
        sums[index % 8] += f32::from(byte);
    }
    let length = sums.iter().map(|x| x * x).sum::<f32>().sqrt();
    sums.iter().map(|x| x / length).collect()
}

async fn chat(State((shared, state)): State<Both>, Json(body): Json<Value>) -> Response {
    shared.record("/api/chat", &body);
    let model = body["model"].as_str().unwrap_or_default().to_owned();
    if !is_installed(&state, &model) {
        return missing(&model);
    }
    let reply = shared.next(&body);
    if let Some((status, text)) = reply.refusal {
        return plain(status, json!({"error": text}).to_string());
    }
    let sent = (body["messages"].to_string().len() + body["tools"].to_string().len()) as u64 / 4;
    let asked = body["options"]["num_ctx"]
        .as_u64()
        .unwrap_or(DEFAULT_CONTEXT);
    let context = state
        .fixed_context
        .unwrap_or(asked)
        .min(state.model_context);
    let mut last = json!({
        "model": model,
        "created_at": MOMENT,
        "message": {"role": "assistant", "content": ""},
        "done": true,
        "done_reason": reply.finish.clone().unwrap_or_else(|| "stop".to_owned()),
        "total_duration": 5_000_000,
        "load_duration": 1_000_000,
        // What did not fit was dropped from the front, and only this number tells.
        "prompt_eval_count": sent.min(context),
        "prompt_eval_duration": 2_000_000,
        "eval_count": reply.tokens(),
        "eval_duration": 2_000_000,
    });
    if body["stream"] == json!(false) {
        last["message"] = whole(&reply.steps);
        return plain(200, last.to_string());
    }
    let render = move |step: &Step| render(&model, step);
    shared.stream("application/x-ndjson", reply, render, line(&last))
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn function(name: &str, arguments: &Value) -> Value {
    json!({"function": {"name": name, "arguments": arguments}})
}

fn render(model: &str, step: &Step) -> Vec<u8> {
    let say = |message: Value| {
        line(&json!({"model": model, "created_at": MOMENT, "message": message, "done": false}))
    };
    match step {
        Step::Text(text) => say(json!({"role": "assistant", "content": text})),
        Step::Thinking(text) => say(json!({"role": "assistant", "content": "", "thinking": text})),
        Step::Call(name, arguments) => say(json!({
            "role": "assistant",
            "content": "",
            "tool_calls": [function(name, arguments)],
        })),
        Step::Error(message) => line(&json!({"error": message})),
        Step::Raw(bytes) => bytes.clone(),
        Step::Read { .. } | Step::Wait(_) | Step::Cut => Vec::new(),
    }
}

fn whole(steps: &[Step]) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for step in steps {
        match step {
            Step::Text(piece) => text.push_str(piece),
            Step::Call(name, arguments) => calls.push(function(name, arguments)),
            _ => {}
        }
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}
