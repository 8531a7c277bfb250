//! What a model replied.

use domain::message::{Thinking, ToolCall};
use domain::model::{FinishReason, ModelRef, Usage};

/// A model's whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The visible text.
    pub text: String,
    /// The thinking.
    pub thinking: Option<Thinking>,
    /// The calls it asked for, each with whether it was found in the text.
    pub tool_calls: Vec<(ToolCall, bool)>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub finish: FinishReason,
    /// The model.
    pub model: Option<ModelRef>,
    /// The most tokens that it might have had; `None`: the provider's default.
    pub max_tokens: Option<u32>,
}
