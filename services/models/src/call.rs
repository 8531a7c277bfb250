//! A request as providers see it, and the pieces of an answer as they come back.

use domain::fault::Fault;
use domain::message::{Message, Thinking};
use domain::model::{FinishReason, PromptProgress, Think};
use domain::tool::{ToolDefinition, ToolName};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) use api::models::ToolChoice;

/// One question to one model of one provider, with everything decided.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The model's name at the provider.
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<ToolDefinition>,
    /// By tool, the parameters that a reply is held to where they are others than its own.
    pub(crate) narrowed: BTreeMap<ToolName, Value>,
    pub(crate) tool_choice: ToolChoice,
    pub(crate) think: Think,
    /// Context to ask for, tokens, already capped by what the model can.
    pub(crate) context_tokens: u32,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f32>,
    pub(crate) seed: Option<u64>,
    pub(crate) schema: Option<Value>,
    pub(crate) stable_messages: usize,
    /// Whether the model can think at all, where the server says.
    pub(crate) can_think: Option<bool>,
    /// Whether the server tells how far it is with reading a prompt.
    pub(crate) tells_progress: bool,
    /// How the model is told about tools and writes its calls.
    pub(crate) form: Form,
}

impl Call {
    /// The temperature as it is written in JSON: 0.2, and not the nearest number of 32 bits.
    pub(crate) fn temperature(&self) -> Option<f64> {
        let written = |value: f32| (f64::from(value) * 1_000.0).round() / 1_000.0;
        self.temperature.map(written)
    }
}

/// The form of tools and calls in one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// The protocol's.
    Native,
    /// Described in the messages; the whole reply is one JSON object under this schema.
    Json(Value),
}

/// What a model can do, where the server says.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    /// Its own limit, tokens.
    pub(crate) context_tokens: Option<u32>,
    /// Whether it can think.
    pub(crate) thinks: Option<bool>,
    /// Whether it takes pictures.
    pub(crate) sees: Option<bool>,
    /// How many parameters it has.
    pub(crate) parameters: Option<u64>,
    /// Its size on disk.
    pub(crate) size_bytes: Option<u64>,
    /// Whether it is known to tell how far it is with reading a prompt, when asked.
    pub(crate) tells_progress: bool,
}

impl Facts {
    /// What is known here, and of the rest what the other knows.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            context_tokens: self.context_tokens.or(other.context_tokens),
            thinks: self.thinks.or(other.thinks),
            sees: self.sees.or(other.sees),
            parameters: self.parameters.or(other.parameters),
            size_bytes: self.size_bytes.or(other.size_bytes),
            tells_progress: self.tells_progress || other.tells_progress,
        }
    }
}

/// A model that a server lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) model: String,
    pub(crate) context_tokens: Option<u32>,
    pub(crate) size_bytes: Option<u64>,
    /// How many parameters it has.
    pub(crate) parameters: Option<u64>,
    pub(crate) loaded: Option<bool>,
}

/// Most tokens that a server is believed to have counted in one answer.
const COUNTED_TOKENS: u64 = 1 << 31;

/// Tokens as a server counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Of the prompt.
    pub(crate) prompt: Option<u64>,
    /// Of those, from a cache.
    pub(crate) cached: u64,
    /// Generated.
    pub(crate) completion: u64,
}

impl Counted {
    /// The same, where no count is more than any model reads or writes: a server may say anything.
    pub(crate) fn bounded(self) -> Self {
        let bounded = |count: u64| count.min(COUNTED_TOKENS);
        Self {
            prompt: self.prompt.map(bounded),
            cached: bounded(self.cached),
            completion: bounded(self.completion),
        }
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// The prompt is being read.
    Prompt(PromptProgress),
    Text(String),
    /// Text that came as the answer in an agreed form: no call is looked for in it.
    Answered(String),
    Thinking(String),
    ThinkingBlock(Thinking),
    /// A fragment of a call, for people to watch.
    CallDelta {
        index: u32,
        name: String,
        arguments: String,
    },
    /// A whole call.
    Call {
        name: String,
        arguments: Value,
    },
    Counted(Counted),
    Notice(Fault),
    Finished(FinishReason),
}

impl Piece {
    /// How much of the answer's size limit it takes, bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Answered(text) | Self::Thinking(text) => text.len(),
            Self::CallDelta { arguments, .. } => arguments.len(),
            Self::Call { name, arguments } => name.len() + arguments.as_str().map_or(0, str::len),
            Self::Prompt(_)
            | Self::ThinkingBlock(_)
            | Self::Counted(_)
            | Self::Notice(_)
            | Self::Finished(_) => 0,
        }
    }
}

/// A call's arguments as the object that every server wants back. Text that was never valid JSON
/// is wrapped, so that the model sees what it wrote.
pub(crate) fn arguments_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => json!({}),
        other => json!({ "invalid_arguments": other }),
    }
}

/// Arguments as a server sent them, in text: an object, or the raw text when they are not JSON.
pub(crate) fn parse_arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => unwrap_arguments(value),
        Err(_) => Value::String(text.to_owned()),
    }
}

/// Arguments as a JSON value: some servers encode the object a second time, as a string.
pub(crate) fn unwrap_arguments(value: Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text),
        },
        Value::Null => json!({}),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_in_every_spelling() {
        assert_eq!(parse_arguments(""), json!({}));
        assert_eq!(parse_arguments("null"), json!({}));
        assert_eq!(parse_arguments(r#"{"a":1}"#), json!({"a": 1}));
        assert_eq!(parse_arguments(r#""{\"a\":1}""#), json!({"a": 1}));
        assert_eq!(parse_arguments("{broken"), json!("{broken"));
        assert_eq!(
            arguments_object(&json!("{broken")),
            json!({"invalid_arguments": "{broken"})
        );
    }

    #[test]
    fn what_a_server_counts_is_believed_up_to_a_limit() {
        let counted = |count| Counted {
            prompt: Some(count),
            cached: count,
            completion: count,
        };
        assert_eq!(counted(u64::MAX).bounded(), counted(COUNTED_TOKENS));
        assert_eq!(counted(7).bounded(), counted(7));
    }
}
