//! The engine's process: started on first use, watched, started again a few times after a crash.

use super::place::EngineSettings;
use crate::error::{Error, ErrorKind, quote};
use api::models::Models;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};

/// Longest that loading a model may take.
const LOADING: Duration = Duration::from_secs(120);
/// How often to look whether the socket is there.
const LOOK: Duration = Duration::from_millis(10);
/// Crashes in a row after which the engine is not started again.
const CRASHES: u32 = 3;
/// Pause before the first restart; it doubles.
const RESTART_PAUSE: Duration = Duration::from_millis(200);
/// Longest wait for what an engine that ended wrote last.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// What of the engine's own words is kept for an error, lines.
const KEPT_LINES: usize = 20;
/// Variables that the engine gets; none of them can hold a secret.
const VARIABLES: [&str; 4] = ["PATH", "LD_LIBRARY_PATH", "LANG", "RUST_LOG"];

/// A running engine.
struct Running {
    child: Child,
    client: Arc<dyn Models>,
    model: String,
    socket: PathBuf,
    said: Said,
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process ends with its handle; the socket and its lock would stay behind.
        let mut lock = self.socket.clone().into_os_string();
        lock.push(".lock");
        for left in [self.socket.as_path(), Path::new(&lock)] {
            if let Err(error) = std::fs::remove_file(left) {
                tracing::debug!(%error, path = %left.display(), "was gone already");
            }
        }
    }
}

/// The last lines the engine wrote to its standard error.
type Said = Arc<StdMutex<Vec<String>>>;

/// Keeps one engine running while it is wanted.
pub(super) struct Supervisor {
    settings: Arc<EngineSettings>,
    running: Mutex<Option<Running>>,
    crashes: AtomicU32,
}

impl Supervisor {
    pub(super) fn new(settings: Arc<EngineSettings>) -> Self {
        Self {
            settings,
            running: Mutex::new(None),
            crashes: AtomicU32::new(0),
        }
    }

    /// The engine gave an answer, so earlier crashes no longer count.
    pub(super) fn answered(&self) {
        self.crashes.store(0, Ordering::Relaxed);
    }

    /// The model in memory, if the engine runs.
    pub(super) async fn running_model(&self) -> Option<String> {
        let mut running = self.running.lock().await;
        let alive = running
            .as_mut()
            .is_some_and(|engine| is_alive(&mut engine.child));
        running
            .as_ref()
            .filter(|_| alive)
            .map(|engine| engine.model.clone())
    }

    /// A client, if the engine runs with this model.
    pub(super) async fn client_if_running(&self, model: &str) -> Option<Arc<dyn Models>> {
        let mut running = self.running.lock().await;
        let engine = running.as_mut()?;
        (engine.model == model && is_alive(&mut engine.child)).then(|| Arc::clone(&engine.client))
    }

    /// A client of the engine running with any model, for embeddings.
    pub(super) async fn client_for_embedding(&self, model: &str) -> Result<Arc<dyn Models>, Error> {
        if self.settings.embedding_folder().is_none() {
            let installed = self.settings.installed()?;
            return Err(self.settings.no_such_model(model, &installed));
        }
        let with = match self.running_model().await {
            Some(running) => running,
            None => self.settings.any_weights()?,
        };
        self.client(&with).await
    }

    /// A client of the engine running with a model; starts it where needed.
    ///
    /// # Errors
    /// `NotConfigured` and `UnknownModel` when something is not installed; `Unreachable` when the
    /// engine does not start or crashed too often.
    pub(super) async fn client(&self, model: &str) -> Result<Arc<dyn Models>, Error> {
        let mut running = self.running.lock().await;
        if let Some(engine) = running.as_mut() {
            let ended = engine
                .child
                .try_wait()
                .map_err(|source| broken("cannot be watched").with_source(source))?;
            match ended {
                None if engine.model == model => return Ok(Arc::clone(&engine.client)),
                None => {}
                // An orderly end is the idle limit.
                Some(status) if status.success() => {}
                Some(status) => self.crashed(&format!("{status}"), &engine.said)?,
            }
        }
        *running = None;
        loop {
            self.pause().await;
            match self.start(model).await? {
                Started::Up(engine) => {
                    let client = Arc::clone(&engine.client);
                    *running = Some(*engine);
                    return Ok(client);
                }
                Started::Ended(status, said) => self.crashed(&status, &said)?,
            }
        }
    }

    /// Counts a crash.
    ///
    /// # Errors
    /// `Unreachable` when it was one too many, with the engine's last words.
    fn crashed(&self, status: &str, said: &Said) -> Result<(), Error> {
        let crashes = self.crashes.fetch_add(1, Ordering::Relaxed) + 1;
        let words = said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .join(" ");
        tracing::warn!(crashes, status, words, "the embedded engine ended");
        if crashes < CRASHES {
            return Ok(());
        }
        self.crashes.store(0, Ordering::Relaxed);
        Err(broken(&format!(
            "ended {crashes} times in a row ({status}): {}",
            quote(&words)
        ))
        .with_hint("`carl doctor` checks it; a model server such as Ollama does without it"))
    }

    async fn pause(&self) {
        let crashes = self.crashes.load(Ordering::Relaxed);
        if crashes > 0 {
            sleep(RESTART_PAUSE.saturating_mul(1 << (crashes - 1).min(8))).await;
        }
    }

    async fn start(&self, model: &str) -> Result<Started, Error> {
        let program = self.settings.find_program()?;
        let weights = self.settings.weights(model)?;
        let socket = self.settings.socket()?;
        remove_stale(&socket)?;
        let mut command = self.command(&program, &weights, &socket);
        let mut child = command.spawn().map_err(|source| {
            broken(&format!("cannot be started from {}", program.display())).with_source(source)
        })?;
        let said = Said::default();
        let stderr = child.stderr.take();
        let heard = stderr.map(|stderr| tokio::spawn(listen(stderr, Arc::clone(&said))));
        let deadline = Instant::now() + LOADING;
        loop {
            if UnixStream::connect(&socket).await.is_ok() {
                return Ok(Started::Up(Box::new(Running {
                    child,
                    client: (self.settings.connect)(&socket),
                    model: model.to_owned(),
                    socket,
                    said,
                })));
            }
            let ended = child
                .try_wait()
                .map_err(|source| broken("cannot be watched").with_source(source))?;
            if let Some(status) = ended {
                if let Some(heard) = heard {
                    // What it wrote last may still be on its way.
                    let _all = timeout(LAST_WORDS, heard).await;
                }
                return Ok(Started::Ended(status.to_string(), said));
            }
            if Instant::now() >= deadline {
                return Err(broken(&format!(
                    "did not load {model} within {} s",
                    LOADING.as_secs()
                )));
            }
            sleep(LOOK).await;
        }
    }

    fn command(&self, program: &Path, weights: &Path, socket: &Path) -> Command {
        let mut listen_on = std::ffi::OsString::from("unix:");
        listen_on.push(socket);
        let mut command = Command::new(program);
        command
            .arg("--listen")
            .arg(listen_on)
            .arg("--model")
            .arg(weights)
            .arg("--idle-exit-secs")
            .arg(self.settings.idle_exit.as_secs().max(1).to_string());
        if let Some(folder) = self.settings.embedding_folder() {
            command.arg("--embedding-model").arg(folder);
        }
        command.env_clear();
        for name in VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

enum Started {
    Up(Box<Running>),
    Ended(String, Said),
}

fn broken(what: &str) -> Error {
    Error::new(
        ErrorKind::Unreachable,
        format!("the embedded engine {what}"),
    )
}

fn is_alive(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(None))
}

fn remove_stale(socket: &Path) -> Result<(), Error> {
    match std::fs::remove_file(socket) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(broken(&format!("cannot use {}", socket.display())).with_source(source)),
    }
}

/// Keeps the engine's last words for an error, and passes all of them to the log.
async fn listen(stderr: ChildStderr, said: Said) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::debug!(target: "engine", "{line}");
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() >= KEPT_LINES {
            said.remove(0);
        }
        said.push(line);
    }
}
