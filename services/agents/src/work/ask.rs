//! A question to a model, as a value.

use api::audit;
use api::models::{self, ToolChoice};
use domain::fault::{Coded, Fault};
use domain::message::Message;
use domain::model::Think;
use domain::tool::{ToolDefinition, ToolName};
use serde_json::Value;
use std::collections::BTreeMap;

/// Whether people see a model's text as it comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// It is (part of) the answer.
    #[default]
    Shown,
    /// It is for a program, such as a plan: no text events, only thinking, notices and the model's
    /// name.
    Hidden,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ask {
    /// The conversation, oldest first.
    pub(crate) messages: Vec<Message>,
    /// The tools on offer.
    pub(crate) tools: Vec<ToolDefinition>,
    /// By tool, the parameters that a reply is held to where they are others than its own.
    pub(crate) narrowed: BTreeMap<ToolName, Value>,
    /// Whether they may be used. With [`ToolChoice::None`], calls in the reply are dropped.
    pub(crate) tool_choice: ToolChoice,
    /// The answer must fit this JSON Schema.
    pub(crate) response_schema: Option<Value>,
    /// How much to think.
    pub(crate) think: Think,
    /// Most tokens to generate; `None`: the provider's default.
    pub(crate) max_tokens: Option<u32>,
    /// 0 is greedy; `None`: the provider's default.
    pub(crate) temperature: Option<f32>,
    /// Whether people see the text.
    pub(crate) visibility: Visibility,
    /// Longest the whole call may take; `None`: [`domain::limits::MODEL_CALL`].
    pub(crate) deadline: Option<std::time::Duration>,
}

impl Ask {
    /// A question with nothing but messages.
    #[must_use]
    pub(crate) fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            tools: Vec::new(),
            narrowed: BTreeMap::new(),
            tool_choice: ToolChoice::Auto,
            response_schema: None,
            think: Think::Default,
            max_tokens: None,
            temperature: None,
            visibility: Visibility::Shown,
            deadline: None,
        }
    }
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    /// The request was interrupted.
    #[error("the request was interrupted")]
    Interrupted,
    /// The agent, or one above it, has used up its tokens.
    #[error("the token budget is used up")]
    OverBudget,
    /// The model failed.
    #[error(transparent)]
    Model(#[from] models::Error),
    /// The call could not be recorded.
    #[error(transparent)]
    Audit(#[from] audit::Error),
}

impl AskError {
    /// For the user.
    #[must_use]
    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::Interrupted => Fault {
                code: "agents.interrupted".to_owned(),
                message: "The request was interrupted.".to_owned(),
                hint: String::new(),
            },
            Self::OverBudget => Fault {
                code: "agents.over_budget".to_owned(),
                message: "The token budget is used up.".to_owned(),
                hint: "`agent_tokens` in agents.yaml and `session_tokens` of `[agents]` set it."
                    .to_owned(),
            },
            Self::Model(error) => error.fault(),
            Self::Audit(error) => error.fault(),
        }
    }

    /// Whether the prompt did not fit the model's context.
    #[must_use]
    pub(crate) fn is_overflow(&self) -> bool {
        matches!(self, Self::Model(error) if error.kind == models::ErrorKind::ContextOverflow)
    }
}
