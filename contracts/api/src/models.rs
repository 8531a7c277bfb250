//! Models: chat, embeddings, and what is there to choose from.

use crate::{CallContext, Streaming};
use async_trait::async_trait;
use domain::fault::{Coded, Fault};
use domain::message::{Message, Thinking, ToolCall};
use domain::model::{
    FinishReason, ModelChoice, ModelClass, ModelRef, ModelRole, Priority, PromptProgress, Think,
    Usage,
};
use domain::tool::{ToolDefinition, ToolName};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Whether a model may, must or must not call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It must call one.
    Required,
    /// It must not.
    None,
    /// It must call this one.
    Only(ToolName),
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// Who asks; `None` for the product's own needs (`carl models test`).
    pub context: Option<CallContext>,
    /// Which model.
    pub model: ModelChoice,
    /// Who waits for the answer.
    pub priority: Priority,
    /// The conversation, oldest first. What never changes comes first.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
    /// Whether they may be used.
    pub tool_choice: ToolChoice,
    /// How much to think.
    pub think: Think,
    /// Context size wanted, tokens; `None`: the configured default.
    pub context_tokens: Option<u32>,
    /// Most tokens to generate; `None`: the provider's default.
    pub max_tokens: Option<u32>,
    /// 0 is greedy; `None`: the provider's default.
    pub temperature: Option<f32>,
    /// For repeatable sampling.
    pub seed: Option<u64>,
    /// The answer must be JSON that fits this schema. It is passed to the server, validated again,
    /// and repaired at most [`domain::limits::SCHEMA_REPAIRS`] times.
    pub response_schema: Option<Value>,
    /// How many of the first messages stay the same from call to call: a cache hint.
    pub stable_messages: usize,
    /// Longest the whole call may take, waiting for the provider included; `None`:
    /// [`domain::limits::MODEL_CALL`] once it has started, and before that
    /// [`domain::limits::MODEL_QUEUE`].
    pub deadline: Option<Duration>,
    /// By tool, parameters in the place of its own where a reply is held to a schema: values that can be
    /// enumerated, such as the files that are there. They allow nothing that the tool's own do not. No
    /// prompt shows them, and no call is checked against them.
    pub narrowed: BTreeMap<ToolName, Value>,
}

/// The tools with the parameters that a reply is held to.
#[must_use]
pub fn held_to(
    tools: &[ToolDefinition],
    narrowed: &BTreeMap<ToolName, Value>,
) -> Vec<ToolDefinition> {
    let held = |tool: &ToolDefinition| ToolDefinition {
        parameters: narrowed.get(&tool.name).unwrap_or(&tool.parameters).clone(),
        ..tool.clone()
    };
    tools.iter().map(held).collect()
}

impl ChatRequest {
    /// A request with nothing but a model and messages, for which the user waits.
    #[must_use]
    pub fn new(model: ModelChoice, messages: Vec<Message>) -> Self {
        Self {
            context: None,
            model,
            priority: Priority::User,
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            think: Think::Default,
            context_tokens: None,
            max_tokens: None,
            temperature: None,
            seed: None,
            response_schema: None,
            stable_messages: 0,
            deadline: None,
            narrowed: BTreeMap::new(),
        }
    }
}

/// The code of the notice that an answer was nothing but a call, and ended in the middle of it or was
/// not well-formed.
pub const CALL_CUT_CODE: &str = "models.call_cut";
/// The code of the notice that an answer was nothing but a call of a tool that is not on offer.
pub const CALL_NOT_OFFERED_CODE: &str = "models.call_not_offered";
/// The code of the notice that a model does not think as much, or as little, as it was asked to.
pub const THINKING_NOT_TAKEN_CODE: &str = "models.thinking_not_taken";

/// A piece of an answer. The order is: `Started`, pieces, `Usage`, `Finished`; a `Notice` may come
/// at any time, and one that says what the request waits for comes before `Started`. `PromptRead`
/// comes before any piece.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatChunk {
    /// The model that answers, and why it was chosen.
    Started {
        /// The model.
        model: ModelRef,
        /// Why, in a few words.
        reason: String,
    },
    /// The model reads the prompt; only where its server tells how far it is.
    PromptRead(PromptProgress),
    /// Visible text. Under a response schema it comes in one piece, once it is valid.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// Thinking complete with its signature, from providers that want it back.
    ThinkingBlock(Thinking),
    /// The visible text so far is withdrawn for this one: part of it was a leaked tool call or
    /// leaked thinking.
    TextReplaced(String),
    /// A piece of a tool call's arguments, for people to watch.
    ToolCallDelta {
        /// Position of the call in this answer.
        index: u32,
        /// The name, once known.
        name: String,
        /// A piece of the arguments' text.
        arguments: String,
    },
    /// A whole tool call.
    ToolCall {
        /// The call, with an id of ours.
        call: ToolCall,
        /// Whether it was found in the text.
        recovered: bool,
    },
    /// What the call cost.
    Usage(Usage),
    /// Something the user should know: a truncated context, a retry, a repair.
    Notice(Fault),
    /// The end.
    Finished(FinishReason),
}

/// Texts to embed.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedRequest {
    /// Which model; usually the role [`ModelRole::Embed`].
    pub model: ModelChoice,
    /// What for: some models want a prefix, and nobody waits for documents.
    pub purpose: EmbedPurpose,
    /// The texts.
    pub texts: Vec<String>,
}

/// What an embedding is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedPurpose {
    /// To look for something.
    Query,
    /// To be found.
    Document,
}

/// Vectors, one a text, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// The model that made them. Vectors of different models are never compared.
    pub model: ModelRef,
    /// One vector a text, all of one length.
    pub vectors: Vec<Vec<f32>>,
}

/// A model that could be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its reference.
    pub model: ModelRef,
    /// Its context size, tokens, if known.
    pub context_tokens: Option<u32>,
    /// Its size on disk, bytes, if known.
    pub size_bytes: Option<u64>,
    /// How large it is by its parameters, if known.
    pub class: Option<ModelClass>,
    /// Whether it is in memory now, if known.
    pub loaded: Option<bool>,
    /// Roles it serves: by the role map, or as the default for roles that the map does not name.
    pub roles: Vec<ModelRole>,
}

/// What is known of a model before it is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// The context that a request gets which names no size, tokens; `None`: not known.
    pub context_tokens: Option<u32>,
    /// Whether it takes pictures; `None`: not known.
    pub sees: Option<bool>,
    /// Tokens of its texts to one for every four characters, thousandths, as its server counted them
    /// so far; `None`: not known.
    pub tokens_permille: Option<u32>,
    /// How large it is by its parameters; `None`: not known.
    pub class: Option<ModelClass>,
    /// Whether it is the small model that comes along, for a machine with nothing installed.
    pub is_stand_in: bool,
    /// Whether its replies are held to a schema where it is offered tools, as far as is known by now:
    /// [`ChatRequest::narrowed`] counts there alone.
    pub holds_calls: bool,
}

/// The state of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderHealth {
    /// The configured instance.
    pub provider: String,
    /// Where it is.
    pub endpoint: String,
    /// `None` when it answers; else what is wrong.
    pub fault: Option<Fault>,
    /// Whether requests go here by default, and why or why not.
    pub note: String,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// No provider is configured or found for the request.
    NotConfigured,
    /// The provider has no such model.
    UnknownModel,
    /// Nothing answers at the endpoint.
    Unreachable,
    /// The endpoint is not allowed (air gap, or not configured).
    Blocked,
    /// The server refused the key.
    Unauthorised,
    /// The key is named, and no secret of that name is kept.
    KeyMissing,
    /// The key is in a secret store that is locked.
    KeyLocked,
    /// The key is in a secret store that cannot be used.
    KeyUnavailable,
    /// The server is overloaded or limits the rate.
    Busy,
    /// The server failed.
    Server,
    /// The server refused the request itself.
    Rejected,
    /// The prompt does not fit the model's context.
    ContextOverflow,
    /// No first byte, no next byte, or no end within the time allowed.
    Timeout,
    /// The stream broke off.
    Interrupted,
    /// The server's bytes are not what its protocol says.
    Protocol,
    /// An event or answer was larger than allowed.
    TooLarge,
    /// The answer did not fit the schema, even after repair.
    SchemaUnmet,
    /// Too many failures in a row; the provider is left alone for a while.
    CircuitOpen,
    /// The caller went away.
    Cancelled,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Self::NotConfigured,
        Self::UnknownModel,
        Self::Unreachable,
        Self::Blocked,
        Self::Unauthorised,
        Self::KeyMissing,
        Self::KeyLocked,
        Self::KeyUnavailable,
        Self::Busy,
        Self::Server,
        Self::Rejected,
        Self::ContextOverflow,
        Self::Timeout,
        Self::Interrupted,
        Self::Protocol,
        Self::TooLarge,
        Self::SchemaUnmet,
        Self::CircuitOpen,
        Self::Cancelled,
    ];

    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotConfigured => "models.not_configured",
            Self::UnknownModel => "models.unknown_model",
            Self::Unreachable => "models.unreachable",
            Self::Blocked => "models.blocked",
            Self::Unauthorised => "models.unauthorised",
            // The store's own codes: whoever waits for the unlocking waits for both.
            Self::KeyMissing => "secrets.not_found",
            Self::KeyLocked => "secrets.locked",
            Self::KeyUnavailable => "secrets.unavailable",
            Self::Busy => "models.busy",
            Self::Server => "models.server",
            Self::Rejected => "models.rejected",
            Self::ContextOverflow => "models.context_overflow",
            Self::Timeout => "models.timeout",
            Self::Interrupted => "models.interrupted",
            Self::Protocol => "models.protocol",
            Self::TooLarge => "models.too_large",
            Self::SchemaUnmet => "models.schema_unmet",
            Self::CircuitOpen => "models.circuit_open",
            Self::Cancelled => "models.cancelled",
        }
    }
}

/// Why a model did not answer.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// What happened, where and why, for the user.
    pub detail: String,
    /// What to do; empty for nothing.
    pub hint: String,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause of its own.
    #[must_use]
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            hint: String::new(),
            source: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl ErrorKind {
    /// Whether the key could not be had, so that the server was not asked.
    #[must_use]
    pub const fn is_of_the_key(self) -> bool {
        matches!(
            self,
            Self::KeyMissing | Self::KeyLocked | Self::KeyUnavailable
        )
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn message(&self) -> String {
        self.detail.clone()
    }

    fn hint(&self) -> String {
        self.hint.clone()
    }
}

/// The model gateway.
#[async_trait]
pub trait Models: Send + Sync {
    /// Asks a model. Dropping the stream stops the server's work.
    ///
    /// # Errors
    /// Any [`Error`] before the first piece, be it a notice; later ones arrive in the stream and end
    /// it.
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error>;
    /// Embeds texts.
    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error>;
    /// Every model that could be used.
    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error>;
    /// What is known of the model that would answer. It is asked of the server once and remembered;
    /// what cannot be found out is not known, which is no error.
    ///
    /// # Errors
    /// When no model would answer.
    async fn describe(&self, model: ModelChoice) -> Result<ModelFacts, Error> {
        let _ = model;
        Ok(ModelFacts::default())
    }
    /// How many tokens a text is, by the model's own tokenizer where there is one, else estimated.
    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error>;
    /// The state of every provider.
    async fn health(&self) -> Result<Vec<ProviderHealth>, Error>;
}
