//! Asking a model once: its reply streams out as events and comes back whole.

use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use api::audit;
use api::models::{self, ChatChunk, ChatRequest, THINKING_NOT_TAKEN_CODE, ToolChoice};
use domain::event::{CallStatus, EventBody};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::message::{Message, Thinking, ToolCall};
use domain::model::{FinishReason, ModelRef, Priority, Think, Usage};
use futures::StreamExt;
use serde_json::Value;
use turn::{BrokenCall, Reply};

/// What stands for arguments that nest too deeply.
const TOO_DEEP: &str = "(arguments that nest too deeply)";

/// A reply as far as it has come.
#[derive(Default)]
pub(crate) struct Partial {
    model: Option<ModelRef>,
    text: String,
    thinking: String,
    block: Option<Thinking>,
    calls: Vec<(ToolCall, bool)>,
    broken_call: Option<BrokenCall>,
    usage: Usage,
    finish: Option<FinishReason>,
}

impl Partial {
    /// Takes in a call, once.
    fn add_call(&mut self, mut call: ToolCall, recovered: bool) {
        if !call.is_shallow() {
            // A log line that holds them could not be read again.
            call.arguments = Value::from(TOO_DEEP);
        }
        let mut known = self.calls.iter().map(|(known, _)| known.call_id);
        if !known.any(|id| id == call.call_id) {
            self.calls.push((call, recovered));
        }
    }

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

    /// Whether a model began to answer.
    pub(crate) const fn has_begun(&self) -> bool {
        self.model.is_some()
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
    pub(crate) async fn ask_model(&self, ask: Ask) -> Result<Reply, AskError> {
        let left = self.agent.resources.budget.left();
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
            ended = self.stream_routed(request, visibility, &mut partial) => ended,
        };
        self.agent.resources.budget.spend(partial.usage);
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
            broken_call: partial.broken_call,
            usage: partial.usage,
            finish: partial.finish.unwrap_or(FinishReason::Stop),
            model: partial.model,
            max_tokens,
        })
    }

    fn chat_request(&self, ask: Ask) -> ChatRequest {
        ChatRequest {
            context: Some(self.agent.caller.clone()),
            model: self.agent.model.clone(),
            priority: match self.agent.lineage.len() {
                0 | 1 => Priority::User,
                _ => Priority::Agent,
            },
            stable_messages: ask.messages.len(),
            messages: ask.messages,
            tools: ask.tools,
            tool_choice: ask.tool_choice,
            think: match ask.think {
                Think::Default => self.request.profile.think,
                own => own,
            },
            context_tokens: Some(self.agent.context_tokens),
            max_tokens: within(ask.max_tokens, self.agent.resources.budget.left()),
            temperature: ask.temperature,
            seed: None,
            response_schema: ask.response_schema,
            deadline: ask.deadline,
            narrowed: ask.narrowed,
        }
    }

    pub(crate) async fn stream_reply(
        &self,
        request: ChatRequest,
        visibility: Visibility,
        partial: &mut Partial,
    ) -> Result<(), AskError> {
        let is_of_session = request.think == self.request.profile.think;
        let mut stream = self.services.models.chat(request).await?;
        while let Some(chunk) = stream.next().await {
            let shown = visibility == Visibility::Shown;
            let body = match chunk? {
                ChatChunk::Started { model, reason } => {
                    partial.model = Some(model.clone());
                    let routed = self.agent.route.as_ref();
                    let routed = routed.and_then(|routed| routed.reason_for(&model));
                    Some(EventBody::ModelChosen {
                        reason: routed.map_or(reason, str::to_owned),
                        model,
                        context_tokens: self.agent.context_tokens,
                    })
                }
                ChatChunk::PromptRead(progress) => Some(EventBody::PromptRead(progress)),
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
                    partial.add_call(call, recovered);
                    None
                }
                ChatChunk::Usage(usage) => {
                    partial.usage = usage;
                    None
                }
                ChatChunk::Notice(fault) => {
                    partial.broken_call = BrokenCall::told_by(&fault.code).or(partial.broken_call);
                    let is_told = self.is_told(&fault, is_of_session);
                    is_told.then_some(EventBody::Notice(fault))
                }
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

    /// Whether the user is to read a notice: that a level of thinking is not taken is told once in a
    /// session, of its own level alone.
    fn is_told(&self, notice: &Fault, is_of_session: bool) -> bool {
        let has_read = || {
            let history = self.services.events.history();
            history.levels_told.contains(&notice.message)
        };
        notice.code != THINKING_NOT_TAKEN_CODE || (is_of_session && !has_read())
    }

    async fn record(
        &self,
        partial: &Partial,
        prompt_hash: Digest,
        complete: bool,
    ) -> Result<(), audit::Error> {
        let mut entry = audit::Entry::new((self.services.clock)(), audit::Action::ModelCall);
        entry.session_id = Some(self.request.session_id);
        entry.agent_id = Some(self.agent.id);
        entry.agent_type = self
            .agent
            .lineage
            .last()
            .map(|agent| agent.agent_type.clone());
        entry.lineage.clone_from(&self.agent.lineage);
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
        self.services
            .audit
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
