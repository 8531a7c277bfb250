//! carl-engine: serves a local model over a unix socket. See the crate's charter in `lib.rs`.

use anyhow::Context as _;
use calls::bounds::bounded;
use clap::{Args, Parser, Subcommand};
use domain::message::Message;
use engine::activity::Activity;
use engine::constraint::Grammar;
use engine::embedding::Embedder;
use engine::engine::{Config, Engine, Piece, Task};
use engine::generate::Sampling;
use engine::lifetime::{self, Signals};
use engine::log::Recorder;
use engine::service::Service;
use engine::template::Request;
use engine::threads::ThreadCount;
use grpc::Listen;
use std::io::Write as _;
use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs a language model on this machine's processor, for `carl` to use.
#[derive(Debug, Parser)]
#[command(name = "carl-engine", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    serve: ServeArguments,
}

#[derive(Debug, Args)]
struct ServeArguments {
    /// Where to serve the Models contract, such as unix:/run/user/1000/housecarl/engine.sock
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<Listen>,
    /// The embedding model: a folder with model.safetensors, config.json and vocab.txt
    #[arg(long, value_name = "FOLDER")]
    embedding_model: Option<PathBuf>,
    /// Leave after this many seconds without a request
    #[arg(long, value_name = "N")]
    idle_exit_secs: Option<NonZeroU32>,
}

#[derive(Debug, Args)]
struct ModelArguments {
    /// The model: a GGUF file.
    #[arg(long, value_name = "FILE", global = true)]
    model: Option<PathBuf>,
    /// Tokens that prompt and answer may have together.
    #[arg(long, value_name = "N", global = true)]
    context_tokens: Option<NonZeroU32>,
    /// Processor threads [default: physical cores less one]
    #[arg(long, value_name = "N", global = true)]
    threads: Option<NonZeroU16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers one prompt on stdout, to look at a model by hand.
    #[command(hide = true)]
    Generate(GenerateArguments),
}

#[derive(Debug, Args)]
struct GenerateArguments {
    /// What the user says.
    #[arg(long)]
    prompt: String,
    /// A JSON Schema that the answer must fit.
    #[arg(long)]
    schema: Option<String>,
    /// Most tokens to generate.
    #[arg(long, default_value_t = 256)]
    max_tokens: usize,
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; then there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "carl-engine: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let log = Recorder::install()?;
    let config = config(&cli.model)?;
    match cli.command {
        Some(Command::Generate(arguments)) => generate(&Engine::load(&config, &log)?, &arguments),
        None => serve(&config, &cli.serve, &log),
    }
}

fn config(arguments: &ModelArguments) -> anyhow::Result<Config> {
    let model = arguments
        .model
        .clone()
        .context("no model: give --model FILE.gguf")?;
    let threads = arguments
        .threads
        .map_or_else(ThreadCount::automatic, ThreadCount::exactly);
    Ok(Config {
        model,
        context_tokens: arguments.context_tokens,
        threads,
    })
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn serve(config: &Config, arguments: &ServeArguments, log: &Recorder) -> anyhow::Result<()> {
    let listen = arguments
        .listen
        .as_ref()
        .context("no address: give --listen unix:/path")?;
    anyhow::ensure!(
        matches!(listen, Listen::Unix(_)),
        "the engine serves programs of this user only: give --listen unix:/path"
    );
    let parent = lifetime::parent();
    let activity = Activity::default();
    let embedder = arguments
        .embedding_model
        .as_deref()
        .map(Embedder::load)
        .transpose()?;
    let engine = Engine::load(config, log)?;
    let name = engine.name().to_owned();
    let service = Arc::new(Service::new(engine, embedder, activity.clone()));
    let signals = Signals::watch().context("signals cannot be watched")?;
    let bound = grpc::server::Builder::new()
        .models(service)
        .bind(listen)
        .await?;
    tracing::info!(model = name, listen = %bound.local(), "ready");
    let idle_limit = arguments
        .idle_exit_secs
        .map(|secs| Duration::from_secs(secs.get().into()));
    let ending = async {
        let end = signals.end(parent, &activity, idle_limit).await;
        tracing::info!(?end, "leaving");
    };
    Ok(bound.serve(ending).await?)
}

fn generate(engine: &Engine, arguments: &GenerateArguments) -> anyhow::Result<()> {
    let grammar = match &arguments.schema {
        Some(schema) => Some(Grammar::Schema(bounded(&serde_json::from_str(schema)?)?)),
        None => None,
    };
    let messages = [Message::User {
        text: arguments.prompt.clone(),
    }];
    let prompt = engine.render(Request {
        messages: &messages,
        offer: None,
        thinking: None,
    })?;
    let task = Task {
        prompt: engine.prompt(&prompt),
        grammar,
        sampling: Sampling::Greedy,
        max_tokens: arguments.max_tokens,
    };
    let mut generation = engine.start(task)?;
    let mut out = std::io::stdout().lock();
    while let Some(piece) = generation.next_blocking() {
        match piece {
            Piece::Prompt(_) => {}
            Piece::Text(text) => {
                write!(out, "{text}")?;
                out.flush()?;
            }
            Piece::End(outcome) => writeln!(out, "\n{:?}", outcome?)?,
        }
    }
    Ok(())
}
