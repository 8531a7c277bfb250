//! The embedded engine: a model in a process of its own, reached over a private unix socket.

mod place;
mod process;

pub use place::EngineSettings;

use crate::call::{Call, Counted, Facts, Listed, Piece};
use crate::error::{self, Error, ErrorKind};
use crate::opening::{Backend, Failure, Pieces};
use api::models::{ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest};
use async_trait::async_trait;
use domain::model::{ModelChoice, ModelRef, Priority};
use futures::{Stream, StreamExt, stream};
use process::Supervisor;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The engine as a provider.
pub(crate) struct EngineBackend {
    name: String,
    settings: Arc<EngineSettings>,
    supervisor: Supervisor,
    first_byte: Duration,
    stall: Duration,
}

impl EngineBackend {
    pub(crate) fn new(
        name: String,
        settings: Arc<EngineSettings>,
        first_byte: Duration,
        stall: Duration,
    ) -> Self {
        Self {
            supervisor: Supervisor::new(Arc::clone(&settings)),
            name,
            settings,
            first_byte,
            stall,
        }
    }

    fn choice(&self, model: &str) -> ModelChoice {
        ModelChoice::Exact(ModelRef {
            provider: self.name.clone(),
            model: model.to_owned(),
        })
    }

    fn request(&self, call: &Call) -> ChatRequest {
        ChatRequest {
            context: None,
            model: self.choice(&call.model),
            // Whose turn it is was decided before the engine is asked.
            priority: Priority::User,
            messages: call.messages.clone(),
            tools: call.tools.clone(),
            tool_choice: call.tool_choice.clone(),
            think: call.think,
            context_tokens: Some(call.context_tokens),
            max_tokens: call.max_tokens,
            temperature: call.temperature,
            seed: call.seed,
            response_schema: call.schema.clone(),
            stable_messages: call.stable_messages,
            deadline: None,
            narrowed: call.narrowed.clone(),
        }
    }

    fn slow(&self, what: &str, wait: Duration) -> Error {
        Error::new(
            ErrorKind::Timeout,
            format!(
                "the embedded engine did not send {what} within {} ms",
                wait.as_millis()
            ),
        )
    }
}

#[async_trait]
impl Backend for EngineBackend {
    fn missing(&self) -> Option<Error> {
        self.settings.find_program().err()
    }

    fn reads_calls(&self) -> bool {
        true
    }

    async fn open(&self, call: &Call) -> Result<Pieces, Failure> {
        let client = self
            .supervisor
            .client(&call.model)
            .await
            .map_err(Failure::last)?;
        let first = timeout(self.first_byte, async {
            let mut chunks = client.chat(self.request(call)).await?;
            let first = chunks.next().await;
            Ok::<_, Error>((first, chunks))
        })
        .await;
        let (first, rest) = match first {
            Ok(Ok((Some(Ok(first)), rest))) => (first, rest),
            Ok(Ok((None, _))) => return Err(Failure::again(error::interrupted(&self.name))),
            Ok(Ok((Some(Err(error)), _)) | Err(error)) => return Err(classify(error)),
            Err(_elapsed) => {
                return Err(Failure::last(self.slow("the first byte", self.first_byte)));
            }
        };
        self.supervisor.answered();
        let rest = rest.map(|chunk| chunk.map_err(ended));
        let whole = stream::iter([Ok(first)]).chain(rest).boxed();
        let chunks = paced(whole, self.first_byte, self.stall);
        Ok(chunks
            .filter_map(|chunk| async move { transposed(chunk) })
            .boxed())
    }

    async fn list(&self, _wait: Option<Duration>) -> Result<Vec<Listed>, Error> {
        let running = self.supervisor.running_model().await;
        let mut listed = self.settings.installed()?;
        for model in &mut listed {
            model.loaded = Some(running.as_ref() == Some(&model.model));
        }
        Ok(listed)
    }

    async fn probe(&self, wait: Duration) -> Result<Vec<Listed>, Error> {
        self.settings.find_program()?;
        self.list(Some(wait)).await
    }

    async fn loaded(&self) -> Result<Option<Vec<String>>, Error> {
        let Some(running) = self.supervisor.running_model().await else {
            return Ok(Some(Vec::new()));
        };
        // The embedding model is loaded beside whatever runs.
        let beside = self.settings.embedding_folder();
        let beside = beside.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Ok(Some(beside.into_iter().chain([running]).collect()))
    }

    async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let client = self
            .supervisor
            .client_for_embedding(model)
            .await
            .map_err(Failure::last)?;
        let request = EmbedRequest {
            model: self.choice(model),
            purpose: EmbedPurpose::Document,
            texts: texts.to_vec(),
        };
        match timeout(self.first_byte, client.embed(request)).await {
            Ok(Ok(embeddings)) => {
                self.supervisor.answered();
                Ok(embeddings.vectors)
            }
            Ok(Err(error)) => Err(classify(error)),
            Err(_elapsed) => Err(Failure::last(self.slow("embeddings", self.first_byte))),
        }
    }

    async fn facts(&self, model: &str) -> Result<Facts, Error> {
        let installed = self.settings.installed()?;
        if let Some(one) = installed.iter().find(|one| one.model == model) {
            return Ok(Facts {
                size_bytes: one.size_bytes,
                ..Facts::default()
            });
        }
        Err(self.settings.no_such_model(model, &installed))
    }

    async fn count_tokens(&self, model: &str, text: &str) -> Result<Option<u64>, Error> {
        // Counting is not worth starting a process for.
        let Some(client) = self.supervisor.client_if_running(model).await else {
            return Ok(None);
        };
        client
            .count_tokens(self.choice(model), text.to_owned())
            .await
            .map(Some)
    }

    fn counts_cached(&self) -> bool {
        true
    }

    fn may_cut(&self) -> bool {
        false
    }

    fn ignores_schema_without_thinking(&self) -> bool {
        false
    }

    fn is_told_how_much_to_think(&self) -> bool {
        false
    }

    fn endpoint(&self) -> String {
        "carl-engine on this machine".to_owned()
    }
}

/// A stream that fails when it pauses too long. The engine says that it has begun before it has read
/// the prompt, so until there is something of the answer it may take as long as a first byte may.
fn paced<S>(
    chunks: S,
    before: Duration,
    within: Duration,
) -> impl Stream<Item = Result<ChatChunk, Error>> + Send
where
    S: Stream<Item = Result<ChatChunk, Error>> + Send + Unpin,
{
    // The chunks, until it has failed, and whether something of the answer has come.
    let state = (Some(chunks), false);
    stream::unfold(state, move |(rest, has_begun)| async move {
        let mut rest = rest?;
        let wait = if has_begun { within } else { before };
        match timeout(wait, rest.next()).await {
            Ok(Some(Ok(chunk))) => {
                let has_begun = has_begun
                    || !matches!(chunk, ChatChunk::Started { .. } | ChatChunk::PromptRead(_));
                Some((Ok(chunk), (Some(rest), has_begun)))
            }
            Ok(Some(Err(error))) => Some((Err(error), (None, has_begun))),
            Ok(None) => None,
            Err(_elapsed) => Some((Err(paused(has_begun, wait)), (None, has_begun))),
        }
    })
}

fn paused(has_begun: bool, wait: Duration) -> Error {
    let ms = wait.as_millis();
    let detail = if has_begun {
        format!("the embedded engine stopped in the middle of the answer for {ms} ms")
    } else {
        format!("the embedded engine was still reading the prompt after {ms} ms")
    };
    Error::new(ErrorKind::Timeout, detail)
}

/// A lost connection is worth another try, since the supervisor starts a fresh process.
fn classify(error: Error) -> Failure {
    match error.kind {
        ErrorKind::Unreachable | ErrorKind::Interrupted => Failure::again(ended(error)),
        _ => Failure::last(error),
    }
}

/// What a lost connection to the engine means, which nobody but this process starts.
fn ended(error: Error) -> Error {
    match error.kind {
        ErrorKind::Unreachable | ErrorKind::Interrupted => Error::new(
            error.kind,
            "the embedded engine ended before its answer was whole",
        )
        .with_hint(
            "Ask again: it is started anew. `carl doctor` says whether there is memory for it.",
        )
        .with_source(error),
        _ => error,
    }
}

/// A chunk of the contract as a piece; the engine's own `Started` says nothing that is not known.
fn piece(chunk: ChatChunk) -> Option<Piece> {
    Some(match chunk {
        ChatChunk::PromptRead(progress) => Piece::Prompt(progress),
        ChatChunk::Text(text) => Piece::Text(text),
        ChatChunk::Thinking(text) => Piece::Thinking(text),
        ChatChunk::ThinkingBlock(block) => Piece::ThinkingBlock(block),
        ChatChunk::ToolCallDelta {
            index,
            name,
            arguments,
        } => Piece::CallDelta {
            index,
            name,
            arguments,
        },
        ChatChunk::ToolCall { call, .. } => Piece::Call {
            name: call.name,
            arguments: call.arguments,
        },
        ChatChunk::Usage(usage) => Piece::Counted(Counted {
            prompt: Some(usage.prompt_tokens),
            cached: usage.cached_tokens,
            completion: usage.completion_tokens,
        }),
        ChatChunk::Notice(fault) => Piece::Notice(fault),
        ChatChunk::Finished(reason) => Piece::Finished(reason),
        // The engine sends text once, so it has nothing to withdraw.
        ChatChunk::Started { .. } | ChatChunk::TextReplaced(_) => return None,
    })
}

fn transposed(chunk: Result<ChatChunk, Error>) -> Option<Result<Piece, Error>> {
    match chunk {
        Ok(chunk) => piece(chunk).map(Ok),
        Err(error) => Some(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Duration = Duration::from_secs(120);
    const WITHIN: Duration = Duration::from_secs(60);

    fn started() -> ChatChunk {
        let model = ModelRef {
            provider: "engine".to_owned(),
            model: "small".to_owned(),
        };
        ChatChunk::Started {
            model,
            reason: String::new(),
        }
    }

    /// What comes of these chunks and then silence: how many, the failure, and after how long.
    async fn silent_after(chunks: Vec<ChatChunk>) -> (usize, Error, Duration) {
        let begun = tokio::time::Instant::now();
        let chunks = stream::iter(chunks.into_iter().map(Ok)).chain(stream::pending());
        let mut seen: Vec<_> = paced(chunks.boxed(), BEFORE, WITHIN).collect().await;
        let error = seen.pop().unwrap().unwrap_err();
        (seen.len(), error, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn reading_the_prompt_may_take_as_long_as_a_first_byte() {
        let (came, error, waited) = silent_after(vec![started()]).await;
        assert_eq!((came, error.kind), (1, ErrorKind::Timeout));
        assert!(waited >= BEFORE, "{waited:?}");
        assert!(error.detail.contains("reading the prompt"), "{error:?}");
        let text = ChatChunk::Text("On".to_owned());
        let (came, error, waited) = silent_after(vec![started(), text]).await;
        assert_eq!((came, error.kind), (2, ErrorKind::Timeout));
        assert!(waited >= WITHIN && waited < BEFORE, "{waited:?}");
        assert!(error.detail.contains("in the middle"), "{error:?}");
    }

    #[test]
    fn an_engine_that_ended_is_no_service_that_somebody_starts() {
        for kind in [ErrorKind::Unreachable, ErrorKind::Interrupted] {
            let lost = Error::new(kind, "the models service at unix:/run/engine.sock: gone");
            let told = ended(lost.with_hint("Start it: `carl serve --role models`"));
            assert_eq!(told.kind, kind);
            assert!(told.detail.contains("embedded engine ended"), "{told}");
            assert!(told.hint.contains("Ask again"), "{}", told.hint);
            assert!(!told.hint.contains("--role"), "{}", told.hint);
        }
        let own = Error::new(ErrorKind::ContextOverflow, "too long");
        assert_eq!(ended(own).detail, "too long");
    }
}
