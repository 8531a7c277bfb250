//! A model asked without an agent, for a client with tools of its own. Each asking is on record.

use crate::app::{App, Caller};
use crate::limits::EVENTS_AHEAD;
use crate::problem::fault;
use api::audit::{Action, Durability, Entry, ModelCall};
use api::models::{ChatChunk, ChatRequest};
use domain::Timestamp;
use domain::event::CallStatus;
use domain::fault::{Coded as _, Fault};
use domain::hash::Digest;
use domain::message::ToolCall;
use domain::model::{FinishReason, ModelRef, Usage};
use futures::StreamExt;
use tokio::sync::mpsc;

/// What a model says, as it comes; [`Said::Ended`] or [`Said::Failed`] is the last.
#[derive(Debug)]
pub(super) enum Said {
    /// A piece of its text.
    Text(String),
    /// All of its text until now was meant so.
    Instead(String),
    /// A piece of its thinking.
    Thinking(String),
    /// A call that it asks for.
    Call(ToolCall),
    /// It is done.
    Ended(FinishReason, Usage),
    /// It did not answer, or that it did is not on record.
    Failed(Fault),
}

/// Asks a model. Where nobody reads any more it is stopped, which is on record as well.
pub(super) fn ask(app: &App, caller: &Caller, request: ChatRequest) -> mpsc::Receiver<Said> {
    let (writer, said) = mpsc::channel(EVENTS_AHEAD);
    let asking = Asking {
        app: app.clone(),
        by: format!("tools of a client's own, token {}", caller.name),
        writer,
        model: None,
        text: String::new(),
        usage: Usage::default(),
        finish: None,
    };
    tokio::spawn(asking.run(request));
    said
}

struct Asking {
    app: App,
    by: String,
    writer: mpsc::Sender<Said>,
    model: Option<ModelRef>,
    text: String,
    usage: Usage,
    finish: Option<FinishReason>,
}

impl Asking {
    async fn run(mut self, request: ChatRequest) {
        let prompt = serde_json::to_vec(&request.messages).unwrap_or_default();
        let prompt = Digest::of(&prompt);
        let writer = self.writer.clone();
        let read = tokio::select! {
            biased;
            () = writer.closed() => None,
            read = self.read(request) => Some(read),
        };
        let status = match (&read, self.finish) {
            (None, _) => CallStatus::Cancelled,
            (Some(Ok(())), Some(_)) => CallStatus::Ok,
            _ => CallStatus::Failed,
        };
        let recorded = self.record(prompt, status).await;
        let last = match (read, recorded, self.finish) {
            (Some(Err(fault)), ..) | (_, Err(fault), _) => Said::Failed(fault),
            (_, _, Some(finish)) => Said::Ended(finish, self.usage),
            (_, _, None) => {
                let said = "the model's answer broke off";
                Said::Failed(fault("models.interrupted", said, ""))
            }
        };
        // Whoever left needs no end.
        let _read = writer.send(last).await;
    }

    async fn read(&mut self, request: ChatRequest) -> Result<(), Fault> {
        let gateway = self.app.gateway.clone();
        let mut chunks = gateway.chat(request).await.map_err(|error| error.fault())?;
        while let Some(chunk) = chunks.next().await {
            let said = match chunk.map_err(|error| error.fault())? {
                ChatChunk::Started { model, .. } => {
                    self.model = Some(model);
                    continue;
                }
                ChatChunk::Text(text) => {
                    self.text.push_str(&text);
                    Said::Text(text)
                }
                ChatChunk::TextReplaced(text) => {
                    self.text.clone_from(&text);
                    Said::Instead(text)
                }
                ChatChunk::Thinking(text) => Said::Thinking(text),
                ChatChunk::ToolCall { call, .. } => Said::Call(call),
                ChatChunk::Usage(usage) => {
                    self.usage = usage;
                    continue;
                }
                ChatChunk::Finished(finish) => {
                    self.finish = Some(finish);
                    return Ok(());
                }
                ChatChunk::PromptRead(_)
                | ChatChunk::ThinkingBlock(_)
                | ChatChunk::ToolCallDelta { .. }
                | ChatChunk::Notice(_) => continue,
            };
            // Where nobody reads, the end of this is near.
            let _read = self.writer.send(said).await;
        }
        Ok(())
    }

    async fn record(&self, prompt_hash: Digest, status: CallStatus) -> Result<(), Fault> {
        let mut entry = Entry::new(Timestamp::now(), Action::ModelCall);
        entry.status = Some(status);
        entry.duration_ms = Some(self.usage.total_ms);
        entry.detail.clone_from(&self.by);
        entry.model_call = self.model.clone().map(|model| ModelCall {
            model,
            prompt_tokens: self.usage.prompt_tokens,
            completion_tokens: self.usage.completion_tokens,
            prompt_hash,
            answer_hash: Digest::of(self.text.as_bytes()),
        });
        let recorded = self.app.audit.append(entry, Durability::Grouped).await;
        recorded.map(drop).map_err(|error| error.fault())
    }
}
