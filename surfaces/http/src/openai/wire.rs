//! The JSON of OpenAI's interface, as far as it is answered here.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `POST /v1/chat/completions`. What only tunes a model, such as `temperature`, is read over: which
/// model an agent asks and how is configured here.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatRequest {
    pub(crate) model: String,
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) stream: Option<bool>,
    pub(crate) stream_options: Option<StreamOptions>,
    pub(crate) stop: Option<Stop>,
    pub(crate) n: Option<u32>,
    pub(crate) tools: Option<Vec<Tool>>,
    pub(crate) tool_choice: Option<ToolChoice>,
    pub(crate) functions: Option<Vec<Value>>,
    pub(crate) logprobs: Option<bool>,
    pub(crate) response_format: Option<ResponseFormat>,
}

/// A tool of the client's own.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tool {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) function: Option<Function>,
}

/// What is told of one.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    /// JSON Schema of its arguments; without one it takes none.
    pub(crate) parameters: Option<Value>,
}

/// Whether one may, must or must not be called.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum ToolChoice {
    /// `auto`, `none` or `required`.
    Word(String),
    /// This one.
    Named {
        /// Which.
        function: Named,
    },
}

/// A tool by its name.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
}

/// A call that the model asked for, as the client is told of it and sends it back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Called {
    pub(crate) id: String,
    #[serde(rename = "type", default = "Called::kind")]
    pub(crate) kind: String,
    pub(crate) function: CalledFunction,
}

impl Called {
    /// What every call is.
    pub(crate) fn kind() -> String {
        "function".to_owned()
    }
}

/// Which tool, and with what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CalledFunction {
    pub(crate) name: String,
    /// The text of a JSON object, where the model got that right.
    pub(crate) arguments: String,
}

/// What a stream has besides the answer.
#[derive(Debug, Deserialize)]
pub(crate) struct StreamOptions {
    #[serde(default)]
    pub(crate) include_usage: bool,
}

/// Where an answer ends.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Stop {
    /// Before this text.
    One(String),
    /// Before the first of these.
    Several(Vec<String>),
}

/// In which form an answer is wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct ResponseFormat {
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// One message of the client's conversation.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    #[serde(default)]
    pub(crate) content: Content,
    /// What the agent asked for.
    pub(crate) tool_calls: Option<Vec<Called>>,
    /// Which call a tool answers.
    pub(crate) tool_call_id: Option<String>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Whoever wrote the client.
    System,
    /// The same, by another name.
    Developer,
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// A tool of the client's.
    Tool,
    /// The same, in the first form.
    Function,
}

impl Role {
    /// Its word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System | Self::Developer => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool | Self::Function => "tool",
        }
    }
}

/// What is said.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    /// Nothing.
    #[default]
    None,
    /// A text.
    Text(String),
    /// Several parts.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Part {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) text: String,
}

/// `POST /v1/responses`; read over as there.
#[derive(Debug, Deserialize)]
pub(crate) struct ResponsesRequest {
    pub(crate) model: String,
    pub(crate) input: Spoken,
    pub(crate) instructions: Option<String>,
    #[serde(default)]
    pub(crate) stream: Option<bool>,
    pub(crate) previous_response_id: Option<String>,
    pub(crate) tools: Option<Vec<Value>>,
    pub(crate) tool_choice: Option<FlatChoice>,
    pub(crate) background: Option<bool>,
    pub(crate) conversation: Option<Value>,
    pub(crate) text: Option<TextOptions>,
}

/// How a text is wanted.
#[derive(Debug, Deserialize)]
pub(crate) struct TextOptions {
    pub(crate) format: Option<ResponseFormat>,
}

/// What is said to an agent.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Spoken {
    /// A text of the user's.
    Text(String),
    /// A conversation.
    Items(Vec<Item>),
}

/// An item of a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Item {
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) role: Option<Role>,
    #[serde(default)]
    pub(crate) content: Content,
    /// Which call is made or answered.
    #[serde(default)]
    pub(crate) call_id: String,
    /// The tool that is called.
    #[serde(default)]
    pub(crate) name: String,
    /// With what.
    #[serde(default)]
    pub(crate) arguments: String,
    /// What it came to.
    #[serde(default)]
    pub(crate) output: Content,
}

impl Item {
    /// Who speaks, where it is a message.
    pub(crate) fn spoken_by(&self) -> Option<Role> {
        self.role
            .filter(|_| matches!(self.kind.as_str(), "" | "message"))
    }
}

/// A tool of the client's own, as it is given for a response.
#[derive(Debug, Deserialize)]
pub(crate) struct FlatTool {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(flatten)]
    pub(crate) function: Option<Function>,
}

/// Whether one may, must or must not be called, as it is said for a response.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum FlatChoice {
    /// `auto`, `none` or `required`.
    Word(String),
    /// This one.
    Named(Named),
}

/// An answer as a whole.
#[derive(Debug, Serialize)]
pub(crate) struct Completion<'a> {
    pub(crate) id: &'a str,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) model: &'a str,
    pub(crate) choices: [Choice<'a>; 1],
    pub(crate) usage: Usage,
}

/// The only answer.
#[derive(Debug, Serialize)]
pub(crate) struct Choice<'a> {
    pub(crate) index: u32,
    pub(crate) message: Said<'a>,
    pub(crate) finish_reason: &'static str,
    pub(crate) logprobs: (),
}

/// What the agent says.
#[derive(Debug, Serialize)]
pub(crate) struct Said<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) reasoning_content: &'a str,
    #[serde(skip_serializing_if = "<[Called]>::is_empty")]
    pub(crate) tool_calls: &'a [Called],
    pub(crate) refusal: (),
}

/// A piece of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Chunk<'a> {
    pub(crate) id: &'a str,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) model: &'a str,
    pub(crate) choices: Vec<Piece<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
}

/// A piece of the only answer.
#[derive(Debug, Serialize)]
pub(crate) struct Piece<'a> {
    pub(crate) index: u32,
    pub(crate) delta: Delta<'a>,
    pub(crate) finish_reason: Option<&'static str>,
}

/// What is new.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_calls: Option<[CalledPiece<'a>; 1]>,
}

/// A call in a piece of an answer, whole.
#[derive(Debug, Serialize)]
pub(crate) struct CalledPiece<'a> {
    pub(crate) index: usize,
    #[serde(flatten)]
    pub(crate) called: &'a Called,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: Cached,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Cached {
    cached_tokens: u64,
}

impl From<domain::model::Usage> for Usage {
    fn from(usage: domain::model::Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            total_tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            prompt_tokens_details: Cached {
                cached_tokens: usage.cached_tokens,
            },
        }
    }
}

/// An agent as a model.
#[derive(Debug, Serialize)]
pub(crate) struct Model {
    pub(crate) id: String,
    pub(crate) object: &'static str,
    pub(crate) created: i64,
    pub(crate) owned_by: &'static str,
}

/// All of them.
#[derive(Debug, Serialize)]
pub(crate) struct Models {
    pub(crate) object: &'static str,
    pub(crate) data: Vec<Model>,
}

/// `POST /v1/embeddings`.
#[derive(Debug, Deserialize)]
pub(crate) struct EmbeddingsRequest {
    pub(crate) model: String,
    pub(crate) input: Texts,
    pub(crate) encoding_format: Option<String>,
    pub(crate) dimensions: Option<u32>,
}

/// What vectors are wanted of.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Texts {
    /// A text.
    One(String),
    /// Several.
    Several(Vec<String>),
    /// Anything else, such as the numbers of tokens.
    Other(IgnoredAny),
}

/// The vectors, in the order of the texts.
#[derive(Debug, Serialize)]
pub(crate) struct Vectors {
    pub(crate) object: &'static str,
    pub(crate) data: Vec<Vector>,
    /// The model that made them: vectors of others are not to be compared with them.
    pub(crate) model: String,
    pub(crate) usage: VectorsUsage,
}

/// One of them.
#[derive(Debug, Serialize)]
pub(crate) struct Vector {
    pub(crate) object: &'static str,
    pub(crate) index: usize,
    pub(crate) embedding: Embedded,
}

/// Its numbers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Embedded {
    /// Each.
    Numbers(Vec<f32>),
    /// Their bytes in Base64.
    Packed(String),
}

/// What they cost.
#[derive(Debug, Serialize)]
pub(crate) struct VectorsUsage {
    pub(crate) prompt_tokens: u64,
    pub(crate) total_tokens: u64,
}
