//! One question to a model that observers ask for themselves: on record before its answer is used.

use crate::config::Clock;
use api::audit::{self, Audit};
use api::models::{self, ChatChunk, ChatRequest, Models, ToolChoice};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::message::Message;
use domain::model::{ModelChoice, ModelRef, ModelRole, Priority, Usage};
use futures::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// What a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// Its words.
    pub(crate) text: String,
    /// Which model.
    pub(crate) model: ModelRef,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// No model answers.
    Models(models::Error),
    /// The answer ended before its end.
    BrokenOff,
    /// The call is not on record, so its answer is not used.
    NotOnRecord,
}

/// A question whose answer is in a schema, asked when nobody waits for a model.
pub(crate) fn by_schema(
    (role, messages): (ModelRole, Vec<Message>),
    schema: Value,
    (tokens, time): (u32, Duration),
) -> ChatRequest {
    ChatRequest {
        priority: Priority::Background,
        tool_choice: ToolChoice::None,
        response_schema: Some(schema),
        max_tokens: Some(tokens),
        temperature: Some(0.0),
        deadline: Some(time),
        ..ChatRequest::new(ModelChoice::Role(role), messages)
    }
}

/// Asks a model. `about` goes on record.
pub(crate) async fn ask(
    (models, audit, clock): (&dyn Models, &dyn Audit, &Clock),
    request: ChatRequest,
    about: &str,
) -> Result<Said, Unanswered> {
    let prompt: Vec<&str> = request.messages.iter().map(Message::text).collect();
    let prompt_hash = Digest::of(prompt.join("\n").as_bytes());
    let mut stream = models.chat(request).await.map_err(Unanswered::Models)?;
    let (mut text, mut usage, mut answered_by) = (String::new(), Usage::default(), None);
    let mut ending = Err(Unanswered::BrokenOff);
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(ChatChunk::Started { model, .. }) => answered_by = Some(model),
            Ok(ChatChunk::Text(piece)) => text.push_str(&piece),
            Ok(ChatChunk::TextReplaced(whole)) => text = whole,
            Ok(ChatChunk::Usage(counted)) => usage = counted,
            Ok(ChatChunk::Finished(_)) => ending = Ok(()),
            Ok(_) => {}
            Err(error) => {
                ending = Err(Unanswered::Models(error));
                break;
            }
        }
    }
    let mut entry = audit::Entry::new((clock)(), audit::Action::ModelCall);
    entry.model_call = answered_by.clone().map(|model| audit::ModelCall {
        model,
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        prompt_hash,
        answer_hash: Digest::of(text.as_bytes()),
    });
    about.clone_into(&mut entry.detail);
    entry.status = Some(match ending {
        Ok(()) => CallStatus::Ok,
        Err(_) => CallStatus::Failed,
    });
    if let Err(error) = audit.append(entry, audit::Durability::Grouped).await {
        tracing::warn!(%error, "a model call is not on record, so it is not used");
        return Err(Unanswered::NotOnRecord);
    }
    ending?;
    let model = answered_by.ok_or(Unanswered::BrokenOff)?;
    Ok(Said { text, model })
}
