//! Ollama's native API: `/api/chat`, `/api/embed`, `/api/tags`, `/api/ps`, `/api/show`.
//!
//! After the API documentation in Ollama's repository (docs/api.md). Its OpenAI-compatible path is
//! not used: it drops `num_ctx` and `think`.

use super::{Decoder, Outgoing, Protocol, error_text, read_vectors};
use crate::call::{
    Call, Counted, Facts, Listed, Piece, ToolChoice, arguments_object, unwrap_arguments,
};
use crate::class;
use crate::error::{self, Error};
use crate::framing::{Frame, Framing};
use domain::message::Message;
use domain::model::{FinishReason, Think};
use reqwest::Url;
use serde_json::{Map, Value, json};

/// How long a model stays in memory when the configuration does not say.
const KEEP_ALIVE: &str = "10m";

/// The protocol, with the instance's settings.
pub(crate) struct Ollama {
    pub(crate) name: String,
    pub(crate) keep_alive: Option<String>,
}

impl Ollama {
    fn keep_alive(&self) -> Value {
        let text = self.keep_alive.as_deref().unwrap_or(KEEP_ALIVE);
        // A bare number is seconds, and must be a JSON number.
        text.parse::<i64>()
            .map_or_else(|_| json!(text), |secs| json!(secs))
    }
}

impl Protocol for Ollama {
    fn base(&self, endpoint: &Url) -> Url {
        let mut base = endpoint.clone();
        let path = endpoint.path().trim_end_matches('/');
        let path = path.strip_suffix("/api").unwrap_or(path);
        let path = path.strip_suffix("/v1").unwrap_or(path);
        base.set_path(&format!("{path}/"));
        base
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}")))
            .into_iter()
            .collect()
    }

    fn chat(&self, call: &Call) -> Outgoing {
        let mut options = Map::new();
        options.insert("num_ctx".into(), json!(call.context_tokens));
        if let Some(max) = call.max_tokens {
            options.insert("num_predict".into(), json!(max));
        }
        if let Some(temperature) = call.temperature() {
            options.insert("temperature".into(), json!(temperature));
        }
        if let Some(seed) = call.seed {
            options.insert("seed".into(), json!(seed));
        }
        let mut body = json!({
            "model": call.model,
            "messages": messages(&call.messages),
            "stream": true,
            "keep_alive": self.keep_alive(),
            "options": options,
        });
        let tools = offered(call);
        if !tools.is_empty() {
            body["tools"] = Value::Array(tools);
        }
        if let Some(think) = think(call) {
            body["think"] = think;
        }
        if let Some(schema) = &call.schema {
            body["format"] = schema.clone();
        }
        Outgoing::post("api/chat", body)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self, _call: &Call) -> Box<dyn Decoder> {
        Box::new(Reader {
            name: self.name.clone(),
            calls: 0,
            done: false,
        })
    }

    fn list(&self) -> Outgoing {
        Outgoing::get("api/tags")
    }

    fn read_list(&self, body: &Value) -> Result<Vec<Listed>, Error> {
        let models = body
            .get("models")
            .and_then(Value::as_array)
            .ok_or_else(|| error::protocol(&self.name, "a model list without `models`"))?;
        Ok(models
            .iter()
            .filter_map(|model| {
                let name = model.get("model").or_else(|| model.get("name"))?.as_str()?;
                Some(Listed {
                    model: name.to_owned(),
                    context_tokens: None,
                    size_bytes: model.get("size").and_then(Value::as_u64),
                    parameters: parameters(model),
                    loaded: None,
                })
            })
            .collect())
    }

    fn loaded(&self) -> Option<Outgoing> {
        Some(Outgoing::get("api/ps"))
    }

    fn name_in_memory(&self, model: &str) -> String {
        // A name without a tag means `latest`; a registry's port is no tag.
        let tag = model.rsplit('/').next().unwrap_or(model);
        if tag.contains(':') {
            model.to_owned()
        } else {
            format!("{model}:latest")
        }
    }

    fn embed(&self, model: &str, texts: &[String]) -> Option<Outgoing> {
        Some(Outgoing::post(
            "api/embed",
            json!({
                "model": model,
                "input": texts,
                "truncate": true,
                "keep_alive": self.keep_alive(),
            }),
        ))
    }

    fn read_embeddings(&self, body: &Value) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = body
            .get("embeddings")
            .and_then(Value::as_array)
            .ok_or_else(|| error::protocol(&self.name, "an answer without `embeddings`"))?;
        read_vectors(&self.name, vectors.iter())
    }

    fn facts(&self, model: &str) -> Option<Outgoing> {
        Some(Outgoing::post("api/show", json!({ "model": model })))
    }

    fn facts_tell_missing(&self) -> bool {
        true
    }

    fn read_facts(&self, _model: &str, body: &Value) -> Facts {
        let context_tokens = body
            .get("model_info")
            .and_then(Value::as_object)
            .and_then(|info| {
                // The key carries the architecture: `qwen2.context_length`.
                info.iter()
                    .find(|(key, _)| key.ends_with(".context_length"))
                    .and_then(|(_, value)| value.as_u64())
            })
            .and_then(|tokens| u32::try_from(tokens).ok());
        let capabilities = body.get("capabilities").and_then(Value::as_array);
        let can = |what: &str| capabilities.map(|all| all.iter().any(|one| one == what));
        Facts {
            context_tokens,
            thinks: can("thinking"),
            sees: can("vision"),
            parameters: parameters(body),
            ..Facts::default()
        }
    }

    fn counts_cached(&self) -> bool {
        // Versions differ: some report only what they evaluated.
        false
    }

    fn ignores_schema_without_thinking(&self) -> bool {
        true
    }
}

/// The tools to send. Ollama has no tool choice, so what must not be called is not offered.
fn offered(call: &Call) -> Vec<Value> {
    call.tools
        .iter()
        .filter(|tool| match &call.tool_choice {
            ToolChoice::None => false,
            ToolChoice::Only(name) => *name == tool.name,
            ToolChoice::Auto | ToolChoice::Required => true,
        })
        .map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            }})
        })
        .collect()
}

/// The `think` field. A model without thinking refuses anything but `false`; a server too old to
/// say what its models can do gets the field only when the caller asked for something.
fn think(call: &Call) -> Option<Value> {
    if call.can_think == Some(false) {
        return Some(json!(false));
    }
    match call.think {
        Think::Default => call.can_think.map(|can| json!(can)),
        Think::Off => Some(json!(false)),
        Think::On => Some(json!(true)),
        Think::Low => Some(json!("low")),
        Think::Medium => Some(json!("medium")),
        Think::High => Some(json!("high")),
    }
}

/// The conversation, with pictures in the user's message that they belong to.
fn messages(all: &[Message]) -> Vec<Value> {
    let mut sent: Vec<Value> = Vec::with_capacity(all.len());
    for next in all {
        let mut said = message(next);
        match sent.last_mut() {
            Some(last) if last["role"] == "user" && said.get("images").is_some() => {
                let text = |one: &Value| one["content"].as_str().unwrap_or_default().to_owned();
                last["content"] = json!(format!("{}\n{}", text(last), text(&said)));
                let mut images = last["images"]
                    .take()
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                images.push(said["images"][0].take());
                last["images"] = Value::Array(images);
            }
            _ => sent.push(said),
        }
    }
    sent
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Picture { text, picture } => json!({
            "role": "user", "content": text, "images": [picture.base64.as_str()],
        }),
        Message::Assistant {
            text,
            thinking,
            tool_calls,
        } => {
            let mut said = json!({"role": "assistant", "content": text});
            if let Some(thinking) = thinking {
                said["thinking"] = json!(thinking.text);
            }
            if !tool_calls.is_empty() {
                said["tool_calls"] = tool_calls
                    .iter()
                    .map(|call| {
                        json!({"function": {
                            "name": call.name,
                            "arguments": arguments_object(&call.arguments),
                        }})
                    })
                    .collect();
            }
            said
        }
        Message::Tool { name, text, .. } => {
            json!({"role": "tool", "tool_name": name, "content": text})
        }
    }
}

struct Reader {
    name: String,
    calls: u32,
    done: bool,
}

impl Reader {
    fn call(&mut self, call: &Value, pieces: &mut Vec<Piece>) {
        let function = call.get("function").unwrap_or(call);
        let name = function
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let arguments = unwrap_arguments(function.get("arguments").cloned().unwrap_or_default());
        pieces.push(Piece::CallDelta {
            index: self.calls,
            name: name.clone(),
            arguments: arguments.to_string(),
        });
        pieces.push(Piece::Call { name, arguments });
        self.calls += 1;
    }

    fn finish(&mut self, line: &Value, pieces: &mut Vec<Piece>) {
        let count = |key: &str| line.get(key).and_then(Value::as_u64);
        pieces.push(Piece::Counted(Counted {
            prompt: count("prompt_eval_count"),
            cached: 0,
            completion: count("eval_count").unwrap_or(0),
        }));
        let reason = line.get("done_reason").and_then(Value::as_str);
        pieces.push(Piece::Finished(match reason {
            Some("length") => FinishReason::Length,
            _ if self.calls > 0 => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        }));
        self.done = true;
    }
}

impl Decoder for Reader {
    fn frame(&mut self, frame: &Frame, pieces: &mut Vec<Piece>) -> Result<(), Error> {
        let line: Value = serde_json::from_str(&frame.data).map_err(|source| {
            error::protocol(&self.name, "a line that is not JSON").with_source(source)
        })?;
        if let Some(text) = error_text(&line) {
            return Err(error::reported(&self.name, &text));
        }
        if let Some(message) = line.get("message") {
            if let Some(text) = message.get("thinking").and_then(Value::as_str)
                && !text.is_empty()
            {
                pieces.push(Piece::Thinking(text.to_owned()));
            }
            if let Some(text) = message.get("content").and_then(Value::as_str)
                && !text.is_empty()
            {
                pieces.push(Piece::Text(text.to_owned()));
            }
            for call in message
                .get("tool_calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.call(call, pieces);
            }
        }
        if line.get("done").and_then(Value::as_bool) == Some(true) {
            self.finish(&line, pieces);
        }
        Ok(())
    }

    fn end(&mut self, _pieces: &mut Vec<Piece>) -> Result<(), Error> {
        if self.done {
            Ok(())
        } else {
            Err(error::interrupted(&self.name))
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }
}
/// As `494.03M`.
fn parameters(model: &Value) -> Option<u64> {
    let written = model.pointer("/details/parameter_size")?;
    class::in_name(written.as_str()?)
}
