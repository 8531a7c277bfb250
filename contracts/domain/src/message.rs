//! Messages: what a model is shown and what it answers.

use crate::id::CallId;
use crate::limits::JSON_DEPTH;
use crate::picture::Picture;
use crate::tool::ToolName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool call as a model asked for it, before any check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ours, unique.
    pub call_id: CallId,
    /// The name the model gave. It may name no tool at all.
    pub name: String,
    /// The arguments: an object in the good case; [`Value::String`] holds the raw text of
    /// arguments that were not valid JSON.
    pub arguments: Value,
}

impl ToolCall {
    /// Whether its arguments nest no deeper than [`JSON_DEPTH`].
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        is_shallow(&self.arguments, JSON_DEPTH)
    }
}

/// Whether a value nests no deeper than so many levels.
#[must_use]
pub fn is_shallow(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|i| is_shallow(i, levels - 1)),
        Value::Object(map) => levels > 0 && map.values().all(|v| is_shallow(v, levels - 1)),
        _ => true,
    }
}

/// One message of a conversation, in the order a model reads them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Standing instructions.
    System {
        /// Text, UTF-8.
        text: String,
    },
    /// What the user (or the harness in the user's place) says.
    User {
        /// Text, UTF-8.
        text: String,
    },
    /// What the model answered.
    Assistant {
        /// The visible answer; may be empty when there are tool calls.
        text: String,
        /// The model's thinking, kept only for providers that require it during a tool loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Thinking>,
        /// The tool calls it asked for, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// The result of one tool call, already fenced and capped by the broker.
    Tool {
        /// Which call it answers.
        call_id: CallId,
        /// The tool's name.
        name: ToolName,
        /// The text for the model.
        text: String,
    },
    /// A picture: what the user gave with the message before it, or what the calls before it showed.
    Picture {
        /// What it is, in words: all that a model without sight is told.
        text: String,
        /// The picture.
        picture: Picture,
    },
}

impl Message {
    /// The visible text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::System { text }
            | Self::User { text }
            | Self::Assistant { text, .. }
            | Self::Tool { text, .. }
            | Self::Picture { text, .. } => text,
        }
    }
}

/// A block of thinking with what a provider needs to accept it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thinking {
    /// The text.
    pub text: String,
    /// The provider's signature over it, opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}
