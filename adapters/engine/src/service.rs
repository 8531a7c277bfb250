//! The Models contract, served by the loaded models.

use crate::activity::{Activity, Running};
use crate::constraint::Grammar;
use crate::embedding::{Embedder, MAX_TEXTS};
use crate::engine::{self, Engine, Generation, Piece, Task};
use crate::generate::{self, Finish, Outcome, Sampling};
use crate::reply::{Event, Form, Reader};
use crate::signs::SignsOfLife;
use crate::template;
use crate::tools::{CallForm, Offer, Reply};
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelInfo, Models,
    ProviderHealth, ToolChoice,
};
use async_trait::async_trait;
use calls::bounds::bounded;
use domain::id::CallId;
use domain::limits::MODEL_CALL;
use domain::message::ToolCall;
use domain::model::{FinishReason, ModelChoice, ModelRef, ModelRole, PromptProgress, Think, Usage};
use futures::StreamExt as _;
use futures::stream::unfold;
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// Tokens generated when a request names no limit.
pub const DEFAULT_MAX_TOKENS: u32 = 1024;

/// The provider's name in model references.
pub const PROVIDER: &str = "embedded";

/// Highest temperature; above it every answer is noise.
pub const MAX_TEMPERATURE: f32 = 2.0;

/// The loaded models behind the contract.
pub struct Service {
    engine: Arc<Engine>,
    embedder: Option<Arc<Embedder>>,
    /// One text at a time, so that embedding leaves the chat model its cores.
    embedding: Semaphore,
    activity: Activity,
}

impl Service {
    /// Serves `engine` and, where there is one, `embedder`.
    #[must_use]
    pub fn new(engine: Engine, embedder: Option<Embedder>, activity: Activity) -> Self {
        Self {
            engine: Arc::new(engine),
            embedder: embedder.map(Arc::new),
            embedding: Semaphore::new(1),
            activity,
        }
    }

    fn chat_model(&self) -> ModelRef {
        reference(self.engine.name())
    }

    /// The embedding model, if `choice` can mean it.
    fn embedding_model(&self, choice: &ModelChoice) -> Result<&Arc<Embedder>, Error> {
        let embedder = self.embedder.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::NotConfigured,
                "the engine was started without embedding model",
            )
            .with_hint("Start carl-engine with --embedding-model FOLDER.")
        })?;
        match choice {
            ModelChoice::Exact(wanted) if wanted.model != embedder.name() => Err(unknown(wanted)),
            _ => Ok(embedder),
        }
    }

    /// Turns a request into work for the model.
    fn prepare(&self, request: &ChatRequest) -> Result<(Task, Reader), Error> {
        match &request.model {
            ModelChoice::Exact(wanted) if wanted.model != self.engine.name() => {
                return Err(unknown(wanted));
            }
            ModelChoice::Role(ModelRole::Embed) => {
                let detail = "the role `embed` names a model for embeddings, not for chat";
                return Err(Error::new(ErrorKind::Rejected, detail));
            }
            ModelChoice::Exact(_) | ModelChoice::Role(_) => {}
        }
        let call_form = self.engine.template().call_form();
        let offer = offer(request)?;
        let (grammar, form) = grammar(request, offer.as_ref(), call_form)?;
        let thinking = match request.think {
            // A grammar leaves no room for thinking in front of the answer.
            _ if grammar.is_some() => Some(false),
            Think::Default => None,
            Think::Off => Some(false),
            Think::On | Think::Low | Think::Medium | Think::High => Some(true),
        };
        let conversation = template::Request {
            messages: &request.messages,
            offer: offer.as_ref(),
            thinking,
        };
        let rendered = self.engine.render(conversation).map_err(|error| {
            rejected("the model's chat template refuses this conversation").with_source(error)
        })?;
        let prompt = self.engine.prompt(&rendered);
        self.check_length(prompt.len())?;
        let max_tokens = request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
        let task = Task {
            prompt,
            grammar,
            sampling: sampling(request)?,
            max_tokens: usize::try_from(max_tokens).unwrap_or(usize::MAX),
        };
        Ok((
            task,
            Reader::new(form, rendered.trim_end().ends_with("<think>")),
        ))
    }

    fn check_length(&self, tokens: usize) -> Result<(), Error> {
        let limit = self.engine.context_tokens() as usize;
        if tokens < limit {
            Ok(())
        } else {
            Err(overflow(tokens, limit))
        }
    }
}

#[async_trait]
impl Models for Service {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let running = self.activity.begin();
        let (task, reader) = self.prepare(&request)?;
        let prompt_tokens = task.prompt.len();
        let generation = self.engine.start(task).map_err(from_engine)?;
        let started = ChatChunk::Started {
            model: self.chat_model(),
            reason: "the engine's only chat model".to_owned(),
        };
        let answer = Answer {
            ready: VecDeque::from([Ok(started)]),
            generation,
            prompt_tokens,
            reader: Some(reader),
            deadline: Instant::now() + request.deadline.unwrap_or(MODEL_CALL),
            calls: 0,
            signs: SignsOfLife::from(Instant::now()),
            _running: running,
        };
        Ok(unfold(answer, Answer::next).boxed())
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        let _running = self.activity.begin();
        let embedder = Arc::clone(self.embedding_model(&request.model)?);
        if request.texts.len() > MAX_TEXTS {
            let count = request.texts.len();
            return Err(rejected(format!(
                "{count} texts at once; the limit is {MAX_TEXTS}"
            )));
        }
        let _turn = self.embedding.acquire().await.map_err(|closed| {
            Error::new(ErrorKind::Server, "the engine is stopping").with_source(closed)
        })?;
        let model = reference(embedder.name());
        let work = move || {
            request
                .texts
                .iter()
                .map(|text| embedder.embed(text))
                .collect()
        };
        let vectors = tokio::task::spawn_blocking(work).await.map_err(|error| {
            Error::new(ErrorKind::Server, "the embedding model failed").with_source(error)
        })?;
        Ok(Embeddings { model, vectors })
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        let chat = ModelInfo {
            model: self.chat_model(),
            context_tokens: Some(self.engine.context_tokens()),
            size_bytes: Some(self.engine.size_bytes()),
            loaded: Some(true),
            class: None,
            roles: Vec::new(),
        };
        let embed = self.embedder.iter().map(|embedder| ModelInfo {
            model: reference(embedder.name()),
            context_tokens: u32::try_from(crate::embedding::MAX_TOKENS).ok(),
            size_bytes: None,
            loaded: Some(true),
            class: None,
            roles: Vec::new(),
        });
        Ok(std::iter::once(chat).chain(embed).collect())
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        let _running = self.activity.begin();
        let count = match &model {
            ModelChoice::Role(ModelRole::Embed) => {
                self.embedding_model(&model)?.count_tokens(&text)
            }
            ModelChoice::Exact(wanted) if wanted.model != self.engine.name() => {
                self.embedding_model(&model)?.count_tokens(&text)
            }
            _ => self.engine.count_tokens(&text),
        };
        Ok(u64::try_from(count).unwrap_or(u64::MAX))
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(vec![ProviderHealth {
            provider: PROVIDER.to_owned(),
            endpoint: "carl-engine".to_owned(),
            fault: None,
            note: format!("serves {}", self.engine.name()),
        }])
    }
}

/// An answer on its way to the caller.
struct Answer {
    ready: VecDeque<Result<ChatChunk, Error>>,
    generation: Generation,
    prompt_tokens: usize,
    /// `None` once the answer has ended.
    reader: Option<Reader>,
    deadline: Instant,
    calls: u32,
    signs: SignsOfLife,
    _running: Running,
}

impl Answer {
    async fn next(mut self) -> Option<(Result<ChatChunk, Error>, Self)> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some((chunk, self));
            }
            let reader = self.reader.as_mut()?;
            match timeout_at(self.deadline, self.generation.next()).await {
                Ok(Some(Piece::Prompt(read))) => {
                    if self.signs.reading(Instant::now()) {
                        self.ready
                            .push_back(Ok(read_so_far(read, self.prompt_tokens)));
                    }
                }
                Ok(Some(Piece::Text(text))) => {
                    let events = reader.push(&text);
                    self.take(events);
                    let is_silent = self.ready.is_empty();
                    let sign = self.signs.writing(is_silent, Instant::now());
                    self.ready.extend(sign.map(|pieces| Ok(still_at(pieces))));
                }
                Ok(Some(Piece::End(Ok(outcome)))) => {
                    let events = self.reader.take().map(Reader::finish).unwrap_or_default();
                    self.take(events);
                    self.end(&outcome);
                }
                Ok(Some(Piece::End(Err(error)))) => self.fail(from_engine(error)),
                Ok(None) => self.fail(from_engine(engine::Error::Stopped)),
                Err(_elapsed) => {
                    let detail = "the model did not finish within the time allowed";
                    self.fail(Error::new(ErrorKind::Timeout, detail));
                }
            }
        }
    }

    fn fail(&mut self, error: Error) {
        self.reader = None;
        self.generation.cancel();
        self.ready.push_back(Err(error));
    }

    fn take(&mut self, events: Vec<Event>) {
        for event in events {
            let chunk = match event {
                Event::Text(text) => ChatChunk::Text(text),
                Event::Thinking(text) => ChatChunk::Thinking(text),
                Event::CallPiece(arguments) => ChatChunk::ToolCallDelta {
                    index: self.calls,
                    name: String::new(),
                    arguments,
                },
                Event::Call { name, arguments } => {
                    self.calls += 1;
                    let call_id = CallId::from_uuid(Uuid::now_v7());
                    let call = ToolCall {
                        call_id,
                        name,
                        arguments,
                    };
                    ChatChunk::ToolCall {
                        call,
                        recovered: false,
                    }
                }
            };
            self.ready.push_back(Ok(chunk));
        }
    }

    fn end(&mut self, outcome: &Outcome) {
        let count = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
        let usage = Usage {
            prompt_tokens: count(outcome.prompt_tokens),
            cached_tokens: count(outcome.cached_tokens),
            completion_tokens: count(outcome.completion_tokens),
            first_token_ms: milliseconds(outcome.first_token),
            total_ms: milliseconds(outcome.total),
            // The gateway compares prompts; this side only knows tokens.
            prefix_reuse_permille: 0,
        };
        let reason = match outcome.finish {
            Finish::Complete if self.calls > 0 => FinishReason::ToolCalls,
            Finish::Complete => FinishReason::Stop,
            Finish::Length => FinishReason::Length,
            Finish::Repetition => FinishReason::Repetition,
            Finish::Cancelled => FinishReason::Cancelled,
        };
        self.ready.push_back(Ok(ChatChunk::Usage(usage)));
        self.ready.push_back(Ok(ChatChunk::Finished(reason)));
    }
}

/// Says how far the prompt is.
fn read_so_far(read: usize, of: usize) -> ChatChunk {
    let count = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
    ChatChunk::PromptRead(PromptProgress {
        read_tokens: count(read),
        total_tokens: count(of),
    })
}

/// Says that so much of the answer is written, while there is nothing of it to hand over.
fn still_at(pieces: u64) -> ChatChunk {
    ChatChunk::Usage(Usage {
        completion_tokens: pieces,
        ..Usage::default()
    })
}

fn offer(request: &ChatRequest) -> Result<Option<Offer>, Error> {
    let reply = match &request.tool_choice {
        _ if request.tools.is_empty() => return Ok(None),
        ToolChoice::Auto | ToolChoice::None => Reply::CallOrAnswer,
        ToolChoice::Required | ToolChoice::Only(_) => Reply::Call,
    };
    let mut tools = request.tools.clone();
    if let ToolChoice::Only(name) = &request.tool_choice {
        tools.retain(|tool| tool.name == *name);
        if tools.is_empty() {
            return Err(rejected(format!(
                "the tool `{name}` must be called but is not on offer"
            )));
        }
    }
    let offer = Offer::new(
        tools,
        &request.narrowed,
        reply,
        request.response_schema.clone(),
    );
    let offer = offer.map_err(|error| rejected(error.to_string()))?;
    Ok(Some(match request.tool_choice {
        ToolChoice::None => offer.without_calls(),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Only(_) => offer,
    }))
}

fn grammar(
    request: &ChatRequest,
    offer: Option<&Offer>,
    form: CallForm,
) -> Result<(Option<Grammar>, Form), Error> {
    // A model that was trained on calls between tags answers in words of its own, with thinking.
    let is_free = |offer: &&Offer| form == CallForm::Json || offer.may_call();
    match (offer.filter(is_free), &request.response_schema) {
        (None, None) => Ok((None, Form::Text)),
        (None, Some(schema)) => {
            let schema = bounded(schema)
                .map_err(|error| rejected(format!("the response schema is unusable: {error}")))?;
            Ok((Some(Grammar::Schema(schema)), Form::Schema))
        }
        (Some(offer), schema) => {
            let grammar = offer.grammar(form).map_err(|error| {
                rejected("the tools cannot be offered to the model").with_source(error)
            })?;
            let form = match (form, schema) {
                (CallForm::Tagged, None) => Form::TaggedCalls,
                (CallForm::Tagged, Some(_)) => Form::TaggedCallsOrSchema,
                (CallForm::Json, None) => Form::JsonCalls,
                (CallForm::Json, Some(_)) => Form::JsonCallsOrSchema,
            };
            Ok((Some(grammar), form))
        }
    }
}

fn sampling(request: &ChatRequest) -> Result<Sampling, Error> {
    match request.temperature {
        None | Some(0.0) => Ok(Sampling::Greedy),
        Some(temperature) if temperature > 0.0 && temperature <= MAX_TEMPERATURE => {
            // Without a seed every answer differs; the standard library's own random keys will do.
            let seed = request
                .seed
                .unwrap_or_else(|| RandomState::new().build_hasher().finish());
            let [high, low] = [seed >> 32, seed & u64::from(u32::MAX)].map(u32::try_from);
            let seed = high.unwrap_or_default() ^ low.unwrap_or_default();
            Ok(Sampling::Random { temperature, seed })
        }
        Some(other) => Err(rejected(format!(
            "temperature {other} is not between 0 and {MAX_TEMPERATURE}"
        ))),
    }
}

fn from_engine(error: engine::Error) -> Error {
    let kind = match &error {
        engine::Error::Busy => ErrorKind::Busy,
        engine::Error::Grammar(_) => ErrorKind::Rejected,
        engine::Error::Generate(generate::Error::ContextExceeded { tokens, limit }) => {
            return overflow(*tokens, *limit);
        }
        engine::Error::Stopped | engine::Error::Generate(_) => ErrorKind::Server,
    };
    Error::new(kind, error.to_string()).with_source(error)
}

fn overflow(tokens: usize, limit: usize) -> Error {
    let detail = format!("the prompt has {tokens} tokens; the engine's context holds {limit}");
    Error::new(ErrorKind::ContextOverflow, detail)
        .with_hint("Shorten the conversation, or start carl-engine with a larger --context-tokens.")
}

fn unknown(wanted: &ModelRef) -> Error {
    Error::new(
        ErrorKind::UnknownModel,
        format!("the engine has not loaded `{}`", wanted.model),
    )
}

fn rejected(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::Rejected, detail)
}

fn reference(model: &str) -> ModelRef {
    ModelRef {
        provider: PROVIDER.to_owned(),
        model: model.to_owned(),
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
