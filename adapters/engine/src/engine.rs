//! One loaded model, and the thread that owns its context.
//!
//! llama.cpp's context belongs to one thread. [`Engine`] is what everything else holds: it renders
//! prompts, counts tokens, and queues work for that thread.

use crate::constraint::{self, Grammar, TokenTable};
use crate::generate::{self, Outcome, Part, Sampling, Session};
use crate::log::Recorder;
use crate::neutral::Neutraliser;
use crate::slots::MAX_SLOTS;
use crate::template::{self, ChatTemplate, DEFAULT_TEMPLATE};
use crate::threads::ThreadCount;
use crate::weights;
use domain::message::Message;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use std::io;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use tokio::sync::mpsc;

/// Requests waiting for the model at the same time.
pub const MAX_QUEUED: usize = 16;

/// Pieces of text waiting for a slow reader. A full queue pauses the model.
pub const MAX_PENDING_PIECES: usize = 256;

/// Context size when none is asked for, tokens. Its cache takes 23 KB a token for a model of 135
/// million parameters and some 100 KB for one of seven billion.
pub const DEFAULT_CONTEXT_TOKENS: u32 = 8192;

/// What to load and how.
#[derive(Debug, Clone)]
pub struct Config {
    /// A GGUF file.
    pub model: PathBuf,
    /// Context size, tokens; `None`: [`DEFAULT_CONTEXT_TOKENS`], or the model's own if that is less.
    pub context_tokens: Option<NonZeroU32>,
    /// Processor threads.
    pub threads: ThreadCount,
}

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The weights.
    #[error(transparent)]
    Weights(#[from] weights::Error),
    /// The chat template in the weights.
    #[error(transparent)]
    Template(#[from] template::Error),
    /// The model's control tokens.
    #[error("the model's control tokens cannot be told from text")]
    ControlTokens(#[source] regex::Error),
    /// The context, mostly for want of memory.
    #[error(
        "no context of {tokens} tokens could be made: {reason}; try a smaller --context-tokens"
    )]
    Context {
        /// The size asked for.
        tokens: u32,
        /// What llama.cpp said.
        reason: String,
    },
    /// The thread for the model.
    #[error("no thread could be started for the model")]
    Thread(#[source] io::Error),
    /// The thread for the model ended before it was ready.
    #[error("the model's thread ended before it was ready")]
    ThreadGone,
}

/// Why a request was not taken or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// [`MAX_QUEUED`] requests wait already.
    #[error("{MAX_QUEUED} requests are waiting for the model already")]
    Busy,
    /// The model's thread is gone.
    #[error("the model's thread has stopped")]
    Stopped,
    /// The grammar cannot be used.
    #[error("the schema cannot be used for decoding")]
    Grammar(#[source] constraint::Error),
    /// Decoding failed.
    #[error(transparent)]
    Generate(#[from] generate::Error),
}

/// What to generate.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The prompt, from [`Engine::prompt`].
    pub prompt: Vec<LlamaToken>,
    /// What the answer must look like.
    pub grammar: Option<Grammar>,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Most tokens to generate.
    pub max_tokens: usize,
}

/// What comes out of a running generation.
#[derive(Debug)]
pub enum Piece {
    /// So many tokens of the prompt are read.
    Prompt(usize),
    /// Whole characters.
    Text(String),
    /// The end; nothing follows.
    End(Result<Outcome, Error>),
}

/// A running generation. Dropping it stops the model's work.
#[derive(Debug)]
pub struct Generation {
    pieces: mpsc::Receiver<Piece>,
    cancel: Arc<AtomicBool>,
}

impl Generation {
    /// The next piece; `None` after the end.
    pub async fn next(&mut self) -> Option<Piece> {
        self.pieces.recv().await
    }

    /// Like [`Self::next`], for threads outside of a runtime.
    pub fn next_blocking(&mut self) -> Option<Piece> {
        self.pieces.blocking_recv()
    }

    /// Stops the work at the next token. What follows is the end.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        self.cancel();
    }
}

struct Job {
    task: Task,
    pieces: mpsc::Sender<Piece>,
    cancel: Arc<AtomicBool>,
}

/// One loaded model.
#[derive(Debug)]
pub struct Engine {
    model: Arc<LlamaModel>,
    template: ChatTemplate,
    neutraliser: Neutraliser,
    name: String,
    context_tokens: u32,
    jobs: Option<SyncSender<Job>>,
    worker: Option<JoinHandle<()>>,
}

impl Engine {
    /// Loads the model and starts its thread.
    ///
    /// # Errors
    /// [`LoadError`], saying what is wrong with the file or the machine.
    pub fn load(config: &Config, log: &Recorder) -> Result<Self, LoadError> {
        let model = Arc::new(weights::load(&config.model, log)?);
        let trained = model.n_ctx_train().max(1);
        let wanted = config
            .context_tokens
            .map_or(DEFAULT_CONTEXT_TOKENS.min(trained), NonZeroU32::get);
        let (jobs, queue) = sync_channel(MAX_QUEUED);
        let (ready, is_ready) = sync_channel(1);
        let worker = {
            let (model, threads, log) = (Arc::clone(&model), config.threads, log.clone());
            let run = move || work(&model, wanted, threads, &log, &ready, &queue);
            std::thread::Builder::new()
                .name("model".to_owned())
                .spawn(run)
        };
        let worker = worker.map_err(LoadError::Thread)?;
        is_ready.recv().map_err(|_gone| LoadError::ThreadGone)??;
        let template = chat_template(&model)?;
        let control = model
            .vocab()
            .tokens()
            .filter(|token| model.vocab().is_control(*token));
        let spellings = control
            .map(|token| spelling(&model, token))
            .collect::<Vec<_>>();
        Ok(Self {
            template,
            neutraliser: Neutraliser::new(spellings).map_err(LoadError::ControlTokens)?,
            name: config
                .model
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            context_tokens: wanted,
            jobs: Some(jobs),
            worker: Some(worker),
            model,
        })
    }

    /// The model's name: its file name without the extension.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Tokens that prompt and answer may have together.
    #[must_use]
    pub const fn context_tokens(&self) -> u32 {
        self.context_tokens
    }

    /// Size of the weights, bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.model.size()
    }

    /// How the model reads conversations.
    #[must_use]
    pub const fn template(&self) -> &ChatTemplate {
        &self.template
    }

    /// How many tokens the model reads `text` as.
    #[must_use]
    pub fn count_tokens(&self, text: &str) -> usize {
        self.model
            .vocab()
            .tokenize(text.as_bytes(), false, false)
            .len()
    }

    /// Renders a conversation, safe from texts that pose as structure.
    ///
    /// # Errors
    /// [`template::Error`] when the model's template refuses the conversation.
    pub fn render(&self, request: template::Request<'_>) -> Result<String, template::Error> {
        let messages: Vec<Message> = request
            .messages
            .iter()
            .map(|message| self.neutral(message))
            .collect();
        self.template.render(template::Request {
            messages: &messages,
            ..request
        })
    }

    /// The tokens of a rendered prompt.
    #[must_use]
    pub fn prompt(&self, rendered: &str) -> Vec<LlamaToken> {
        let vocabulary = self.model.vocab();
        let mut tokens = vocabulary.tokenize(rendered.as_bytes(), false, true);
        let bos = vocabulary.bos();
        if vocabulary.should_add_bos() && tokens.first() != Some(&bos) {
            tokens.insert(0, bos);
        }
        tokens
    }

    /// Queues a task.
    ///
    /// # Errors
    /// [`Error::Busy`] and [`Error::Stopped`]. Later failures arrive as [`Piece::End`].
    pub fn start(&self, task: Task) -> Result<Generation, Error> {
        let (sender, pieces) = mpsc::channel(MAX_PENDING_PIECES);
        let cancel = Arc::new(AtomicBool::new(false));
        let job = Job {
            task,
            pieces: sender,
            cancel: Arc::clone(&cancel),
        };
        let jobs = self.jobs.as_ref().ok_or(Error::Stopped)?;
        match jobs.try_send(job) {
            Ok(()) => Ok(Generation { pieces, cancel }),
            Err(TrySendError::Full(_)) => Err(Error::Busy),
            Err(TrySendError::Disconnected(_)) => Err(Error::Stopped),
        }
    }

    fn neutral(&self, message: &Message) -> Message {
        let mut message = message.clone();
        match &mut message {
            Message::System { text }
            | Message::User { text }
            | Message::Assistant { text, .. }
            | Message::Tool { text, .. }
            | Message::Picture { text, .. } => *text = self.neutraliser.apply(text),
        }
        message
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            tracing::error!("the model's thread panicked");
        }
    }
}

fn spelling(model: &LlamaModel, token: LlamaToken) -> String {
    String::from_utf8_lossy(&model.vocab().token_to_piece(token, true, None)).into_owned()
}

fn chat_template(model: &LlamaModel) -> Result<ChatTemplate, template::Error> {
    let source = model.meta_val_str("tokenizer.chat_template");
    let source = source.unwrap_or_else(|_none| {
        tracing::warn!("the model brings no chat template; ChatML is used");
        DEFAULT_TEMPLATE.to_owned()
    });
    let bos = spelling(model, model.vocab().bos());
    let eos = spelling(model, model.vocab().eos());
    ChatTemplate::new(&source, &bos, &eos)
}

/// The model's thread: makes the context, then serves jobs until the engine is dropped.
fn work(
    model: &LlamaModel,
    context_tokens: u32,
    threads: ThreadCount,
    log: &Recorder,
    ready: &SyncSender<Result<(), LoadError>>,
    queue: &Receiver<Job>,
) {
    let mut session = match open_session(model, context_tokens, threads, log) {
        Ok(session) => session,
        Err(error) => return report(ready, Err(error)),
    };
    report(ready, Ok(()));
    let mut table = None;
    while let Ok(job) = queue.recv() {
        let result = if job.pieces.is_closed() {
            continue;
        } else {
            serve(model, &mut session, &mut table, &job)
        };
        // A caller that went away needs no result.
        let _ = job.pieces.blocking_send(Piece::End(result));
    }
}

fn report(ready: &SyncSender<Result<(), LoadError>>, result: Result<(), LoadError>) {
    if ready.send(result).is_err() {
        tracing::error!("nobody waits for the model any more");
    }
}

/// Makes a context for `model`, whose calls then all come from one thread.
///
/// # Errors
/// [`LoadError::Context`], mostly for want of memory.
pub fn open_session<'m>(
    model: &'m LlamaModel,
    context_tokens: u32,
    threads: ThreadCount,
    log: &Recorder,
) -> Result<Session<'m>, LoadError> {
    let backend = weights::backend()?;
    let threads = threads.get();
    let chunk = u32::try_from(generate::PROMPT_CHUNK_TOKENS).unwrap_or(u32::MAX);
    let slots = u32::try_from(MAX_SLOTS).unwrap_or(1);
    let parameters = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(context_tokens))
        .with_n_batch(chunk)
        .with_n_ubatch(chunk)
        .with_n_seq_max(slots)
        .with_kv_unified(true)
        .with_n_threads(threads)
        .with_n_threads_batch(threads);
    log.clear();
    match model.new_context(backend, parameters) {
        Ok(context) => Ok(Session::new(model, context)),
        Err(error) => {
            let reason = log.last_words().unwrap_or_else(|| error.to_string());
            Err(LoadError::Context {
                tokens: context_tokens,
                reason,
            })
        }
    }
}

fn serve(
    model: &LlamaModel,
    session: &mut Session<'_>,
    table: &mut Option<TokenTable>,
    job: &Job,
) -> Result<Outcome, Error> {
    let constraint = match &job.task.grammar {
        None => None,
        Some(grammar) => {
            let table = match table {
                Some(table) => table,
                none => none.insert(TokenTable::build(model).map_err(Error::Grammar)?),
            };
            Some(table.compile(grammar).map_err(Error::Grammar)?)
        }
    };
    let request = generate::Request {
        prompt: job.task.prompt.clone(),
        constraint,
        sampling: job.task.sampling,
        max_tokens: job.task.max_tokens,
    };
    let mut sink = |part: Part| {
        let piece = match part {
            Part::Prompt(read) => Piece::Prompt(read),
            Part::Text(text) => Piece::Text(text),
        };
        match job.pieces.blocking_send(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_closed) => ControlFlow::Break(()),
        }
    };
    Ok(session.run(request, &job.cancel, &mut sink)?)
}
