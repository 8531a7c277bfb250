//! Models: references, roles, usage and how a generation ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a model is used for. Configuration maps each role to a provider and model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Quick answers and orchestration.
    Fast,
    /// Hard thinking and summaries.
    Reason,
    /// Writing code.
    Code,
    /// Grading answers.
    Judge,
    /// Pulling fields out of text.
    Extract,
    /// Embeddings.
    Embed,
}

impl ModelRole {
    /// Every role, in the order people list them.
    pub const ALL: [Self; 6] = [
        Self::Fast,
        Self::Reason,
        Self::Code,
        Self::Judge,
        Self::Extract,
        Self::Embed,
    ];

    /// The name used in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Reason => "reason",
            Self::Code => "code",
            Self::Judge => "judge",
            Self::Extract => "extract",
            Self::Embed => "embed",
        }
    }
}

/// A provider instance from configuration and a model there: `ollama/qwen2.5:7b-instruct`.
///
/// The provider name has no `/`; the model name may have some.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelRef {
    /// The configured instance, such as `ollama`.
    pub provider: String,
    /// The model's name at that provider.
    pub model: String,
}

/// A text that is not `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` does not name a model: write provider/model, for example ollama/qwen2.5:7b-instruct"
)]
pub struct InvalidModelRef(String);

impl FromStr for ModelRef {
    type Err = InvalidModelRef;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(Self {
                provider: provider.to_owned(),
                model: model.to_owned(),
            }),
            _ => Err(InvalidModelRef(text.chars().take(80).collect())),
        }
    }
}

impl TryFrom<String> for ModelRef {
    type Error = InvalidModelRef;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ModelRef> for String {
    fn from(model: ModelRef) -> Self {
        model.to_string()
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// The highest sampling temperature.
pub const HOTTEST: f32 = 2.0;

/// Which model a request wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelChoice {
    /// Whatever configuration maps the role to.
    Role(ModelRole),
    /// Exactly this one.
    Exact(ModelRef),
}

/// How large a model is, which says how much it needs done for it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ModelClass {
    /// Fewer than 1 billion parameters.
    Tiny,
    /// 1 to 4 billion.
    Small,
    /// Up to 20 billion.
    Medium,
    /// More.
    Large,
}

impl ModelClass {
    /// Every class, smallest first.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Small, Self::Medium, Self::Large];

    /// The class of a model with so many parameters.
    #[must_use]
    pub const fn of_parameters(count: u64) -> Self {
        const BILLION: u64 = 1_000_000_000;
        // A model that is sold as one of 4 billion has a few more.
        match count / (BILLION / 10) {
            0..10 => Self::Tiny,
            10..45 => Self::Small,
            45..205 => Self::Medium,
            _ => Self::Large,
        }
    }

    /// The name used in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }
}

/// How much a model can be asked at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It chooses well among many kinds of answer, or nothing is known of it.
    Any,
    /// It is so small that everything the request already says should be settled for it.
    Small,
}

impl Reach {
    /// How much a model of this class can be asked. What is not known counts as capable.
    #[must_use]
    pub const fn of(class: Option<ModelClass>) -> Self {
        match class {
            Some(ModelClass::Tiny) => Self::Small,
            _ => Self::Any,
        }
    }
}

/// Who waits for a model's answer. A provider with more requests than it can answer serves the
/// first ones of this list first, and starves none.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// The user, at this moment.
    #[default]
    User,
    /// An agent that another agent started.
    Agent,
    /// Nobody: grading, noting what a question was about, embeddings in bulk.
    Background,
}

impl Priority {
    /// Every priority, highest first.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Background];
}

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// As configuration says of the provider, and else as the provider holds right.
    #[default]
    Default,
    /// No thinking.
    Off,
    /// Thinking, amount up to the model.
    On,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

impl Think {
    /// Every level, in the order in which a key goes through them.
    pub const ALL: [Self; 6] = [
        Self::Default,
        Self::Off,
        Self::On,
        Self::Low,
        Self::Medium,
        Self::High,
    ];

    /// The word for flags, commands and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Off => "off",
            Self::On => "on",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// How far a model is with reading a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptProgress {
    /// Tokens read, those from a cache among them.
    pub read_tokens: u64,
    /// Tokens of the whole prompt.
    pub total_tokens: u64,
}

/// What one generation cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, as the server counted them.
    pub prompt_tokens: u64,
    /// Of those, tokens served from a cache. 0 when the server does not say.
    pub cached_tokens: u64,
    /// Tokens generated.
    pub completion_tokens: u64,
    /// Time until the first piece of the answer, milliseconds.
    pub first_token_ms: u64,
    /// Time of the whole call, milliseconds.
    pub total_ms: u64,
    /// Share of the prompt's bytes identical to this agent's previous call, thousandths.
    pub prefix_reuse_permille: u16,
}

impl Usage {
    /// The sum of two calls' costs; the reuse share and first-token time of the later one.
    #[must_use]
    pub fn plus(self, later: Self) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens.saturating_add(later.prompt_tokens),
            cached_tokens: self.cached_tokens.saturating_add(later.cached_tokens),
            completion_tokens: self
                .completion_tokens
                .saturating_add(later.completion_tokens),
            first_token_ms: later.first_token_ms,
            total_ms: self.total_ms.saturating_add(later.total_ms),
            prefix_reuse_permille: later.prefix_reuse_permille,
        }
    }
}

/// Why a generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The model wants tool results.
    ToolCalls,
    /// The token limit was reached; the answer is cut.
    Length,
    /// The provider withheld the rest.
    ContentFilter,
    /// The caller cancelled.
    Cancelled,
    /// The model repeated itself without end and was stopped; the answer is cut.
    Repetition,
}

impl FinishReason {
    /// Whether the answer is not whole because it was stopped while the model was writing.
    #[must_use]
    pub const fn is_cut(self) -> bool {
        matches!(self, Self::Length | Self::Repetition)
    }
}
