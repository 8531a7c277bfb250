//! The form of a response and of its events: what each of them names.

use super::wire::ResponsesRequest;
use axum::body::Bytes;
use domain::Timestamp;
use domain::fault::Fault;
use domain::model::Usage;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use uuid::Uuid;

/// What a response names whatever is in it.
pub(super) struct ResponseForm {
    pub(super) id: String,
    number: String,
    created: i64,
    model: String,
    instructions: Option<String>,
    previous: Option<String>,
    tools: Vec<Value>,
}

/// How a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// Cut, for this reason.
    Cut(&'static str),
}

impl Ending {
    /// Of the reason that a chat has for it.
    pub(super) fn of(finish_reason: &str) -> Self {
        match finish_reason {
            "length" => Self::Cut("max_output_tokens"),
            "content_filter" => Self::Cut("content_filter"),
            _ => Self::Whole,
        }
    }

    pub(super) const fn status(self) -> &'static str {
        match self {
            Self::Whole => "completed",
            Self::Cut(_) => "incomplete",
        }
    }
}

impl ResponseForm {
    /// Of a response that begins now.
    pub(super) fn new(request: &ResponsesRequest) -> Self {
        let number = Uuid::now_v7().simple().to_string();
        Self {
            id: format!("resp_{number}"),
            number,
            created: Timestamp::now().as_second(),
            model: request.model.clone(),
            instructions: request.instructions.clone(),
            previous: request.previous_response_id.clone(),
            tools: request.tools.clone().unwrap_or_default(),
        }
    }

    /// The id of an item of it.
    pub(super) fn item(&self, kind: &str) -> String {
        format!("{kind}_{}", self.number)
    }

    pub(super) fn object(&self, status: &str, output: Vec<Value>) -> Value {
        json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status,
            "model": self.model, "output": output, "error": null,
            "incomplete_details": null, "instructions": self.instructions,
            "metadata": {}, "parallel_tool_calls": true, "temperature": null, "top_p": null,
            "tool_choice": "auto", "tools": self.tools,
            "previous_response_id": self.previous,
        })
    }

    /// It as it ended.
    pub(super) fn ended(&self, ending: Ending, output: Vec<Value>, usage: Usage) -> Value {
        let mut object = self.object(ending.status(), output);
        if let Ending::Cut(reason) = ending {
            object["incomplete_details"] = json!({"reason": reason});
        }
        object["usage"] = json!({
            "input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens.saturating_add(usage.completion_tokens),
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens_details": {"reasoning_tokens": 0},
        });
        object
    }

    /// What is told of one that came to nothing.
    pub(super) fn failed(&self, fault: &Fault) -> Value {
        let mut object = self.object("failed", Vec::new());
        object["error"] = json!({"code": "server_error", "message": fault.message});
        json!({"response": object})
    }
}

/// A text in a message.
pub(super) fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// Whoever read is gone.
pub(super) struct Left;

/// Numbered events on their way out.
pub(super) struct Writing {
    pub(super) writer: mpsc::Sender<Bytes>,
    number: u64,
}

impl Writing {
    pub(super) const fn to(writer: mpsc::Sender<Bytes>) -> Self {
        Self { writer, number: 0 }
    }

    pub(super) async fn send(&mut self, kind: &str, mut data: Value) -> Result<(), Left> {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        let piece = Bytes::from(format!("event: {kind}\ndata: {data}\n\n"));
        self.writer.send(piece).await.map_err(|_gone| Left)
    }

    /// The last event of a response that has ended.
    pub(super) async fn end(&mut self, ended: Value) -> Result<(), Left> {
        let kind = match ended["status"] == "incomplete" {
            true => "response.incomplete",
            false => "response.completed",
        };
        self.send(kind, json!({"response": ended})).await
    }
}
