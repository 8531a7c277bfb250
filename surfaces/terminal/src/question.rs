//! One question to a model outside any session: a speed test, a second opinion. It is put on record
//! like the model calls of agents, since a prompt may leave the machine with it.

use crate::exit::OrFail;
use anyhow::Result;
use api::Streaming;
use api::audit::{Action, Audit, Durability, Entry, ModelCall};
use api::models::{ChatChunk, ChatRequest, Models};
use domain::Timestamp;
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::model::{ModelRef, Usage};
use futures::StreamExt;
use std::time::Instant;

/// What the model said.
#[derive(Debug, Default)]
pub struct Answer {
    /// The model that answered, once it began.
    pub model: Option<ModelRef>,
    /// Its words.
    pub text: String,
    /// What it used. `first_token_ms` and `total_ms` are as seen from here.
    pub usage: Usage,
}

/// Asks, records the call, and hands over the answer.
///
/// # Errors
/// When the model does not answer, or the call cannot be recorded.
pub async fn ask(models: &dyn Models, audit: &dyn Audit, request: ChatRequest) -> Result<Answer> {
    let prompt = Digest::of(serde_json::to_string(&request.messages)?.as_bytes());
    let began = Instant::now();
    let mut answer = Answer::default();
    let ended = match models.chat(request).await {
        Ok(stream) => answer.read(stream, began).await,
        Err(error) => Err(error),
    };
    answer.usage.total_ms = milliseconds_since(began);
    let entry = record(&answer, prompt, ended.is_ok());
    let recorded = audit.append(entry, Durability::Grouped).await;
    ended.or_fail()?;
    recorded.or_fail()?;
    Ok(answer)
}

impl Answer {
    async fn read(
        &mut self,
        mut stream: Streaming<ChatChunk, api::models::Error>,
        began: Instant,
    ) -> Result<(), api::models::Error> {
        while let Some(chunk) = stream.next().await {
            match chunk? {
                ChatChunk::Started { model, .. } => self.model = Some(model),
                ChatChunk::Text(text) => {
                    if self.text.is_empty() {
                        self.usage.first_token_ms = milliseconds_since(began);
                    }
                    self.text.push_str(&text);
                }
                ChatChunk::TextReplaced(text) => self.text = text,
                ChatChunk::Usage(usage) => {
                    let first_token_ms = self.usage.first_token_ms;
                    self.usage = usage;
                    self.usage.first_token_ms = first_token_ms;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn record(answer: &Answer, prompt_hash: Digest, is_whole: bool) -> Entry {
    let mut entry = Entry::new(Timestamp::now(), Action::ModelCall);
    entry.status = Some(if is_whole {
        CallStatus::Ok
    } else {
        CallStatus::Failed
    });
    entry.duration_ms = Some(answer.usage.total_ms);
    entry.model_call = answer.model.clone().map(|model| ModelCall {
        model,
        prompt_tokens: answer.usage.prompt_tokens,
        completion_tokens: answer.usage.completion_tokens,
        prompt_hash,
        answer_hash: Digest::of(answer.text.as_bytes()),
    });
    entry.detail = "outside a session".to_owned();
    entry
}

fn milliseconds_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
