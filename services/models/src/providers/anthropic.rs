//! Anthropic's messages API, version 2023-06-01, as its API reference documents it.

use super::anthropic_stream::{ANSWER_TOOL, Reader};
use super::{Decoder, Outgoing, Protocol};
use crate::call::{Call, Facts, Listed, ToolChoice, arguments_object};
use crate::error::{self, Error};
use crate::framing::Framing;
use domain::message::Message;
use domain::model::Think;
use reqwest::Url;
use serde_json::{Value, json};

/// The field is required; this is what is asked when the caller does not care, tokens.
const MAX_TOKENS: u32 = 8_192;
/// The least that the API accepts as a thinking budget, tokens.
const LEAST_THINKING: u32 = 1_024;

/// The protocol.
pub(crate) struct Anthropic {
    pub(crate) name: String,
}

impl Protocol for Anthropic {
    fn base(&self, endpoint: &Url) -> Url {
        let mut base = endpoint.clone();
        let path = endpoint.path().trim_end_matches('/');
        let path = path.strip_suffix("/v1").unwrap_or(path);
        base.set_path(&format!("{path}/"));
        base
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        if let Some(key) = key {
            headers.push(("x-api-key", key.to_owned()));
        }
        headers
    }

    fn chat(&self, call: &Call) -> Outgoing {
        let mut body = json!({
            "model": call.model,
            "max_tokens": call.max_tokens.unwrap_or(MAX_TOKENS),
            "stream": true,
            "messages": messages(call),
        });
        if let Some(system) = system(call) {
            body["system"] = system;
        }
        tools(call, &mut body);
        think(call, &mut body);
        // A thinking model accepts no temperature, and no answer has a seed here.
        if let Some(temperature) = call.temperature()
            && body.get("thinking").is_none()
        {
            body["temperature"] = json!(temperature);
        }
        Outgoing::post("v1/messages", body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self, call: &Call) -> Box<dyn Decoder> {
        Box::new(Reader::new(self.name.clone(), call.schema.is_some()))
    }

    fn list(&self) -> Outgoing {
        Outgoing::get("v1/models")
    }

    fn read_list(&self, body: &Value) -> Result<Vec<Listed>, Error> {
        let models = body
            .get("data")
            .and_then(Value::as_array)
            .ok_or_else(|| error::protocol(&self.name, "a model list without `data`"))?;
        Ok(models
            .iter()
            .filter_map(|model| {
                Some(Listed {
                    model: model.get("id")?.as_str()?.to_owned(),
                    context_tokens: None,
                    size_bytes: None,
                    parameters: None,
                    loaded: None,
                })
            })
            .collect())
    }

    fn embed(&self, _model: &str, _texts: &[String]) -> Option<Outgoing> {
        None
    }

    fn read_embeddings(&self, _body: &Value) -> Result<Vec<Vec<f32>>, Error> {
        Err(error::protocol(&self.name, "embeddings"))
    }

    fn counts_cached(&self) -> bool {
        true
    }

    fn known_facts(&self) -> Facts {
        Facts {
            sees: Some(true),
            ..Facts::default()
        }
    }
}

/// The system prompt, marked as the end of a stretch worth caching (tools come before it).
fn system(call: &Call) -> Option<Value> {
    let text: Vec<&str> = call
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
        .collect();
    (!text.is_empty()).then(|| {
        json!([{
            "type": "text",
            "text": text.join("\n\n"),
            "cache_control": {"type": "ephemeral"},
        }])
    })
}

/// The conversation with strict alternation: neighbours of one role become one message.
fn messages(call: &Call) -> Vec<Value> {
    let mut merged: Vec<(&'static str, Vec<Value>)> = Vec::new();
    let mut marked = false;
    for (at, message) in call.messages.iter().enumerate() {
        let (role, mut blocks) = match message {
            Message::System { .. } => continue,
            Message::User { text } => ("user", text_block(text)),
            Message::Picture { text, picture } => {
                let mut blocks = text_block(text);
                blocks.push(json!({"type": "image", "source": {
                    "type": "base64",
                    "media_type": picture.kind.media_type(),
                    "data": picture.base64.as_str(),
                }}));
                ("user", blocks)
            }
            Message::Assistant { .. } => ("assistant", assistant(message, is_thinking(call))),
            Message::Tool { call_id, text, .. } => (
                "user",
                vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})],
            ),
        };
        // The first user message of the stable part ends a second stretch worth caching.
        if !marked
            && at < call.stable_messages
            && matches!(message, Message::User { .. })
            && let Some(last) = blocks.last_mut()
        {
            last["cache_control"] = json!({"type": "ephemeral"});
            marked = true;
        }
        if blocks.is_empty() {
            continue;
        }
        match merged.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    merged
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect()
}

/// Empty text blocks are refused by the API.
fn text_block(text: &str) -> Vec<Value> {
    if text.trim().is_empty() {
        Vec::new()
    } else {
        vec![json!({"type": "text", "text": text})]
    }
}

fn assistant(message: &Message, thinking_on: bool) -> Vec<Value> {
    let Message::Assistant {
        text,
        thinking,
        tool_calls,
    } = message
    else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    // Thinking is accepted back with its signature only, and only while thinking is on.
    if let Some(thought) = thinking
        && let Some(signature) = &thought.signature
        && thinking_on
    {
        blocks.push(json!({
            "type": "thinking", "thinking": thought.text, "signature": signature,
        }));
    }
    blocks.extend(text_block(text));
    blocks.extend(tool_calls.iter().map(|call| {
        json!({
            "type": "tool_use",
            "id": call.call_id,
            "name": call.name,
            "input": arguments_object(&call.arguments),
        })
    }));
    blocks
}

fn tools(call: &Call, body: &mut Value) {
    let mut tools: Vec<Value> = call
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        })
        .collect();
    if let Some(schema) = &call.schema {
        let alone = tools.is_empty() || call.tool_choice == ToolChoice::None;
        tools.push(json!({
            "name": ANSWER_TOOL,
            "description": "Gives the final answer.",
            "input_schema": schema,
        }));
        body["tool_choice"] = if alone {
            json!({"type": "tool", "name": ANSWER_TOOL})
        } else {
            json!({"type": "any"})
        };
    } else if !tools.is_empty() {
        body["tool_choice"] = match &call.tool_choice {
            ToolChoice::Auto => json!({"type": "auto"}),
            ToolChoice::Required => json!({"type": "any"}),
            ToolChoice::None => json!({"type": "none"}),
            ToolChoice::Only(name) => json!({"type": "tool", "name": name}),
        };
    }
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
}

/// A forced tool and thinking exclude each other.
fn is_thinking(call: &Call) -> bool {
    let forced = call.schema.is_some()
        || matches!(call.tool_choice, ToolChoice::Required | ToolChoice::Only(_));
    !forced && budget(call.think).is_some()
}

/// How many tokens of thinking to allow.
fn budget(think: Think) -> Option<u32> {
    match think {
        Think::Default | Think::Off => None,
        Think::Low => Some(LEAST_THINKING),
        Think::On | Think::Medium => Some(4_096),
        Think::High => Some(16_384),
    }
}

fn think(call: &Call, body: &mut Value) {
    let Some(budget) = budget(call.think).filter(|_| is_thinking(call)) else {
        return;
    };
    // The budget counts towards the whole, so that is raised by it.
    let answer = call.max_tokens.unwrap_or(MAX_TOKENS);
    body["max_tokens"] = json!(answer.saturating_add(budget));
    body["thinking"] = json!({"type": "enabled", "budget_tokens": budget});
}
