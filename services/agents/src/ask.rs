//! Asking a model once: its reply streams out as events and comes back whole.

use crate::work::Work;
use api::audit;
use api::models::{self, ChatChunk, ChatRequest, ToolChoice};
use domain::event::{CallStatus, EventBody};
use domain::fault::{Coded, Fault};
use domain::hash::Digest;
use domain::message::{Message, Thinking, ToolCall};
use domain::model::{FinishReason, ModelRef, Priority, Think, Usage};
use domain::tool::ToolDefinition;
use futures::StreamExt;
use serde_json::Value;
use std::collections::BTreeSet;

/// Whether people see a model's text as it comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// It is (part of) the answer.
    #[default]
    Shown,
    /// It is for a program, such as a plan: no text events, only thinking, notices and the model's
    /// name.
    Hidden,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolDefinition>,
    /// Whether they may be used. With [`ToolChoice::None`], calls in the reply are dropped.
    pub tool_choice: ToolChoice,
    /// The answer must fit this JSON Schema.
    pub response_schema: Option<Value>,
    /// How much to think.
    pub think: Think,
    /// Most tokens to generate; `None`: the provider's default.
    pub max_tokens: Option<u32>,
    /// 0 is greedy; `None`: the provider's default.
    pub temperature: Option<f32>,
    /// Whether people see the text.
    pub visibility: Visibility,
    /// Longest the whole call may take; `None`: [`domain::limits::MODEL_CALL`].
    pub deadline: Option<std::time::Duration>,
}

impl Ask {
    /// A question with nothing but messages.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            tools: Vec::new(),
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

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// [`Work::cancel`] fired.
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
    pub fn fault(&self) -> Fault {
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
    pub fn is_overflow(&self) -> bool {
        matches!(self, Self::Model(error) if error.kind == models::ErrorKind::ContextOverflow)
    }
}

/// A reply as far as it has come.
#[derive(Default)]
struct Partial {
    model: Option<ModelRef>,
    text: String,
    thinking: String,
    block: Option<Thinking>,
    calls: Vec<(ToolCall, bool)>,
    usage: Usage,
    finish: Option<FinishReason>,
}

impl Partial {
    fn thinking(&self) -> Option<Thinking> {
        match &self.block {
            Some(block) => Some(block.clone()),
            None if self.thinking.is_empty() => None,
            None => Some(Thinking {
                text: self.thinking.clone(),
                signature: None,
            }),
        }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thinking.is_empty() && self.block.is_none()
    }
}

impl Work {
    /// Asks a model once: streams its reply as events, ends with `ModelAnswered` (also for what
    /// came before an error), records the call.
    ///
    /// # Errors
    /// [`AskError`]. No `Error` event is emitted for it: whether it ends the request is for the
    /// caller to decide.
    pub async fn ask_model(&self, ask: Ask) -> Result<Reply, AskError> {
        let left = self.means.purse.left();
        if left == Some(0) {
            return Err(AskError::OverBudget);
        }
        let prompt_hash = hash_of(&ask.messages);
        let withheld = ask.tool_choice == ToolChoice::None;
        let visibility = ask.visibility;
        let request = self.chat_request(ask);
        let max_tokens = request.max_tokens;
        let mut partial = Partial::default();
        let ended = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(AskError::Interrupted),
            ended = self.stream_reply(request, visibility, &mut partial) => ended,
        };
        self.means.purse.spend(partial.usage);
        if withheld && !partial.calls.is_empty() {
            partial.calls.clear();
            self.emit(EventBody::Notice(tools_were_off()), None).await;
        }
        if ended.is_err() {
            // Calls of a broken reply are not run, so the conversation must not hold them.
            partial.calls.clear();
        }
        if ended.is_ok() || !partial.is_empty() {
            let answered = EventBody::ModelAnswered {
                text: partial.text.clone(),
                thinking: partial.thinking(),
                tool_calls: partial.calls.iter().map(|(call, _)| call.clone()).collect(),
                usage: partial.usage,
                finish: partial.finish.unwrap_or(FinishReason::Cancelled),
                aside: visibility == Visibility::Hidden,
            };
            self.emit(answered, None).await;
        }
        let recorded = self.record(&partial, prompt_hash, ended.is_ok()).await;
        ended?;
        recorded?;
        Ok(Reply {
            thinking: partial.thinking(),
            text: partial.text,
            tool_calls: partial.calls,
            usage: partial.usage,
            finish: partial.finish.unwrap_or(FinishReason::Stop),
            model: partial.model,
            max_tokens,
        })
    }

    fn chat_request(&self, ask: Ask) -> ChatRequest {
        ChatRequest {
            context: Some(self.context.clone()),
            model: self.model.clone(),
            priority: match self.lineage.len() {
                0 | 1 => Priority::User,
                _ => Priority::Agent,
            },
            stable_messages: ask.messages.len(),
            messages: ask.messages,
            tools: ask.tools,
            tool_choice: ask.tool_choice,
            think: ask.think,
            context_tokens: Some(self.context_tokens),
            max_tokens: within(ask.max_tokens, self.means.purse.left()),
            temperature: ask.temperature,
            seed: None,
            response_schema: ask.response_schema,
            deadline: ask.deadline,
        }
    }

    async fn stream_reply(
        &self,
        request: ChatRequest,
        visibility: Visibility,
        partial: &mut Partial,
    ) -> Result<(), AskError> {
        let mut stream = self.models.chat(request).await?;
        let mut seen = BTreeSet::new();
        while let Some(chunk) = stream.next().await {
            let shown = visibility == Visibility::Shown;
            let body = match chunk? {
                ChatChunk::Started { model, reason } => {
                    partial.model = Some(model.clone());
                    Some(EventBody::ModelChosen { model, reason })
                }
                ChatChunk::Text(text) => {
                    partial.text.push_str(&text);
                    shown.then_some(EventBody::TextDelta { text })
                }
                ChatChunk::TextReplaced(text) => {
                    partial.text.clone_from(&text);
                    shown.then_some(EventBody::TextReplaced { text })
                }
                ChatChunk::Thinking(text) => {
                    partial.thinking.push_str(&text);
                    Some(EventBody::ThinkingDelta { text })
                }
                ChatChunk::ThinkingBlock(block) => {
                    partial.block = Some(block);
                    None
                }
                ChatChunk::ToolCallDelta { .. } => None,
                ChatChunk::ToolCall { call, recovered } => {
                    if seen.insert(call.call_id) {
                        partial.calls.push((call, recovered));
                    }
                    None
                }
                ChatChunk::Usage(usage) => {
                    partial.usage = usage;
                    None
                }
                ChatChunk::Notice(fault) => Some(EventBody::Notice(fault)),
                ChatChunk::Finished(finish) => {
                    partial.finish = Some(finish);
                    return Ok(());
                }
            };
            if let Some(body) = body {
                self.emit(body, None).await;
            }
        }
        Err(AskError::Model(models::Error::new(
            models::ErrorKind::Interrupted,
            "The model's answer broke off.",
        )))
    }

    async fn record(
        &self,
        partial: &Partial,
        prompt_hash: Digest,
        complete: bool,
    ) -> Result<(), audit::Error> {
        let mut entry = audit::Entry::new((self.clock)(), audit::Action::ModelCall);
        entry.session_id = Some(self.session_id);
        entry.agent_id = Some(self.agent_id);
        entry.agent_type = self.lineage.last().map(|agent| agent.agent_type.clone());
        entry.lineage.clone_from(&self.lineage);
        entry.status = Some(if complete {
            CallStatus::Ok
        } else if self.cancel.is_cancelled() {
            CallStatus::Cancelled
        } else {
            CallStatus::Failed
        });
        entry.duration_ms = Some(partial.usage.total_ms);
        entry.model_call = partial.model.clone().map(|model| audit::ModelCall {
            model,
            prompt_tokens: partial.usage.prompt_tokens,
            completion_tokens: partial.usage.completion_tokens,
            prompt_hash,
            answer_hash: Digest::of(partial.text.as_bytes()),
        });
        self.audit
            .append(entry, audit::Durability::Grouped)
            .await
            .map(|_| ())
    }
}

/// The most tokens to generate: as asked, and no more than are left.
fn within(asked: Option<u32>, left: Option<u64>) -> Option<u32> {
    let left = left.map(|left| u32::try_from(left).unwrap_or(u32::MAX));
    match (asked, left) {
        (Some(asked), Some(left)) => Some(asked.min(left)),
        (asked, left) => asked.or(left),
    }
}

fn tools_were_off() -> Fault {
    Fault {
        code: "agents.tools_off".to_owned(),
        message: "The model asked for tools when none were on offer; nothing was run.".to_owned(),
        hint: String::new(),
    }
}

fn hash_of(messages: &[Message]) -> Digest {
    // Messages hold strings and JSON values only, which always serialise.
    let bytes = serde_json::to_vec(messages).unwrap_or_default();
    Digest::of(&bytes)
}
