//! Models that say what a script says.

use super::{DropCount, Gate, Unfinished, fresh_uuid};
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelFacts, ModelInfo,
    Models, ProviderHealth,
};
use async_trait::async_trait;
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::model::{FinishReason, ModelChoice, ModelRef, ModelRole, Usage};
use futures::StreamExt;
use futures::stream::unfold;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Mutex;

/// One step of a scripted reply.
#[derive(Debug, Clone)]
pub enum Step {
    /// A chunk goes out.
    Chunk(ChatChunk),
    /// The stream ends with this error.
    Fail(ErrorKind, String),
    /// The reply waits here.
    Wait(Gate),
    /// Nothing more comes, and the stream stays open.
    Hang,
}

/// What a scripted model answers to one request.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    refusal: Option<(ErrorKind, String, String)>,
    steps: Vec<Step>,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
}

impl Reply {
    /// Nothing yet: `Started`, `Usage` and `Finished` come by themselves.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer that is one text.
    #[must_use]
    pub fn says(text: impl Into<String>) -> Self {
        Self::new().text(text)
    }

    /// An answer that is one tool call.
    #[must_use]
    pub fn calls(tool: impl Into<String>, arguments: Value) -> Self {
        Self::new().tool_call(tool, arguments)
    }

    /// No answer: an error before the first byte.
    #[must_use]
    pub fn refused(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            refusal: Some((kind, detail.into(), String::new())),
            ..Self::default()
        }
    }

    /// Adds a hint to a refusal.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let Some((_, _, hint)) = &mut self.refusal {
            *hint = text.into();
        }
        self
    }

    /// Adds any step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Adds any chunk.
    #[must_use]
    pub fn chunk(self, chunk: ChatChunk) -> Self {
        self.step(Step::Chunk(chunk))
    }

    /// Adds a piece of visible text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.chunk(ChatChunk::Text(text.into()))
    }

    /// Adds a piece of thinking.
    #[must_use]
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.chunk(ChatChunk::Thinking(text.into()))
    }

    /// Adds a notice.
    #[must_use]
    pub fn notice(self, fault: Fault) -> Self {
        self.chunk(ChatChunk::Notice(fault))
    }

    /// Adds a tool call with a fresh id.
    #[must_use]
    pub fn tool_call(self, tool: impl Into<String>, arguments: Value) -> Self {
        let call = ToolCall {
            call_id: CallId::from_uuid(fresh_uuid()),
            name: tool.into(),
            arguments,
        };
        let recovered = false;
        self.chunk(ChatChunk::ToolCall { call, recovered })
    }

    /// The reply waits here until the gate is open.
    #[must_use]
    pub fn wait(self, gate: &Gate) -> Self {
        self.step(Step::Wait(gate.clone()))
    }

    /// The stream ends here with an error.
    #[must_use]
    pub fn fail(self, kind: ErrorKind, detail: impl Into<String>) -> Self {
        self.step(Step::Fail(kind, detail.into()))
    }

    /// Nothing more comes, until the caller goes away.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// What it costs, instead of a small made-up amount.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Why it ends, instead of `ToolCalls` when there are some and `Stop` when not.
    #[must_use]
    pub fn finish(mut self, reason: FinishReason) -> Self {
        self.finish = Some(reason);
        self
    }

    /// The steps as scripted, for harnesses that play them through a model server.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The error before the first byte, if that is the script.
    #[must_use]
    pub fn refusal(&self) -> Option<(ErrorKind, &str)> {
        self.refusal
            .as_ref()
            .map(|(kind, detail, _)| (*kind, detail.as_str()))
    }

    fn played(self) -> VecDeque<Step> {
        let has_calls = self
            .steps
            .iter()
            .any(|step| matches!(step, Step::Chunk(ChatChunk::ToolCall { .. })));
        let finish = self.finish.unwrap_or(if has_calls {
            FinishReason::ToolCalls
        } else {
            FinishReason::Stop
        });
        let usage = self.usage.unwrap_or(Usage {
            prompt_tokens: 10,
            completion_tokens: 5,
            ..Usage::default()
        });
        let started = ChatChunk::Started {
            model: FakeModels::model(),
            reason: "scripted".to_owned(),
        };
        let mut steps = VecDeque::from([Step::Chunk(started)]);
        steps.extend(self.steps);
        steps.push_back(Step::Chunk(ChatChunk::Usage(usage)));
        steps.push_back(Step::Chunk(ChatChunk::Finished(finish)));
        steps
    }
}

/// A model gateway whose answers are scripted and whose requests are kept.
#[derive(Debug, Default)]
pub struct FakeModels {
    replies: Mutex<VecDeque<Reply>>,
    under_schema: Mutex<Option<Reply>>,
    requests: Mutex<Vec<ChatRequest>>,
    cancelled: DropCount,
}

impl FakeModels {
    /// Answers with these replies, one a request, in order. Then it refuses with `Rejected`.
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().collect()),
            ..Self::default()
        }
    }

    /// The one model there is.
    #[must_use]
    pub fn model() -> ModelRef {
        ModelRef {
            provider: "fake".to_owned(),
            model: "scripted".to_owned(),
        }
    }

    /// Adds a reply at the end of the script.
    pub fn push(&self, reply: Reply) {
        self.replies.lock().unwrap().push_back(reply);
    }

    /// Answers every request that has a response schema with this reply from now on, and leaves the
    /// script alone.
    pub fn answer_schemas(&self, reply: Reply) {
        *self.under_schema.lock().unwrap() = Some(reply);
    }

    /// Every chat request so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Counts streams that were dropped before their end.
    #[must_use]
    pub fn cancelled(&self) -> &DropCount {
        &self.cancelled
    }
}

async fn play(
    (mut steps, mut guard): (VecDeque<Step>, Unfinished),
) -> Option<(Result<ChatChunk, Error>, (VecDeque<Step>, Unfinished))> {
    loop {
        match steps.pop_front() {
            Some(Step::Chunk(chunk)) => {
                if steps.is_empty() {
                    guard.done();
                }
                return Some((Ok(chunk), (steps, guard)));
            }
            Some(Step::Fail(kind, detail)) => {
                guard.done();
                return Some((Err(Error::new(kind, detail)), (VecDeque::new(), guard)));
            }
            Some(Step::Wait(gate)) => gate.pass().await,
            Some(Step::Hang) => std::future::pending().await,
            None => return None,
        }
    }
}

#[async_trait]
impl Models for FakeModels {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let has_schema = request.response_schema.is_some();
        self.requests.lock().unwrap().push(request);
        let apart = self.under_schema.lock().unwrap().clone();
        let reply = match apart.filter(|_| has_schema) {
            Some(reply) => Some(reply),
            None => self.replies.lock().unwrap().pop_front(),
        };
        let no_reply = || Error::new(ErrorKind::Rejected, "the script has no reply left");
        let reply = reply.ok_or_else(no_reply)?;
        if let Some((kind, detail, hint)) = reply.refusal {
            return Err(Error::new(kind, detail).with_hint(hint));
        }
        Ok(unfold((reply.played(), self.cancelled.watch()), play).boxed())
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        let vector = |text: &String| {
            let digest = Digest::of(text.as_bytes());
            let bytes = digest.as_bytes().iter().take(8);
            bytes.map(|byte| f32::from(*byte) / 255.0).collect()
        };
        Ok(Embeddings {
            model: Self::model(),
            vectors: request.texts.iter().map(vector).collect(),
        })
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        Ok(vec![ModelInfo {
            model: Self::model(),
            context_tokens: Some(32_768),
            size_bytes: None,
            class: None,
            loaded: Some(true),
            roles: ModelRole::ALL.to_vec(),
        }])
    }

    async fn describe(&self, _: ModelChoice) -> Result<ModelFacts, Error> {
        Ok(ModelFacts::default())
    }

    async fn count_tokens(&self, _: ModelChoice, text: String) -> Result<u64, Error> {
        Ok(text.chars().count().div_ceil(4) as u64)
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(vec![ProviderHealth {
            provider: "fake".to_owned(),
            endpoint: "in process".to_owned(),
            fault: None,
            note: "the only one".to_owned(),
        }])
    }
}
