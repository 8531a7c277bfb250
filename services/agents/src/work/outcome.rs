//! What a request and a call came to.

use crate::work::ask::Reply;
use api::broker::ToolResult;
use domain::event::{CallStatus, QueryStatus, ToolCallSummary};
use domain::fault::Fault;
use domain::model::{ModelRef, Usage};
use serde_json::Value;

/// How a request ended. The caller of `run` turns it into the closing events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// How it ended.
    pub(crate) status: QueryStatus,
    /// The answer; may be empty.
    pub(crate) answer: String,
    /// All thinking.
    pub(crate) thinking: String,
    /// Every tool call, in the order they ended.
    pub(crate) tool_calls: Vec<ToolCallSummary>,
    /// Files made or changed, absolute, each once.
    pub(crate) artifacts: Vec<String>,
    /// The whole cost.
    pub(crate) usage: Usage,
    /// The model that answered last, if any did.
    pub(crate) model: Option<ModelRef>,
    /// What went wrong, when something did. The caller of `run` emits the `Error` event for it.
    pub(crate) error: Option<Fault>,
}

impl Outcome {
    /// An outcome with nothing but a status.
    #[must_use]
    pub(crate) fn of(status: QueryStatus) -> Self {
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
    pub(crate) fn failed(error: Fault) -> Self {
        Self {
            error: Some(error),
            ..Self::of(QueryStatus::Failed)
        }
    }

    /// Takes a finished call into account.
    pub(crate) fn note_call(&mut self, record: &CallRecord) {
        self.tool_calls.push(record.summary.clone());
        for artifact in &record.result.artifacts {
            if !self.artifacts.contains(artifact) {
                self.artifacts.push(artifact.clone());
            }
        }
    }

    /// Takes a model's reply into account: cost, thinking, model. Not its text.
    pub(crate) fn note_reply(&mut self, reply: &Reply) {
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
pub(crate) struct CallRecord {
    /// For the request's log.
    pub(crate) summary: ToolCallSummary,
    /// For the model and for programs.
    pub(crate) result: ToolResult,
    /// Whether the user was asked about it and said no.
    pub(crate) declined: bool,
    /// Why the broker refused it, for the user. The result says it for the model.
    pub(crate) refusal: Option<String>,
}

/// Whether a line of a call's text is its fence, which models need.
pub(crate) fn is_fence(line: &str) -> bool {
    let marks = ["[TOOL_RESULT:", "[NOTE ", "[END "];
    marks.iter().any(|mark| line.starts_with(mark)) || line == "[FAILED]"
}

/// A result for a call of which nothing is known but how it ended.
#[must_use]
pub(crate) fn nothing_ran(status: CallStatus, text: String) -> ToolResult {
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
