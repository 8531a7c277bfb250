//! What one request needs, and two of the three things done for it: emitting an event and calling
//! a tool. The third, asking a model, is in `ask.rs`.

pub use crate::ask::{Ask, AskError, Reply, Visibility};

use crate::config::{Bridge, Clock};
use crate::desk::Desk;
use crate::log::agent::AgentState;
use crate::log::emitter::{Durability, Emitter, Scope};
use crate::log::record;
use crate::sight;
use crate::subagent::means::Means;
use api::CallContext;
use api::audit::Audit;
use api::broker::{AgentListing, Broker, CallRequest, ToolEvent, ToolResult};
use api::models::{ModelFacts, Models};
use domain::decision::{Layer, Verdict};
use domain::event::{Batch, CallStatus, EventBody, QueryStatus, ToolCallSummary};
use domain::fault::{Coded, Fault};
use domain::id::{AgentId, CallId, PlanId, QueryId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::message::{Message, ToolCall};
use domain::model::{ModelChoice, ModelRef, Usage};
use domain::settings::{Mode, SessionProfile};
use domain::tool::EffectClass;
use futures::StreamExt;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Everything one request needs. Both [`crate::loop_mode`] and [`crate::pipeline`] work on it. A
/// clone is the same request in the same hands.
#[derive(Clone)]
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
    /// What is known of the model.
    pub facts: ModelFacts,
    /// Most model calls with tools in one turn.
    pub tool_iterations: u32,
    /// The external planner, if one is configured.
    pub bridge: Option<Bridge>,
    /// Every agent type there is.
    pub agents: Arc<BTreeMap<AgentType, AgentListing>>,
    /// What each known tool does to the world. A tool that is not here may do anything.
    pub effects: Arc<BTreeMap<String, EffectClass>>,
    /// Whether memories may be recalled for the request, as far as the agent's type and
    /// configuration go.
    pub may_recall: bool,
    /// Longest the request waits for them.
    pub recall_wait: Duration,
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
    pub(crate) desk: Arc<Desk>,
    /// What it may use and has used, among agents.
    pub(crate) means: Means,
    pub(crate) sessions_folder: Arc<Path>,
    pub(crate) log_failure: Arc<OnceLock<Fault>>,
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
    /// Why the broker refused it, for the user. The result says it for the model.
    pub refusal: Option<String>,
}

/// What the broker decided about a call.
struct Judged {
    verdict: Verdict,
    layer: Layer,
    /// For the user.
    reason: String,
}

impl Judged {
    fn refusal(self) -> Option<String> {
        (self.verdict == Verdict::Deny && !self.reason.is_empty()).then_some(self.reason)
    }
}

impl Work {
    /// Appends an event of this request to the session log, then shows it. When the log cannot be
    /// written nothing is shown and [`Work::cancel`] fires: what is not in the log must not happen.
    pub async fn emit(&self, body: EventBody, call_id: Option<CallId>) {
        self.emit_with(body, call_id, Durability::Written).await;
    }

    /// As [`Work::emit`]; the event's number, when it is in the log.
    pub(crate) async fn emit_with(
        &self,
        body: EventBody,
        call_id: Option<CallId>,
        durability: Durability,
    ) -> Option<u64> {
        let scope = Scope {
            query_id: Some(self.query_id),
            agent_id: Some(self.agent_id),
            call_id,
        };
        match self.events.emit(scope, body, durability).await {
            Ok(event) => Some(event.seq),
            Err(error) => {
                tracing::debug!(session = %self.session_id, %error, "an event could not be logged");
                let _ = self.log_failure.set(error.fault());
                self.cancel.cancel();
                None
            }
        }
    }

    /// The conversation so far, oldest first, without standing text: earlier requests with their
    /// answers as far as they still fit, and this request.
    #[must_use]
    pub fn conversation(&self) -> Vec<Message> {
        self.with_state(|state| state.conversation.view.conversation())
    }

    /// Tells the broker, then the log, of what a model is about to be shown that no tool returned.
    ///
    /// # Errors
    /// When the broker does not take it: the model must then not be asked.
    pub(crate) async fn tell_shown(&self, due: Vec<EventBody>) -> Result<(), Fault> {
        for body in due {
            if let EventBody::NotesShown { label, .. } = &body {
                self.note_shown(label.clone()).await?;
            }
            self.emit(body, None).await;
        }
        Ok(())
    }

    /// Joins a label to the agent's at the broker.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub(crate) async fn note_shown(&self, label: Label) -> Result<(), Fault> {
        let noting = self.broker.note_shown(self.context.clone(), label);
        noting.await.map_err(|error| error.fault())
    }

    /// Looks at, or changes, the agent's own conversation. Nothing may be awaited in there.
    pub(crate) fn with_state<T>(&self, look: impl FnOnce(&mut AgentState) -> T) -> T {
        look(self.events.history().agent_mut(Some(self.agent_id)))
    }

    /// Whether the user's requests go to this agent, and no other agent started it.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.lineage.len() <= 1
    }

    /// The session's log.
    pub(crate) fn log_path(&self) -> PathBuf {
        record::path_of(&self.sessions_folder, self.session_id)
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
        self.place_call(call, recovered, (plan_id, None)).await
    }

    /// As [`Work::call_tool`], for a call among others that run one after the other.
    pub(crate) async fn call_in_row(
        &self,
        call: ToolCall,
        recovered: bool,
        batch: Option<Batch>,
    ) -> CallRecord {
        self.place_call(call, recovered, (None, batch)).await
    }

    async fn place_call(
        &self,
        call: ToolCall,
        recovered: bool,
        place: (Option<PlanId>, Option<Batch>),
    ) -> CallRecord {
        let mut request = Some(EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        });
        if place.1.is_none_or(|batch| batch.position == 0) {
            self.announce(&mut request, &call).await;
        }
        let mut judged = Judged {
            verdict: Verdict::Deny,
            layer: Layer::Integrity,
            reason: String::new(),
        };
        let _pass = self.desk.admit(call.call_id, &call.name, self);
        let result = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            result = self.execute((&call, recovered), place, (&mut request, &mut judged)) => Some(result),
        };
        let result = result.unwrap_or_else(|| {
            let text = match request {
                Some(_) => "The user interrupted before this call was run.",
                None => "The user interrupted this call. Whether it took effect is not known.",
            };
            nothing_ran(CallStatus::Cancelled, text.to_owned())
        });
        self.announce(&mut request, &call).await;
        if let Some(shown) = sight::of_call(self, &call.name, &result) {
            self.emit(shown, Some(call.call_id)).await;
        }
        let seq = self.emit_result(&call, &result).await;
        self.means.note(&call, &result, seq);
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                tool: call.name,
                args: call.arguments,
                decision: judged.verdict,
                layer: judged.layer,
                status: result.status,
                duration_ms: result.duration_ms,
            },
            result,
            refusal: judged.refusal(),
        }
    }

    /// Emits what was asked for, once. A call that waits for others is announced when something
    /// happens to it, so that events of different calls are not shuffled without need.
    async fn announce(&self, request: &mut Option<EventBody>, call: &ToolCall) {
        if let Some(request) = request.take() {
            self.emit(request, Some(call.call_id)).await;
        }
    }

    /// Answers a call without asking the broker to run it: `status` is `Denied` where it was
    /// refused, `Failed` where it never was a whole call.
    pub(crate) async fn turn_away(
        &self,
        (call, recovered): (ToolCall, bool),
        status: CallStatus,
        why: &str,
    ) -> CallRecord {
        let requested = EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        };
        self.emit(requested, Some(call.call_id)).await;
        let result = nothing_ran(status, why.to_owned());
        self.emit_result(&call, &result).await;
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                tool: call.name,
                args: call.arguments,
                decision: Verdict::Deny,
                layer: Layer::Limits,
                status,
                duration_ms: 0,
            },
            result,
            refusal: None,
        }
    }

    /// What an unknown tool did is as important as what a writing one did.
    async fn emit_result(&self, call: &ToolCall, result: &ToolResult) -> Option<u64> {
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
            .await
    }

    async fn execute(
        &self,
        (call, recovered): (&ToolCall, bool),
        (plan_id, batch): (Option<PlanId>, Option<Batch>),
        (announcement, judged): (&mut Option<EventBody>, &mut Judged),
    ) -> ToolResult {
        let id = Some(call.call_id);
        let request = CallRequest {
            context: self.context.clone(),
            call_id: call.call_id,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            plan_id,
            batch,
            recovered,
        };
        let mut stream = match self.broker.execute(request).await {
            Ok(stream) => stream,
            Err(error) => return self.broker_failed(&error, id).await,
        };
        let mut first = true;
        while let Some(next) = stream.next().await {
            self.announce(announcement, call).await;
            let body = match next {
                Ok(ToolEvent::Decided(decision)) => {
                    // Of several, the strictest is what the call came to.
                    if first || decision.verdict >= judged.verdict {
                        *judged = Judged {
                            verdict: decision.verdict,
                            layer: decision.layer,
                            reason: decision.user_reason.clone(),
                        };
                        first = false;
                    }
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
