//! `cargo xtask bench`: measures the whole program, what memory finds, memory when it is large, the
//! order of requests to a model server, or what survives of a long conversation.

use crate::setup;
use crate::steps::{Steps, cargo, root, show};
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How to measure.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// What else than the whole program
    #[command(subcommand)]
    pub what: Option<What>,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/bench.json")]
    pub out: PathBuf,
    /// A tenth of the rounds: to see that it works
    #[arg(long)]
    pub quick: bool,
    /// Measure what is shipped (`--profile dist`) instead of a release build
    #[arg(long)]
    pub dist: bool,
}

/// What is measured instead of the whole program.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum What {
    /// How well memory finds what answers a question: recall on LoCoMo, whose file HOUSE_LOCOMO names
    Memory(Recall),
    /// How memory behaves when it is large: times, memory and files with up to a million entries
    MemoryScale(Scale),
    /// What grouping requests by model saves on a simulated server with room for one model
    Swap(Swap),
    /// What of a long conversation survives when its view is made smaller
    Retention(Retention),
    /// The terminal UI: its first frame, keys while an answer streams, and what it costs
    Tui(Tui),
    /// Sessions that stream at once over HTTP, what is added to each token, and readers that wait
    Streams(Streams),
    /// Everyday tasks, or repairs of small projects, through the whole program: how many are solved, by
    /// rules and by a model
    Tasks(Tasks),
}

/// How to measure the terminal UI.
#[derive(Debug, Clone, clap::Args)]
pub struct Tui {
    /// A tenth of the sessions, rounds and times
    #[arg(long)]
    pub quick: bool,
    /// Also two other terminal agents, which npm installs below target/
    #[arg(long)]
    pub others: bool,
    /// How long it stands idle, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub idle_secs: u64,
    /// How long answers stream into it, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600)]
    pub stream_secs: u64,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/tui.json")]
    pub out: PathBuf,
}

/// How to measure many sessions that stream.
#[derive(Debug, Clone, clap::Args)]
pub struct Streams {
    /// Sessions that stream at once, and readers that wait
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    pub sessions: usize,
    /// How long each streams, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub secs: u64,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/streams.json")]
    pub out: PathBuf,
}

/// How to measure everyday tasks.
#[derive(Debug, Clone, clap::Args)]
pub struct Tasks {
    /// Passed on: `--set tuning`, `published` or `repairs`, `--only edit`, `--config FILE`,
    /// `--flag=--mode --flag=loop`, `--answers`; `--help` lists them
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "OPTION"
    )]
    pub options: Vec<OsString>,
}

/// How to measure what survives.
#[derive(Debug, Clone, clap::Args)]
pub struct Retention {
    /// Without the embedded model
    #[arg(long)]
    pub rules: bool,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/retention.json")]
    pub out: PathBuf,
}

/// How to measure the order of requests.
#[derive(Debug, Clone, clap::Args)]
pub struct Swap {
    /// How long loading a model takes, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 6)]
    pub swap_secs: u64,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/swap.json")]
    pub out: PathBuf,
}

/// How to measure a large memory.
#[derive(Debug, Clone, clap::Args)]
pub struct Scale {
    /// Ten thousand entries and no more
    #[arg(long)]
    pub quick: bool,
    /// How many entries, one run after the other
    #[arg(long, value_name = "NUMBER,…")]
    pub entries: Option<String>,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/memory-scale.json")]
    pub out: PathBuf,
}

/// How to measure recall.
#[derive(Debug, Clone, clap::Args)]
pub struct Recall {
    /// The generated conversations, which need no file
    #[arg(long)]
    pub generated: bool,
    /// Words alone: no embedding model
    #[arg(long)]
    pub words: bool,
    /// What ratings of answers are worth instead
    #[arg(long)]
    pub ratings: bool,
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Measures what was asked for.
///
/// # Errors
/// When something does not build, or a measurement cannot be made.
pub fn run(steps: &mut Steps, options: Options) -> Result<()> {
    match options.what.clone() {
        None => program(steps, &options),
        Some(What::Memory(options)) => recall(steps, options),
        Some(What::MemoryScale(options)) => scale(steps, &options),
        Some(What::Swap(options)) => swap(steps, &options),
        Some(What::Retention(options)) => retention(steps, &options),
        Some(What::Tasks(options)) => tasks(steps, &options),
        Some(What::Tui(options)) => tui(steps, &options),
        Some(What::Streams(options)) => streams(steps, &options),
    }
}

/// Measures what memory finds. The engine and its models are those of `cargo xtask setup`, unless
/// HOUSE_ENGINE and HOUSE_MODELS name others.
fn recall(steps: &mut Steps, options: Recall) -> Result<()> {
    let mut command = cargo(&["run", "--release", "--quiet", "-p", "recall", "--"]);
    command.args(options.generated.then_some("--generated"));
    command.args(options.words.then_some("--words"));
    command.args(options.ratings.then_some("--ratings"));
    if let Some(path) = &options.json {
        command.arg("--json").arg(path);
    }
    if !options.words {
        let paths = setup::paths()?;
        let models = paths.embedding_model.parent();
        let models = models.context("the embedding model is in no folder")?;
        let or = |name: &str, usual: OsString| std::env::var_os(name).unwrap_or(usual);
        command.env("HOUSE_ENGINE", or("HOUSE_ENGINE", paths.engine.into()));
        command.env("HOUSE_MODELS", or("HOUSE_MODELS", models.into()));
    }
    let advice =
        "The message above says what is missing; `cargo xtask setup` makes engine and model.";
    steps.run("recall of memory", advice, || show(&mut command))
}

/// Measures what survives. The embedded model takes minutes; engine and model are those of `cargo
/// xtask setup`, unless HOUSE_ENGINE and HOUSE_MODELS name others.
fn retention(steps: &mut Steps, options: &Retention) -> Result<()> {
    let mut command = cargo(&["run", "--release", "--quiet", "-p", "retention", "--"]);
    command.arg("--out").arg(root().join(&options.out));
    if options.rules {
        command.env_remove("HOUSE_ENGINE");
    } else {
        let paths = setup::paths()?;
        let models = paths.chat_model.parent();
        let models = models.context("the chat model is in no folder")?;
        let or = |name: &str, usual: OsString| std::env::var_os(name).unwrap_or(usual);
        command.env("HOUSE_ENGINE", or("HOUSE_ENGINE", paths.engine.into()));
        command.env("HOUSE_MODELS", or("HOUSE_MODELS", models.into()));
    }
    let advice = "The message above names what is missing.";
    steps.run("what survives", advice, || show(&mut command))
}

/// Works through everyday tasks with the program that `cargo xtask try` builds. Engine and model are
/// those of `cargo xtask setup`, unless HOUSE_ENGINE and HOUSE_MODELS name others.
fn tasks(steps: &mut Steps, options: &Tasks) -> Result<()> {
    let profile = setup::ENGINE_PROFILE;
    let advice = "The compiler's messages are above.";
    steps.run("build of carl", advice, || {
        show(&mut cargo(&["build", "--profile", profile, "-p", "carl"]))
    })?;
    let paths = setup::paths()?;
    let carl = paths.engine.with_file_name("carl");
    let models = paths.chat_model.parent();
    let models = models.context("the chat model is in no folder")?;
    let or = |name: &str, usual: OsString| std::env::var_os(name).unwrap_or(usual);
    let mut command = cargo(&["run", "--profile", profile, "--quiet", "-p", "tasks", "--"]);
    command
        .args(["--out", "target/tasks.json"])
        .args(&options.options)
        .env("HOUSE_ENGINE", or("HOUSE_ENGINE", paths.engine.into()))
        .env("HOUSE_MODELS", or("HOUSE_MODELS", models.into()))
        .env("CARL_PROGRAM", or("CARL_PROGRAM", carl.into()));
    let advice = "The message above names the task; `cargo xtask setup` makes engine and model.";
    steps.run("everyday tasks", advice, || show(&mut command))
}

/// Other terminal agents: the package that npm has, and its program.
const OTHERS: [(&str, &str); 2] = [("@openai/codex", "codex"), ("opencode-ai", "opencode")];

/// Measures the terminal UI of a release build.
fn tui(steps: &mut Steps, options: &Tui) -> Result<()> {
    let carl = built(steps, "release")?;
    let mut others = Vec::new();
    if options.others {
        let folder = root().join("target").join("agents");
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-fund", "--no-audit", "--prefix"]);
        npm.arg(&folder).args(OTHERS.map(|(package, _)| package));
        let advice = "npm comes with Node.js; its messages are above.";
        steps.run("other terminal agents", advice, || show(&mut npm))?;
        let program = |name: &str| folder.join("node_modules").join(".bin").join(name);
        others.extend(OTHERS.map(|(_, name)| format!("{name}={}", program(name).display())));
    }
    let mut command = measure(&options.out, options.quick);
    command.arg("--tui-only").env("CARL_PROGRAM", carl);
    command.args(["--idle-secs", &options.idle_secs.to_string()]);
    command.args(["--stream-secs", &options.stream_secs.to_string()]);
    command.args(others.iter().flat_map(|other| ["--other", other]));
    let advice = "The message above names the measurement.";
    steps.run("the terminal UI", advice, || show(&mut command))
}

/// Measures sessions that stream over HTTP, by a release build. A tenth of the sessions, as with
/// `--sessions 100 --secs 5`, shows that it works.
fn streams(steps: &mut Steps, options: &Streams) -> Result<()> {
    let carl = built(steps, "release")?;
    let mut command = measure(&options.out, false);
    command.arg("--http-only").env("CARL_PROGRAM", carl);
    command.args(["--http-sessions", &options.sessions.to_string()]);
    command.args(["--http-secs", &options.secs.to_string()]);
    let advice = "The message above names the measurement.";
    steps.run("streams over HTTP", advice, || show(&mut command))
}

/// Measures a large memory. A million entries take about half an hour.
fn scale(steps: &mut Steps, options: &Scale) -> Result<()> {
    let mut command = cargo(&["run", "--release", "--quiet", "-p", "scale", "--"]);
    command.arg("--out").arg(root().join(&options.out));
    command.args(options.quick.then_some("--quick"));
    if let Some(entries) = &options.entries {
        command.arg("--entries").arg(entries);
    }
    let advice = "The message above names the measurement.";
    steps.run("a large memory", advice, || show(&mut command))
}

/// Measures the order of requests. The clock is simulated, so it takes no time.
fn swap(steps: &mut Steps, options: &Swap) -> Result<()> {
    let mut command = cargo(&["run", "--release", "--quiet", "-p", "swap", "--"]);
    command.arg("--out").arg(root().join(&options.out));
    command
        .arg("--swap-secs")
        .arg(options.swap_secs.to_string());
    let advice = "The message above names the load.";
    steps.run("the order of requests", advice, || show(&mut command))
}

/// Builds `carl` in release mode, or as it is shipped, and measures it.
///
/// # Errors
/// When it does not build, or a measurement cannot be made.
fn program(steps: &mut Steps, options: &Options) -> Result<()> {
    let carl = built(steps, if options.dist { "dist" } else { "release" })?;
    let advice = "The message above names the measurement.";
    steps.run("measurements", advice, || {
        show(measure(&options.out, options.quick).env("CARL_PROGRAM", carl))
    })
}

/// Builds `carl` by a profile; the program.
fn built(steps: &mut Steps, profile: &str) -> Result<PathBuf> {
    let advice = "The compiler's messages are above.";
    steps.run(&format!("{profile} build of carl"), advice, || {
        show(&mut cargo(&["build", "--profile", profile, "-p", "carl"]))
    })?;
    let engine = setup::paths()?.engine;
    let target = engine.parent().and_then(Path::parent);
    let target = target.context("the engine is in no build folder")?;
    Ok(target.join(profile).join("carl"))
}

/// The program that measures.
fn measure(out: &Path, is_quick: bool) -> Command {
    let mut command = cargo(&["run", "--release", "--quiet", "-p", "measure", "--"]);
    command.arg("--out").arg(root().join(out));
    command.args(is_quick.then_some("--quick"));
    command
}
