//! Chat completions, as OpenAI documents them and as llama.cpp, vLLM, LM Studio, OpenRouter and
//! others speak them.

use super::openai_stream::{JsonReader, Reader};
use super::{Decoder, Outgoing, Protocol, read_vectors};
use crate::call::{Call, Facts, Form, Listed, ToolChoice, arguments_object};
use crate::error::{self, Error};
use crate::framing::Framing;
use calls::json_calls::AnswerForm;
use domain::message::Message;
use domain::model::Think;
use reqwest::Url;
use serde_json::{Value, json};

/// The host that refuses fields it does not know and renamed `max_tokens`.
const STRICT_HOST: &str = "api.openai.com";

/// The protocol, with what is known of the server.
pub(crate) struct OpenAi {
    pub(crate) name: String,
    strict: bool,
}

impl OpenAi {
    pub(crate) fn new(name: String, endpoint: &Url) -> Self {
        Self {
            name,
            strict: endpoint.host_str() == Some(STRICT_HOST),
        }
    }

    fn think(&self, think: Think, body: &mut Value) {
        let effort = match think {
            Think::Default => return,
            // Its older models refuse the word, and are then left to themselves: see `levels`.
            Think::Off if self.strict => Some("none"),
            Think::Off => None,
            Think::On => Some("medium"),
            Think::Low => Some("low"),
            Think::Medium => Some("medium"),
            Think::High => Some("high"),
        };
        if let Some(effort) = effort {
            body["reasoning_effort"] = json!(effort);
        }
        if !self.strict {
            // The switch that chat templates of open models read.
            body["chat_template_kwargs"] = json!({"enable_thinking": effort.is_some()});
        }
    }
}

/// The context of a model in a list: of vLLM, OpenRouter, llama.cpp, in this order.
fn context_of(model: &Value) -> Option<u32> {
    let places = ["/max_model_len", "/context_length", "/meta/n_ctx_train"];
    let mut numbers = places
        .iter()
        .filter_map(|place| model.pointer(place).and_then(Value::as_u64));
    numbers.next().and_then(|tokens| u32::try_from(tokens).ok())
}

impl Protocol for OpenAi {
    fn base(&self, endpoint: &Url) -> Url {
        let mut base = endpoint.clone();
        let path = endpoint.path().trim_end_matches('/');
        let path = path.strip_suffix("/chat/completions").unwrap_or(path);
        let path = if path.is_empty() { "/v1" } else { path };
        base.set_path(&format!("{path}/"));
        base
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}")))
            .into_iter()
            .collect()
    }

    fn chat(&self, call: &Call) -> Outgoing {
        let mut body = json!({
            "model": call.model,
            "messages": messages(&call.messages),
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if call.tells_progress {
            body["return_progress"] = json!(true);
        }
        if call.form == Form::Native && !call.tools.is_empty() {
            tools(call, &mut body);
        }
        self.think(call.think, &mut body);
        if let Some(max) = call.max_tokens {
            let field = if self.strict {
                "max_completion_tokens"
            } else {
                "max_tokens"
            };
            body[field] = json!(max);
        }
        if let Some(temperature) = call.temperature() {
            body["temperature"] = json!(temperature);
        }
        if let Some(seed) = call.seed {
            body["seed"] = json!(seed);
        }
        match (&call.form, &call.schema) {
            (Form::Json(schema), _) => {
                body["response_format"] = json!({"type": "json_schema", "json_schema": {
                    "name": "reply",
                    "strict": true,
                    "schema": schema,
                }});
            }
            (Form::Native, Some(schema)) => {
                body["response_format"] = json!({"type": "json_schema", "json_schema": {
                    "name": "answer",
                    "schema": schema,
                }});
            }
            (Form::Native, None) => {}
        }
        Outgoing::post("chat/completions", body)
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self, call: &Call) -> Box<dyn Decoder> {
        let reader = Reader::new(self.name.clone());
        match (&call.form, &call.schema) {
            (Form::Native, _) => Box::new(reader),
            (Form::Json(_), None) => Box::new(JsonReader::new(reader, AnswerForm::Text)),
            (Form::Json(_), Some(_)) => Box::new(JsonReader::new(reader, AnswerForm::Json)),
        }
    }

    fn list(&self) -> Outgoing {
        Outgoing::get("models")
    }

    fn read_list(&self, body: &Value) -> Result<Vec<Listed>, Error> {
        let models = body
            .get("data")
            .and_then(Value::as_array)
            .ok_or_else(|| error::protocol(&self.name, "a model list without `data`"))?;
        Ok(models
            .iter()
            .filter_map(|model| {
                let number = |path: &str| model.pointer(path).and_then(Value::as_u64);
                Some(Listed {
                    model: model.get("id")?.as_str()?.to_owned(),
                    context_tokens: context_of(model),
                    size_bytes: number("/meta/size"),
                    parameters: number("/meta/n_params"),
                    loaded: None,
                })
            })
            .collect())
    }

    fn more_facts(&self) -> Vec<Outgoing> {
        let mut questions = vec![Outgoing::get("models")];
        if !self.strict {
            // llama.cpp's server tells there what it was started with; the list has what the model
            // was trained for.
            questions.insert(0, Outgoing::get("../props"));
        }
        questions
    }

    fn read_facts(&self, model: &str, body: &Value) -> Facts {
        let entry = body.get("data").and_then(Value::as_array).and_then(|all| {
            let mut all = all.iter();
            all.find(|one| one.get("id").and_then(Value::as_str) == Some(model))
        });
        let body = entry.unwrap_or(body);
        let slots = body.get("default_generation_settings");
        let slot = slots.and_then(|slots| slots.get("n_ctx"));
        let slot = slot.and_then(Value::as_u64).filter(|tokens| *tokens > 0);
        let modalities = body.pointer("/architecture/input_modalities");
        let modalities = modalities.and_then(Value::as_array);
        Facts {
            context_tokens: slot
                .and_then(|tokens| u32::try_from(tokens).ok())
                .or_else(|| context_of(body)),
            thinks: None,
            sees: body
                .pointer("/modalities/vision")
                .and_then(Value::as_bool)
                .or_else(|| modalities.map(|all| all.iter().any(|one| one == "image"))),
            parameters: body.pointer("/meta/n_params").and_then(Value::as_u64),
            size_bytes: None,
            // Only llama.cpp's server has these settings. Others may refuse a field that they do not
            // know, so none is asked to tell.
            tells_progress: slots.is_some(),
        }
    }

    fn embed(&self, model: &str, texts: &[String]) -> Option<Outgoing> {
        Some(Outgoing::post(
            "embeddings",
            json!({"model": model, "input": texts, "encoding_format": "float"}),
        ))
    }

    fn read_embeddings(&self, body: &Value) -> Result<Vec<Vec<f32>>, Error> {
        let data = body
            .get("data")
            .and_then(Value::as_array)
            .ok_or_else(|| error::protocol(&self.name, "an answer without `data`"))?;
        let mut data: Vec<&Value> = data.iter().collect();
        data.sort_by_key(|entry| entry.get("index").and_then(Value::as_u64));
        read_vectors(
            &self.name,
            data.into_iter().filter_map(|entry| entry.get("embedding")),
        )
    }

    fn counts_cached(&self) -> bool {
        true
    }
}

/// Offers the tools by the protocol's own means.
fn tools(call: &Call, body: &mut Value) {
    body["tools"] = call
        .tools
        .iter()
        .map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            }})
        })
        .collect();
    body["tool_choice"] = match &call.tool_choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::None => json!("none"),
        ToolChoice::Only(name) => json!({"type": "function", "function": {"name": name}}),
    };
}

/// The conversation, with what the user says and shows in a row as one message: the tools' side
/// cannot carry pictures, and templates may insist on turns.
fn messages(all: &[Message]) -> Vec<Value> {
    let mut sent: Vec<Value> = Vec::with_capacity(all.len());
    let is_users = |one: &Value| one["role"] == "user";
    let has_parts = |one: &Value| one["content"].is_array();
    for next in all {
        let mut said = message(next);
        match sent
            .last_mut()
            .filter(|last| is_users(last) && is_users(&said))
        {
            Some(last) if has_parts(last) || has_parts(&said) => {
                let mut parts = parts(last["content"].take());
                parts.extend(self::parts(said["content"].take()));
                last["content"] = Value::Array(parts);
            }
            _ => sent.push(said),
        }
    }
    sent
}

/// A message's content in parts.
fn parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        text => vec![json!({"type": "text", "text": text})],
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Picture { text, picture } => {
            let media_type = picture.kind.media_type();
            let url = format!("data:{media_type};base64,{}", picture.base64.as_str());
            json!({"role": "user", "content": [
                {"type": "text", "text": text},
                {"type": "image_url", "image_url": {"url": url}},
            ]})
        }
        Message::Assistant {
            text, tool_calls, ..
        } => {
            let mut said = json!({"role": "assistant", "content": text});
            if !tool_calls.is_empty() {
                said["tool_calls"] = tool_calls
                    .iter()
                    .map(|call| {
                        json!({"id": call.call_id, "type": "function", "function": {
                            "name": call.name,
                            "arguments": arguments_object(&call.arguments).to_string(),
                        }})
                    })
                    .collect();
            }
            said
        }
        Message::Tool {
            call_id,
            name,
            text,
        } => {
            json!({"role": "tool", "tool_call_id": call_id, "name": name, "content": text})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_tell_context_and_sight_in_their_own_places() {
        let endpoint = Url::parse("http://127.0.0.1:8080/v1").unwrap();
        let openai = OpenAi::new("local".to_owned(), &endpoint);
        let told = |body: Value| {
            let facts = openai.read_facts("m", &body);
            assert_eq!(
                facts.tells_progress,
                body.get("default_generation_settings").is_some()
            );
            (facts.context_tokens, facts.sees)
        };
        let llama = json!({
            "default_generation_settings": {"n_ctx": 8_192}, "modalities": {"vision": true},
        });
        assert_eq!(told(llama), (Some(8_192), Some(true)));
        let vllm = json!({"data": [{"id": "other"}, {"id": "m", "max_model_len": 4_096}]});
        assert_eq!(told(vllm), (Some(4_096), None));
        let router = json!({"data": [{
            "id": "m", "context_length": 65_536, "architecture": {"input_modalities": ["text"]},
        }]});
        assert_eq!(told(router), (Some(65_536), Some(false)));
        let silent = json!({"default_generation_settings": {"n_ctx": 0}});
        assert_eq!(told(silent), (None, None));
    }
}
