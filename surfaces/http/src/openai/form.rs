//! The form of an answer to a chat: what each part of it names.

use super::wire::{Choice, Chunk, Completion, Delta, Piece, Said, Usage};
use axum::Json;
use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use domain::model::FinishReason;
use uuid::Uuid;

/// Why an answer ends that is no call, in OpenAI's words.
pub(super) const fn finish_word(finish: Option<FinishReason>) -> &'static str {
    match finish {
        Some(FinishReason::Length | FinishReason::Repetition) => "length",
        Some(FinishReason::ContentFilter) => "content_filter",
        _ => "stop",
    }
}

/// What each part of an answer names.
pub(super) struct Form {
    id: String,
    created: i64,
    pub(super) model: String,
}

impl Form {
    /// Of an answer that begins now.
    pub(super) fn new(model: String) -> Self {
        Self {
            id: format!("chatcmpl-{}", Uuid::now_v7().simple()),
            created: Timestamp::now().as_second(),
            model,
        }
    }

    /// An answer as a whole.
    pub(super) fn whole(
        &self,
        message: Said<'_>,
        finish_reason: &'static str,
        usage: Usage,
    ) -> Response {
        let completion = Completion {
            id: &self.id,
            object: "chat.completion",
            created: self.created,
            model: &self.model,
            choices: [Choice {
                index: 0,
                message,
                finish_reason,
                logprobs: (),
            }],
            usage,
        };
        Json(completion).into_response()
    }

    /// A piece of one.
    pub(super) fn piece(&self, delta: Delta<'_>, finish_reason: Option<&'static str>) -> Bytes {
        let piece = Piece {
            index: 0,
            delta,
            finish_reason,
        };
        self.chunk(vec![piece], None)
    }

    /// Pieces, or what all of it cost.
    pub(super) fn chunk(&self, choices: Vec<Piece<'_>>, usage: Option<Usage>) -> Bytes {
        let chunk = Chunk {
            id: &self.id,
            object: "chat.completion.chunk",
            created: self.created,
            model: &self.model,
            choices,
            usage,
        };
        line(&serde_json::to_string(&chunk).unwrap_or_default())
    }
}

/// A line of a stream.
pub(super) fn line(data: &str) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}
