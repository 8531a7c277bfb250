//! What one request needs, and the two things done for it: asking a model and calling a tool.

use crate::config::{Bridge, Clock};
use crate::emitter::{Durability, Emitter, Scope};
use api::CallContext;
use api::audit::{self, Audit};
use api::broker::{Broker, CallRequest, ToolEvent, ToolResult};
use api::models::{self, ChatChunk, ChatRequest, Models, ToolChoice};
use domain::decision::{Layer, Verdict};
use domain::event::{CallStatus, EventBody, QueryStatus, ToolCallSummary};
use domain::fault::{Coded, Fault};
use domain::hash::Digest;
use domain::id::{AgentId, CallId, PlanId, QueryId, SessionId};
use domain::lineage::Lineage;
use domain::message::{Message, Thinking, ToolCall};
use domain::model::{FinishReason, ModelChoice, ModelRef, Think, Usage};
use domain::settings::{Mode, SessionProfile};
use domain::tool::{EffectClass, ToolDefinition};
use futures::StreamExt;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// Everything one request needs. Both [`crate::loop_mode`] and [`crate::pipeline`] work on it.
pub struct Work {
    /// The session.
    pub session_id: SessionId,
    /// The request.
    pub query_id: QueryId,
    /// The agent that works on it.
    pub agent_id: AgentId,
    /// Its lineage as the broker gave it, root first; for audit records only.
    pub lineage: Lineage,
    /// The user's words.
    pub text: String,
    /// How to work on it.
    pub mode: Mode,
    /// What the session is opened with now.
    pub profile: SessionProfile,
    /// Who calls, for the broker and the models.
    pub context: CallContext,
    /// The model to ask: the session's, else the agent type's role.
    pub model: ModelChoice,
    /// Context size to ask for, tokens.
    pub context_tokens: u32,
    /// Most model calls with tools in one turn.
    pub tool_iterations: u32,
    /// The external planner, if one is configured.
    pub bridge: Option<Bridge>,
    /// What each known tool does to the world. A tool that is not here may do anything.
    pub effects: Arc<BTreeMap<String, EffectClass>>,
    /// The model gateway.
    pub models: Arc<dyn Models>,
    /// The guard.
    pub broker: Arc<dyn Broker>,
    /// Where model calls are recorded.
    pub audit: Arc<dyn Audit>,
    /// The time.
    pub clock: Clock,
    /// Fires when the user interrupts, the session closes or its log cannot be written.
    pub cancel: CancellationToken,
    pub(crate) events: Emitter,
    pub(crate) log_failure: OnceLock<Fault>,
}

/// How a request ended. The caller of `run` turns it into the closing events.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: QueryStatus,
    /// The answer; may be empty.
    pub answer: String,
    /// All thinking.
    pub thinking: String,
    /// Every tool call, in the order they ended.
    pub tool_calls: Vec<ToolCallSummary>,
    /// Files made or changed, absolute, each once.
    pub artifacts: Vec<String>,
    /// The whole cost.
    pub usage: Usage,
    /// The model that answered last, if any did.
    pub model: Option<ModelRef>,
    /// What went wrong, when something did. The caller of `run` emits the `Error` event for it.
    pub error: Option<Fault>,
}

impl Outcome {
    /// An outcome with nothing but a status.
    #[must_use]
    pub fn of(status: QueryStatus) -> Self {
        Self {
            status,
            answer: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            artifacts: Vec::new(),
            usage: Usage::default(),
            model: None,
            error: None,
        }
    }

    /// A failure.
    #[must_use]
    pub fn failed(error: Fault) -> Self {
        Self {
            error: Some(error),
            ..Self::of(QueryStatus::Failed)
        }
    }

    /// Takes a finished call into account.
    pub fn note_call(&mut self, record: &CallRecord) {
        self.tool_calls.push(record.summary.clone());
        for artifact in &record.result.artifacts {
            if !self.artifacts.contains(artifact) {
                self.artifacts.push(artifact.clone());
            }
        }
    }

    /// Takes a model's reply into account: cost, thinking, model. Not its text.
    pub fn note_reply(&mut self, reply: &Reply) {
        self.usage = self.usage.plus(reply.usage);
        if let Some(thinking) = &reply.thinking {
            if !self.thinking.is_empty() {
                self.thinking.push_str("\n\n");
            }
            self.thinking.push_str(&thinking.text);
        }
        if reply.model.is_some() {
            self.model.clone_from(&reply.model);
        }
    }
}

/// What one tool call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// For the request's log.
    pub summary: ToolCallSummary,
    /// For the model and for programs.
    pub result: ToolResult,
}

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
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// [`Work::cancel`] fired.
    #[error("the request was interrupted")]
    Interrupted,
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
    /// Appends an event of this request to the session log, then shows it. When the log cannot be
    /// written nothing is shown and [`Work::cancel`] fires: what is not in the log must not happen.
    pub async fn emit(&self, body: EventBody, call_id: Option<CallId>) {
        self.emit_with(body, call_id, Durability::Written).await;
    }

    pub(crate) async fn emit_with(
        &self,
        body: EventBody,
        call_id: Option<CallId>,
        durability: Durability,
    ) {
        let scope = Scope {
            query_id: Some(self.query_id),
            agent_id: Some(self.agent_id),
            call_id,
        };
        if let Err(error) = self.events.emit(scope, body, durability).await {
            tracing::error!(session = %self.session_id, %error, "an event could not be logged");
            let _ = self.log_failure.set(error.fault());
            self.cancel.cancel();
        }
    }

    /// The conversation so far, oldest first, without standing text: earlier requests with their
    /// answers as far as they still fit, and this request.
    #[must_use]
    pub fn conversation(&self) -> Vec<Message> {
        self.events.history().window.conversation()
    }

    /// What is wrong with the session log; `None` when nothing is.
    #[must_use]
    pub fn log_failure(&self) -> Option<Fault> {
        self.log_failure.get().cloned()
    }

    /// Runs one call through the broker and emits everything that happens, from `ToolRequested` to
    /// `ToolResult`. It never fails: a refused, failed, broken or interrupted call is a record too.
    pub async fn call_tool(
        &self,
        call: ToolCall,
        recovered: bool,
        plan_id: Option<PlanId>,
    ) -> CallRecord {
        let id = Some(call.call_id);
        let requested = EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        };
        self.emit(requested, id).await;
        let mut judged = (Verdict::Deny, Layer::Integrity);
        let result = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            result = self.execute(&call, plan_id, &mut judged) => Some(result),
        };
        let result = result.unwrap_or_else(|| {
            nothing_ran(
                CallStatus::Cancelled,
                "The user interrupted this call. Whether it took effect is not known.".to_owned(),
            )
        });
        self.emit_result(&call, &result).await;
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                tool: call.name,
                args: call.arguments,
                decision: judged.0,
                layer: judged.1,
                status: result.status,
                duration_ms: result.duration_ms,
            },
            result,
        }
    }

    /// Answers a call without asking the broker to run it.
    pub(crate) async fn refuse_call(
        &self,
        call: ToolCall,
        recovered: bool,
        why: &str,
    ) -> CallRecord {
        let requested = EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        };
        self.emit(requested, Some(call.call_id)).await;
        let result = nothing_ran(CallStatus::Denied, why.to_owned());
        self.emit_result(&call, &result).await;
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                tool: call.name,
                args: call.arguments,
                decision: Verdict::Deny,
                layer: Layer::Limits,
                status: CallStatus::Denied,
                duration_ms: 0,
            },
            result,
        }
    }

    /// What an unknown tool did is as important as what a writing one did.
    async fn emit_result(&self, call: &ToolCall, result: &ToolResult) {
        let durability = match self.effects.get(&call.name) {
            Some(EffectClass::Read) => Durability::Written,
            _ => Durability::Synchronised,
        };
        let finished = EventBody::ToolResult {
            tool: call.name.clone(),
            status: result.status,
            value_id: result.value_id,
            label: result.label.clone(),
            text: result.text.clone(),
            truncated: result.truncated,
            duration_ms: result.duration_ms,
            artifacts: result.artifacts.clone(),
        };
        self.emit_with(finished, Some(call.call_id), durability)
            .await;
    }

    async fn execute(
        &self,
        call: &ToolCall,
        plan_id: Option<PlanId>,
        judged: &mut (Verdict, Layer),
    ) -> ToolResult {
        let id = Some(call.call_id);
        let request = CallRequest {
            context: self.context.clone(),
            call_id: call.call_id,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            plan_id,
        };
        let mut stream = match self.broker.execute(request).await {
            Ok(stream) => stream,
            Err(error) => return self.broker_failed(&error, id).await,
        };
        while let Some(next) = stream.next().await {
            let body = match next {
                Ok(ToolEvent::Decided(decision)) => {
                    *judged = (decision.verdict, decision.layer);
                    EventBody::BrokerDecision {
                        verdict: decision.verdict,
                        layer: decision.layer,
                        rule: decision.rule,
                        reason: decision.user_reason,
                    }
                }
                Ok(ToolEvent::ConfirmationAsked(request)) => EventBody::ConfirmationAsked(request),
                Ok(ToolEvent::ConfirmationAnswered {
                    confirmation_id,
                    answer,
                    by,
                }) => EventBody::ConfirmationAnswered {
                    confirmation_id,
                    answer,
                    by,
                },
                Ok(ToolEvent::Started) => continue,
                Ok(ToolEvent::Progress { message, percent }) => {
                    EventBody::ToolProgress { message, percent }
                }
                Ok(ToolEvent::Finished(result)) => return result,
                Err(error) => return self.broker_failed(&error, id).await,
            };
            self.emit(body, id).await;
        }
        nothing_ran(
            CallStatus::Failed,
            "The call ended without a result. Whether it took effect is not known.".to_owned(),
        )
    }

    async fn broker_failed(&self, error: &api::broker::Error, id: Option<CallId>) -> ToolResult {
        let fault = error.fault();
        let text = format!("The call could not be run: {}", fault.message);
        self.emit(EventBody::Error(fault), id).await;
        nothing_ran(CallStatus::Failed, text)
    }

    /// Asks a model once: streams its reply as events, ends with `ModelAnswered` (also for what
    /// came before an error), records the call.
    ///
    /// # Errors
    /// [`AskError`]. No `Error` event is emitted for it: whether it ends the request is for the
    /// caller to decide.
    pub async fn ask_model(&self, ask: Ask) -> Result<Reply, AskError> {
        let prompt_hash = hash_of(&ask.messages);
        let withheld = ask.tool_choice == ToolChoice::None;
        let visibility = ask.visibility;
        let mut partial = Partial::default();
        let ended = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(AskError::Interrupted),
            ended = self.stream_reply(self.chat_request(ask), visibility, &mut partial) => ended,
        };
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
        })
    }

    fn chat_request(&self, ask: Ask) -> ChatRequest {
        ChatRequest {
            context: Some(self.context.clone()),
            model: self.model.clone(),
            stable_messages: ask.messages.len(),
            messages: ask.messages,
            tools: ask.tools,
            tool_choice: ask.tool_choice,
            think: ask.think,
            context_tokens: Some(self.context_tokens),
            max_tokens: ask.max_tokens,
            temperature: ask.temperature,
            seed: None,
            response_schema: ask.response_schema,
            deadline: None,
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

/// A result for a call of which nothing is known but how it ended.
#[must_use]
pub fn nothing_ran(status: CallStatus, text: String) -> ToolResult {
    ToolResult {
        status,
        value_id: None,
        label: None,
        text,
        data: Value::Null,
        truncated: false,
        duration_ms: 0,
        artifacts: Vec::new(),
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
