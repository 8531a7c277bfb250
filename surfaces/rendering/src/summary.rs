//! `carl run --json`: one request as one object.

use domain::event::{
    CallStatus, ConfirmationAnswer, Event, EventBody, QueryStatus, ToolCallSummary,
};
use domain::fault::Fault;
use domain::id::{AgentId, CallId, QueryId, SessionId};
use domain::model::{FinishReason, ModelRef, Usage};
use domain::settings::Mode;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What one request came to. The printed form is a promise to scripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The session; null when none could be opened.
    pub session_id: Option<SessionId>,
    /// The request.
    pub query_id: Option<QueryId>,
    /// How it was worked on: `adaptive` stands for none, since it is one of the others. Null for a
    /// request that could not begin.
    pub mode: Option<Mode>,
    /// How it ended.
    pub status: QueryStatus,
    /// The answer; of one that broke off, what there was of it.
    pub answer: String,
    /// All thinking.
    pub thinking: String,
    /// Every tool call.
    pub tool_calls: Vec<Called>,
    /// Files made or changed.
    pub artifacts: Vec<String>,
    /// What the models cost.
    pub usage: Usage,
    /// The model; of an answer that broke off, the one that began it. Null when none answered.
    pub model: Option<ModelRef>,
    /// Time from receipt to end, milliseconds.
    pub duration_ms: u64,
    /// What went wrong; null when nothing did.
    pub error: Option<Fault>,
    /// What else the user should know, such as that a server cut the prompt.
    pub notices: Vec<Fault>,
    /// Each time that the view of the conversation was made smaller to fit the model's context.
    pub compactions: Vec<Compaction>,
    /// Calls without a decision yet.
    #[serde(skip)]
    requested: BTreeMap<CallId, (String, Value)>,
    /// The rule and reason of the last decision about each call.
    #[serde(skip)]
    decided: BTreeMap<CallId, (String, String)>,
    /// Calls to which somebody who was asked said no, or nobody answered.
    #[serde(skip)]
    declined: BTreeMap<CallId, String>,
    /// The agents that the request's own agent started.
    #[serde(skip)]
    children: BTreeSet<AgentId>,
    /// What a model had said when its reply broke off.
    #[serde(skip)]
    broken_off: String,
    /// The model that began to answer last.
    #[serde(skip)]
    began: Option<ModelRef>,
}

/// The view of a conversation, made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// Tokens before, estimated.
    before_tokens: u64,
    /// Tokens after, estimated.
    after_tokens: u64,
}

/// One tool call, with why it might run or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Called {
    /// The call.
    #[serde(flatten)]
    call: ToolCallSummary,
    /// The rule of the layer that decided; null for a call that came to no decision.
    rule: Option<String>,
    /// What the rule says of it, for the user.
    reason: Option<String>,
}

impl RunSummary {
    /// A request that has not begun.
    #[must_use]
    pub fn new(session_id: Option<SessionId>) -> Self {
        Self {
            session_id,
            query_id: None,
            mode: None,
            status: QueryStatus::Failed,
            answer: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            artifacts: Vec::new(),
            usage: Usage::default(),
            model: None,
            duration_ms: 0,
            error: None,
            notices: Vec::new(),
            compactions: Vec::new(),
            requested: BTreeMap::new(),
            decided: BTreeMap::new(),
            declined: BTreeMap::new(),
            children: BTreeSet::new(),
            broken_off: String::new(),
            began: None,
        }
    }

    /// A request that could not begin.
    #[must_use]
    pub fn failed(fault: Fault) -> Self {
        Self {
            error: Some(fault),
            ..Self::new(None)
        }
    }

    /// It ends with a failure on the way. What there is of an answer, who began it and what it cost so
    /// far stay.
    pub fn broke_off(&mut self, fault: Fault, duration_ms: u64) {
        self.error = Some(fault);
        self.duration_ms = duration_ms;
        self.take_what_broke_off();
    }

    /// Where no whole answer came: the model that began it, and what there was of it.
    fn take_what_broke_off(&mut self) {
        self.model = self.model.take().or(self.began.take());
        if self.answer.is_empty() {
            self.answer = std::mem::take(&mut self.broken_off);
        }
    }

    /// Takes in one event.
    pub fn add(&mut self, event: &Event) {
        self.query_id = self.query_id.or(event.query_id);
        self.note_call(event);
        match &event.body {
            EventBody::QueryReceived { mode, .. } => self.mode = Some(mode.worked_on_as()),
            EventBody::GenerationFinished {
                answer,
                thinking,
                tool_calls,
                usage,
                model,
                label: _,
            } => {
                self.answer.clone_from(answer);
                self.thinking.clone_from(thinking);
                self.tool_calls = tool_calls.iter().map(|call| self.called(call)).collect();
                self.usage = *usage;
                self.model.clone_from(model);
            }
            EventBody::QueryFinished {
                status,
                artifacts,
                duration_ms,
                error,
            } => {
                self.status = *status;
                self.artifacts.clone_from(artifacts);
                self.duration_ms = *duration_ms;
                self.error = error.clone().or_else(|| self.refused());
                self.take_what_broke_off();
            }
            EventBody::ModeChosen { mode, .. } => self.mode = Some(*mode),
            EventBody::Notice(fault) => self.notices.push(fault.clone()),
            EventBody::ContextCompacted {
                before_tokens,
                after_tokens,
                ..
            } => self.compactions.push(Compaction {
                before_tokens: *before_tokens,
                after_tokens: *after_tokens,
            }),
            EventBody::AgentSpawned { child, .. } => {
                self.children.insert(*child);
            }
            EventBody::ModelChosen { model, .. } if self.is_own(event) => {
                self.began = Some(model.clone());
                self.broken_off.clear();
            }
            EventBody::TextDelta { text } if self.is_own(event) => self.broken_off.push_str(text),
            EventBody::ModelAnswered {
                text,
                finish,
                aside,
                usage,
                ..
            } => {
                let is_own = self.is_own(event);
                let cost = if is_own { *usage } else { Usage::default() };
                self.usage = self.usage.plus(cost);
                let is_broken = *finish == FinishReason::Cancelled && !aside && is_own;
                self.broken_off = if is_broken {
                    text.clone()
                } else {
                    String::new()
                };
            }
            _ => {}
        }
    }

    /// Whether an event is of the request's own agent, and of none that it started.
    fn is_own(&self, event: &Event) -> bool {
        event.agent_id.is_none_or(|id| !self.children.contains(&id))
    }

    /// What was refused last, where the request ended for that. On a terminal it stands where it was
    /// refused; a program reads the end alone.
    fn refused(&self) -> Option<Fault> {
        if self.status != QueryStatus::Denied {
            return None;
        }
        let mut calls = self.tool_calls.iter().rev();
        let last = calls.find(|called| called.call.status == CallStatus::Denied)?;
        let declined = self.declined.get(&last.call.call_id);
        let why = declined.or(last.reason.as_ref());
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let hint = match declined {
            Some(_) => "Ask in other words, or say yes.",
            None => {
                "Allow what the message names, or ask in other words. `tool_calls` has the `reason` of \
                 each call."
            }
        };
        Some(Fault {
            code: "agents.refused".to_owned(),
            message: format!("`{}` was refused{why}", last.call.tool),
            hint: hint.to_owned(),
        })
    }

    fn called(&self, call: &ToolCallSummary) -> Called {
        let decided = self.decided.get(&call.call_id);
        let (rule, reason) = decided.cloned().unzip();
        Called {
            call: call.clone(),
            rule,
            reason,
        }
    }

    /// What is known of the calls before the request's end tells them all. One without a result yet
    /// counts as cancelled: whether it took effect is not known.
    fn note_call(&mut self, event: &Event) {
        let Some(call_id) = event.call_id else {
            return;
        };
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => {
                let call = (tool.clone(), arguments.clone());
                self.requested.insert(call_id, call);
            }
            EventBody::BrokerDecision {
                verdict,
                layer,
                rule,
                reason,
            } => {
                self.decided.insert(call_id, (rule.clone(), reason.clone()));
                if let Some((tool, args)) = self.requested.remove(&call_id) {
                    let call = ToolCallSummary {
                        call_id,
                        tool,
                        args,
                        decision: *verdict,
                        layer: *layer,
                        status: CallStatus::Cancelled,
                        duration_ms: 0,
                        exit_code: None,
                    };
                    self.tool_calls.push(self.called(&call));
                }
            }
            EventBody::ConfirmationAnswered {
                answer: ConfirmationAnswer::Deny { message },
                by,
                ..
            } => {
                self.declined.insert(call_id, no_of(by, message));
            }
            EventBody::ToolResult {
                status,
                duration_ms,
                ..
            } => {
                let mut calls = self.tool_calls.iter_mut();
                if let Some(called) = calls.find(|called| called.call.call_id == call_id) {
                    (called.call.status, called.call.duration_ms) = (*status, *duration_ms);
                }
            }
            _ => {}
        }
    }
}

/// A no to a question, by who said it.
fn no_of(by: &str, message: &str) -> String {
    let who = match by {
        "user" => "you said no",
        "timeout" => "nobody answered in time",
        other => other,
    };
    match message {
        "" => who.to_owned(),
        message => format!("{who}: {message}"),
    }
}
