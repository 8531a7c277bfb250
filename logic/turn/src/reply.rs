//! What a model replied.

use api::models::{CALL_CUT_CODE, CALL_NOT_OFFERED_CODE};
use domain::message::{Thinking, ToolCall};
use domain::model::{FinishReason, ModelRef, Usage};

/// Why a reply that was nothing but a call, written as text, holds neither a call nor an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenCall {
    /// It ended before the call was whole, or the call is not well-formed.
    Cut,
    /// There is no tool of the name.
    NotOffered,
}

impl BrokenCall {
    /// What the notice of a model's gateway with this code says.
    #[must_use]
    pub fn told_by(code: &str) -> Option<Self> {
        match code {
            CALL_CUT_CODE => Some(Self::Cut),
            CALL_NOT_OFFERED_CODE => Some(Self::NotOffered),
            _ => None,
        }
    }
}

/// A model's whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The visible text.
    pub text: String,
    /// The thinking.
    pub thinking: Option<Thinking>,
    /// The calls it asked for, each with whether it was found in the text.
    pub tool_calls: Vec<(ToolCall, bool)>,
    /// Whether a call was left out of the text that cannot be one.
    pub broken_call: Option<BrokenCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub finish: FinishReason,
    /// The model.
    pub model: Option<ModelRef>,
    /// The most tokens that it might have had; `None`: the provider's default.
    pub max_tokens: Option<u32>,
}
