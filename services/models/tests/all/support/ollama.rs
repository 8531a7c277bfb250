//! A fake Ollama, after its API documentation: `/api/chat`, `/api/embed`, `/api/tags`, `/api/ps`,
//! `/api/show`, and `404` for a model that is not installed.

use super::server::{Reply, Request, Server};
use serde_json::{Value, json};

/// A model that is installed.
#[derive(Debug, Clone)]
pub struct Installed {
    pub name: &'static str,
    pub size_bytes: u64,
    pub context_tokens: u32,
    pub thinks: bool,
}

impl Installed {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            size_bytes: 4 << 30,
            context_tokens: 131_072,
            thinks: false,
        }
    }
}

/// Starts one. `answer` gives the lines of each chat, the last of which should be [`done`].
pub async fn start(
    models: Vec<Installed>,
    answer: impl Fn(&Request, usize) -> Vec<Value> + Send + Sync + 'static,
) -> Server {
    let chats = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |request, _| {
        let wanted = request.body["model"].as_str().unwrap_or_default();
        let found = models.iter().find(|model| model.name == wanted);
        match (request.path.as_str(), found) {
            ("/api/tags", _) => Reply::json(&json!({"models": models.iter().map(|model| json!({
                "name": model.name, "model": model.name, "size": model.size_bytes,
                "details": {"format": "gguf"},
            })).collect::<Vec<_>>()})),
            ("/api/ps", _) => Reply::json(&json!({"models": models.first().map(|model| json!({
                "name": model.name, "model": model.name, "size": model.size_bytes,
            })).into_iter().collect::<Vec<_>>()})),
            (_, None) => Reply::status(
                404,
                &json!({"error": format!("model '{wanted}' not found")}),
            ),
            ("/api/show", Some(model)) => {
                let mut capabilities = vec!["completion", "tools"];
                capabilities.extend(model.thinks.then_some("thinking"));
                Reply::json(&json!({
                    "model_info": {
                        "general.architecture": "test",
                        "test.context_length": model.context_tokens,
                    },
                    "capabilities": capabilities,
                }))
            }
            ("/api/embed", Some(_)) => {
                let texts = request.body["input"].as_array().unwrap();
                Reply::json(
                    &json!({"model": wanted, "embeddings": texts.iter().map(|text| {
                    vec![text.as_str().unwrap().len() as f64, 1.0]
                }).collect::<Vec<_>>()}),
                )
            }
            ("/api/chat", Some(_)) => {
                let nth = chats.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let lines: String = answer(request, nth)
                    .into_iter()
                    .map(|line| format!("{line}\n"))
                    .collect();
                Reply::new("application/x-ndjson", lines)
            }
            _ => Reply::status(404, &json!({"error": "404 page not found"})),
        }
    })
    .await
}

/// A line of text.
pub fn said(text: &str) -> Value {
    json!({"model": "m", "created_at": "2026-01-01T00:00:00Z",
           "message": {"role": "assistant", "content": text}, "done": false})
}

/// A line of thinking.
pub fn thought(text: &str) -> Value {
    json!({"model": "m", "message": {"role": "assistant", "content": "", "thinking": text},
           "done": false})
}

/// A line with a tool call.
pub fn called(name: &str, arguments: Value) -> Value {
    json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": name, "arguments": arguments}}]}, "done": false})
}

/// The last line.
pub fn done(prompt_tokens: u64, completion_tokens: u64) -> Value {
    json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true,
           "done_reason": "stop", "total_duration": 1, "load_duration": 1,
           "prompt_eval_count": prompt_tokens, "prompt_eval_duration": 1,
           "eval_count": completion_tokens, "eval_duration": 1})
}
