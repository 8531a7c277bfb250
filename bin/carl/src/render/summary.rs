//! `carl run --json`: one request as one object.

use domain::event::{Event, EventBody, QueryStatus, ToolCallSummary};
use domain::fault::Fault;
use domain::id::{QueryId, SessionId};
use domain::model::{ModelRef, Usage};
use serde::Serialize;

/// What one request came to. The printed form is a promise to scripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The session; null when none could be opened.
    pub session_id: Option<SessionId>,
    /// The request.
    pub query_id: Option<QueryId>,
    /// How it ended.
    pub status: QueryStatus,
    /// The answer.
    pub answer: String,
    /// All thinking.
    pub thinking: String,
    /// Every tool call.
    pub tool_calls: Vec<ToolCallSummary>,
    /// Files made or changed.
    pub artifacts: Vec<String>,
    /// What the models cost.
    pub usage: Usage,
    /// The model; null when none was used.
    pub model: Option<ModelRef>,
    /// Time from receipt to end, milliseconds.
    pub duration_ms: u64,
    /// What went wrong; null when nothing did.
    pub error: Option<Fault>,
}

impl RunSummary {
    /// A request that has not begun.
    #[must_use]
    pub fn new(session_id: Option<SessionId>) -> Self {
        Self {
            session_id,
            query_id: None,
            status: QueryStatus::Failed,
            answer: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            artifacts: Vec::new(),
            usage: Usage::default(),
            model: None,
            duration_ms: 0,
            error: None,
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

    /// Takes in one event.
    pub fn add(&mut self, event: &Event) {
        self.query_id = self.query_id.or(event.query_id);
        match &event.body {
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
                self.tool_calls.clone_from(tool_calls);
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
                self.error.clone_from(error);
            }
            _ => {}
        }
    }
}
