//! Building the services and connecting them. The only place that knows which service is in this
//! process and which is behind a socket. It decides nothing else.

mod knowledge;
mod memory;
mod senses;
mod stores;

pub use self::memory::{Memories, memories};
pub use knowledge::{Remembrance, remembrance, search};
pub use senses::LazyInbox;
pub use stores::{
    Store, chosen, secrets, secrets_socket, secrets_to_look, served_secrets, token, try_credential,
};

use crate::cards;
use crate::cli::SessionFlags;
use crate::commands::Setting;
use crate::exit::{Failure, OrFail};
use crate::lock::StateLock;
use crate::paths::private_folder;
use agents::Desk;
use anyhow::{Context, Result};
use api::audit::{Ack, Action, Audit, Durability, Entry};
use api::broker::{Broker, Control};
use api::bus::Bus;
use api::executor::Executor;
use api::models::Models;
use api::search::Search;
use api::secrets::Secrets;
use api::sessions::Sessions;
use async_trait::async_trait;
use bus::LocalBus;
use domain::Timestamp;
use domain::limits::INSTALL_TIME;
use observers::Capture;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::{CancellationToken, DropGuard};
use tools::FileTools;
use wire::server::Builder;
use wire::{Endpoint, Listen};

/// How much longer than its own limit a tool may take before the guard gives it up.
const TOOL_GRACE: Duration = Duration::from_secs(20);
/// Longest the end waits for services to let go of the audit log.
const LETTING_GO: Duration = Duration::from_secs(1);
/// How often it looks whether they have.
const LOOKING_AGAIN: Duration = Duration::from_millis(1);
/// Longest the end waits for answers to be remembered; the next start does the rest.
pub const CAPTURE_WAIT: Duration = Duration::from_secs(2);

/// The services, wherever they are.
pub struct House {
    /// What surfaces see.
    pub sessions: Arc<dyn Sessions>,
    /// The model gateway.
    pub gateway: Arc<dyn Models>,
    /// The guard.
    pub guard: Guard,
    /// The log.
    pub audit: Arc<dyn Audit>,
    /// What is remembered.
    pub remembrance: Remembrance,
    /// The web.
    pub search: Arc<dyn Search>,
    /// Remembers answers, where sessions are in this process and it is switched on.
    capture: Option<Capture>,
    /// Keeps other writers away for as long as this lives; `None` where the services are elsewhere.
    lock: Option<StateLock>,
    /// Serves these services to other processes until it is dropped.
    shared: Option<DropGuard>,
    /// Where they are, when that is another process.
    elsewhere: Option<Endpoint>,
    /// Where messages come in, if that is configured and in this process.
    inbox: Option<Arc<LazyInbox>>,
}

/// Both sides of the broker.
pub struct Guard {
    /// What agents see.
    pub broker: Arc<dyn Broker>,
    /// The user's side.
    pub control: Arc<dyn Control>,
}

impl Guard {
    fn at(endpoint: &Endpoint) -> Self {
        Self {
            broker: Arc::new(wire::broker::Client::connect(endpoint)),
            control: Arc::new(wire::control::Client::connect(endpoint)),
        }
    }
}

/// Whether a house may write.
#[derive(Debug)]
enum Access {
    /// It has the lock and records what it does.
    Write(StateLock),
    /// It only looks: no lock, and a log that refuses, so that nothing with an effect can run.
    Look,
}

impl House {
    /// The services to work with: those at `connect`, else those of a running daemon, else this
    /// process's own.
    ///
    /// # Errors
    /// When another process works here, or a part cannot start.
    pub async fn open(setting: &Setting, flags: &SessionFlags) -> Result<Self> {
        let socket = Endpoint::Unix(setting.paths.socket());
        let address = match &flags.connect {
            Some(address) => endpoint("--connect", address)?,
            None => {
                let is_served =
                    async || setting.paths.socket().exists() && wire::answers(&socket).await;
                private_folder(&setting.paths.state)?;
                let lock = match is_served().await {
                    true => None,
                    false => StateLock::wait_unless(&setting.paths.state, is_served).await?,
                };
                match lock {
                    Some(lock) => return Self::build(setting, Access::Write(lock)).await,
                    None => socket,
                }
            }
        };
        // What is decided in the other process cannot be asked for here.
        let refused = match (
            setting.loaded.config.models.air_gap,
            &flags.provider,
            &flags.model,
        ) {
            (true, _, _) => "`--air-gap`: start it there with `carl serve --air-gap`",
            (_, Some(_), None) => "`--provider` alone: name the model as well, with --model",
            _ => return Self::attach(&address).await,
        };
        Err(Failure::usage(
            format!("Housecarl is served at {address}, and cannot be told {refused}"),
            "Or stop it, so that this command starts one of its own.",
        )
        .into())
    }

    /// The services of a running daemon, which know what is in memory there, else those to look with.
    ///
    /// # Errors
    /// When a part cannot start.
    pub async fn watch(setting: &Setting) -> Result<Self> {
        let socket = Endpoint::Unix(setting.paths.socket());
        if setting.paths.socket().exists() && wire::answers(&socket).await {
            return Self::attach(&socket).await;
        }
        Self::look(setting).await
    }

    /// The services to look with: nothing is changed, and no other process is in the way.
    ///
    /// # Errors
    /// When a part cannot start.
    pub async fn look(setting: &Setting) -> Result<Self> {
        Self::build(setting, Access::Look).await
    }

    /// All services in this process, but those that `[endpoints]` places elsewhere.
    ///
    /// # Errors
    /// When another process works here, or a part cannot start.
    pub async fn in_process(setting: &Setting) -> Result<Self> {
        private_folder(&setting.paths.state)?;
        let lock = StateLock::wait(&setting.paths.state).await?;
        Self::build(setting, Access::Write(lock)).await
    }

    /// Serves these services to the user's other commands for as long as this house stands, so that
    /// a long chat does not keep them out. Where that does not work, they are told who has the lock.
    pub async fn share(&mut self, setting: &Setting) {
        if self.lock.is_none() {
            return;
        }
        let listen = Listen::Unix(setting.paths.socket());
        let bound = match private_folder(&setting.paths.runtime) {
            Ok(()) => {
                let curator = self.remembrance.sides.curator.clone();
                self.offer().curator(curator).bind(&listen).await
            }
            Err(error) => return tracing::warn!(%error, "not shared"),
        };
        match bound {
            Ok(bound) => {
                let stop = CancellationToken::new();
                tokio::spawn(bound.serve(stop.clone().cancelled_owned()));
                self.shared = Some(stop.drop_guard());
            }
            Err(error) => tracing::warn!(%error, "not shared"),
        }
    }

    /// Opens the inbox, if there is one, before a session in auto mode needs it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn open_inbox(&self) -> Result<()> {
        match &self.inbox {
            Some(inbox) => inbox.open().await,
            None => Ok(()),
        }
    }

    /// Whether others are served from this process.
    #[must_use]
    pub const fn serves(&self) -> bool {
        self.shared.is_some()
    }

    /// Takes nothing new from others; what they asked for already is answered still.
    pub fn serve_no_longer(&mut self) {
        self.shared = None;
    }

    /// Whether the services were in another process that no longer answers.
    pub async fn is_gone(&self) -> bool {
        match &self.elsewhere {
            Some(endpoint) => !wire::answers(endpoint).await,
            None => false,
        }
    }

    /// Everything, to be served.
    #[must_use]
    pub fn offer(&self) -> Builder {
        Builder::new()
            .audit(self.audit.clone())
            .models(self.gateway.clone())
            .broker(self.guard.broker.clone())
            .control(self.guard.control.clone())
            .sessions(self.sessions.clone())
            .memory(self.remembrance.sides.memory.clone())
            .search(self.search.clone())
    }

    /// Ends the work here and puts that on record. What the work came to is given back.
    ///
    /// # Errors
    /// The outcome's, else that the end cannot be recorded.
    pub async fn close<T>(self, outcome: Result<T>) -> Result<T> {
        if self.lock.is_none() {
            // Another process's services go on.
            return outcome;
        }
        if let Some(capture) = &self.capture {
            capture.settle(CAPTURE_WAIT).await;
        }
        let stopped = mark(self.audit.as_ref(), Action::Stop).await;
        let Self {
            sessions,
            gateway,
            guard,
            audit,
            remembrance,
            search,
            capture,
            lock,
            shared,
            elsewhere: _,
            inbox,
        } = self;
        drop((
            sessions,
            gateway,
            guard,
            remembrance,
            search,
            capture,
            shared,
            inbox,
        ));
        let_go(audit).await;
        // Only now may another process begin.
        drop(lock);
        let value = outcome?;
        stopped.or_fail()?;
        Ok(value)
    }

    async fn attach(endpoint: &Endpoint) -> Result<Self> {
        if !wire::answers(endpoint).await {
            return Err(Failure::usage(
                format!("no Housecarl answers at {endpoint}"),
                "Start one there with `carl serve --listen ADDRESS`, or leave --connect out.",
            )
            .into());
        }
        Ok(Self {
            sessions: Arc::new(wire::sessions::Client::connect(endpoint)),
            gateway: Arc::new(wire::models::Client::connect(endpoint)),
            guard: Guard::at(endpoint),
            audit: Arc::new(wire::audit::Client::connect(endpoint)),
            remembrance: Remembrance::at(endpoint),
            search: Arc::new(wire::search::Client::connect(endpoint)),
            capture: None,
            lock: None,
            shared: None,
            inbox: None,
            elsewhere: Some(endpoint.clone()),
        })
    }

    async fn build(setting: &Setting, access: Access) -> Result<Self> {
        private_folder(&setting.paths.state)?;
        let (lock, audit, secrets) = match access {
            Access::Write(lock) => {
                let audit = audit(setting)?;
                let secrets = secrets(setting, audit.clone()).await?;
                (Some(lock), audit, secrets)
            }
            Access::Look => {
                let secrets = secrets_to_look(setting).await?;
                (None, Arc::new(NoAudit) as Arc<dyn Audit>, secrets)
            }
        };
        let gateway = models(setting, secrets.clone())?;
        let files = files(setting)?;
        let knowledge = knowledge(setting, &audit, &gateway, (&secrets, &files))?;
        let (desk, inbox) = desk(setting)?;
        let guard = guard(setting, audit.clone(), secrets, (files, &knowledge, &desk))?;
        let bus = Arc::new(LocalBus::new());
        let outside = (audit.clone(), bus.clone() as Arc<dyn Bus>);
        let sessions = sessions(setting, &gateway, &guard, outside, desk)?;
        let Knowledge {
            remembrance,
            search,
        } = knowledge;
        let capture = match lock {
            None => None,
            Some(_) => {
                let house = observers::House {
                    sessions: sessions.clone(),
                    memory: remembrance.sides.memory.clone(),
                    models: gateway.clone(),
                    audit: audit.clone(),
                    clock: Arc::new(Timestamp::now),
                };
                capture(setting, house, bus.as_ref())
            }
        };
        if lock.is_some() {
            mark(audit.as_ref(), Action::Start).await.or_fail()?;
        }
        Ok(Self {
            sessions,
            gateway,
            guard,
            audit,
            remembrance,
            search,
            capture,
            lock,
            shared: None,
            elsewhere: None,
            inbox,
        })
    }
}

/// Records that this process begins or ends its work. The end is on the disk before the process is
/// gone.
///
/// # Errors
/// When the log takes nothing.
pub async fn mark(audit: &dyn Audit, action: Action) -> Result<(), api::audit::Error> {
    let durability = match action {
        Action::Stop => Durability::Durable,
        _ => Durability::Grouped,
    };
    let mut entry = Entry::new(Timestamp::now(), action);
    entry.detail = format!("carl {}", env!("CARGO_PKG_VERSION"));
    audit.append(entry, durability).await.map(|_| ())
}

/// Waits until nobody else in this process has the log, at most [`LETTING_GO`], and closes it: only a
/// log that was closed says where its next start may begin. What is still at work then is stopped.
pub async fn let_go(audit: Arc<dyn Audit>) {
    let alone = async {
        while Arc::strong_count(&audit) > 1 {
            tokio::time::sleep(LOOKING_AGAIN).await;
        }
    };
    if tokio::time::timeout(LETTING_GO, alone).await.is_err() {
        tracing::info!("the audit log is still in use; its next start takes longer");
    }
}

/// The gateway: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When the configuration of a provider or an address cannot be used.
pub fn models(setting: &Setting, secrets: Arc<dyn Secrets>) -> Result<Arc<dyn Models>> {
    let config = setting.loaded.config.clone();
    if let Some(endpoint) = remote("endpoints.models", &config.endpoints.models)? {
        return Ok(Arc::new(wire::models::Client::connect(&endpoint)));
    }
    let engine = models::EngineSettings {
        program: given(config.engine.program),
        models_folder: given(config.engine.models).unwrap_or_else(|| setting.paths.models()),
        socket_folder: setting.paths.runtime.clone(),
        idle_exit: Duration::from_secs(config.engine.idle_exit_secs),
    };
    Ok(Arc::new(
        models::Service::new(config.models, Some(secrets), engine).or_fail()?,
    ))
}

/// The log: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When another process has it, or it cannot be written.
pub fn audit(setting: &Setting) -> Result<Arc<dyn Audit>> {
    let address = &setting.loaded.config.endpoints.audit;
    if let Some(endpoint) = remote("endpoints.audit", address)? {
        return Ok(Arc::new(wire::audit::Client::connect(&endpoint)));
    }
    let config = audit::Config::new(setting.paths.audit(), setting.paths.keys());
    Ok(Arc::new(audit::Service::open(config).or_fail()?))
}

/// The log alone, for the user's own command: that of whoever serves here, else this process's, and
/// then the lock is held for as long as the second part is.
///
/// # Errors
/// When another process works here and does not serve its log, or it cannot be written.
pub async fn log(setting: &Setting) -> Result<(Arc<dyn Audit>, Option<StateLock>)> {
    for socket in [setting.paths.socket(), secrets_socket(setting)] {
        let endpoint = Endpoint::Unix(socket.clone());
        if socket.exists() && wire::answers(&endpoint).await {
            return Ok((Arc::new(wire::audit::Client::connect(&endpoint)), None));
        }
    }
    private_folder(&setting.paths.state)?;
    let lock = StateLock::wait(&setting.paths.state).await?;
    Ok((audit(setting)?, Some(lock)))
}

/// What agents' tools know from beyond this machine's files.
pub struct Knowledge {
    /// What is remembered.
    pub remembrance: Remembrance,
    /// The web.
    pub search: Arc<dyn Search>,
}

/// Memory and search, where tools are in this process or not.
///
/// # Errors
/// As [`remembrance()`] and [`search()`].
pub fn knowledge(
    setting: &Setting,
    audit: &Arc<dyn Audit>,
    models: &Arc<dyn Models>,
    (secrets, files): (&Arc<dyn Secrets>, &FileTools),
) -> Result<Knowledge> {
    let outside = (audit.clone(), models.clone(), secrets.clone());
    Ok(Knowledge {
        remembrance: remembrance(setting, audit.clone(), models.clone())?,
        search: search(setting, outside, Arc::new(files.clone()))?,
    })
}

/// The tools over files and programs.
///
/// # Errors
/// When their folders cannot be made.
pub fn files(setting: &Setting) -> Result<FileTools> {
    let config = tools::Config::new(setting.paths.undo(), setting.paths.own());
    let sandboxed = tools::Sandboxed {
        sandbox: Arc::new(sandbox::Service::default()),
        home: setting.paths.home.clone(),
        reader: std::env::current_exe().context("this program's own file is unknown")?,
    };
    Ok(FileTools::new(config).or_fail()?.sandboxed(sandboxed))
}

/// What remembers answers, if that is switched on.
#[must_use]
pub fn capture(setting: &Setting, house: observers::House, bus: &dyn Bus) -> Option<Capture> {
    let config = observers::Config::new(setting.paths.capture());
    let is_on = setting.loaded.config.memory.capture;
    is_on.then(|| Capture::start(config, house, bus))
}

/// The guard with its tools: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When the manifest cannot be used or the tools' folders cannot be made.
pub fn guard(
    setting: &Setting,
    audit: Arc<dyn Audit>,
    secrets: Arc<dyn Secrets>,
    (files, knowledge, desk): (FileTools, &Knowledge, &Arc<Desk>),
) -> Result<Guard> {
    let address = &setting.loaded.config.endpoints.broker;
    if let Some(endpoint) = remote("endpoints.broker", address)? {
        return Ok(Guard::at(&endpoint));
    }
    let memory = knowledge.remembrance.sides.memory.clone();
    let parts: Vec<Arc<dyn Executor>> = vec![
        Arc::new(files),
        Arc::new(tools::MemoryTools::new(memory)),
        Arc::new(tools::WebTools::new(knowledge.search.clone())),
        desk.clone(),
    ];
    let tools = tools::Executors::new(parts).or_fail()?;
    let mut config = broker::Config::new(setting.paths.home.clone(), setting.paths.own());
    config.agents_file = Some(setting.paths.agents_file()).filter(|file| file.exists());
    // Every tool keeps its own time; this is the longest, and a moment to let go.
    config.tool_time = INSTALL_TIME + TOOL_GRACE;
    let clock = Arc::new(Timestamp::now);
    let broker = broker::Service::with_secrets(config, audit, Arc::new(tools), secrets, clock);
    let broker = Arc::new(broker.or_fail()?);
    Ok(Guard {
        broker: broker.clone(),
        control: broker,
    })
}

/// Where the guard runs agents' own tools, with what sessions in auto mode hear by; and the inbox,
/// which is one of these.
///
/// # Errors
/// When an adapter is configured that cannot be.
pub fn desk(setting: &Setting) -> Result<(Arc<Desk>, Option<Arc<LazyInbox>>)> {
    let inbox = senses::inbox(setting)?;
    let desk = Desk::new(Arc::new(Timestamp::now));
    let desk = desk.with_senses(senses::all(setting, inbox.clone()));
    Ok((Arc::new(desk), inbox))
}

/// Sessions and agents, in this process.
///
/// # Errors
/// When the folder of the session logs cannot be used.
pub fn sessions(
    setting: &Setting,
    models: &Arc<dyn Models>,
    guard: &Guard,
    (audit, bus): (Arc<dyn Audit>, Arc<dyn Bus>),
    desk: Arc<Desk>,
) -> Result<Arc<dyn Sessions>> {
    let bridge = &setting.loaded.config.bridge;
    let mut config = agents::Config::new(setting.paths.sessions());
    config.recall = setting.loaded.config.memory.recall;
    config.agents_at_work = setting.loaded.config.agents.parallel;
    config.tool_iterations = setting.loaded.config.agents.tool_iterations.get();
    config.session_tokens =
        Some(setting.loaded.config.agents.session_tokens).filter(|most| *most > 0);
    config.drive = setting.loaded.config.drive.settings()?;
    config.bridge = match (bridge.command.is_empty(), given(bridge.socket.clone())) {
        (false, _) => Some(agents::Bridge::Stdio {
            command: bridge.command.clone(),
        }),
        (true, Some(path)) => Some(agents::Bridge::Socket { path }),
        (true, None) => None,
    };
    let names = ["AGENTS.md", "CLAUDE.md"];
    config.prompts.global_files = names.map(|name| setting.paths.config.join(name)).to_vec();
    config.prompts.cards = cards::load(&setting.paths.config.join("cards"))?;
    config
        .prompts
        .user_text
        .clone_from(&setting.loaded.config.chat.instructions);
    let service = agents::Service::new(
        config,
        models.clone(),
        guard.broker.clone(),
        guard.control.clone(),
        audit,
        bus,
        desk,
    );
    Ok(Arc::new(service.or_fail()?))
}

/// A path that was configured; an empty one was not.
fn given(path: PathBuf) -> Option<PathBuf> {
    Some(path).filter(|path| !path.as_os_str().is_empty())
}

fn remote(key: &str, address: &str) -> Result<Option<Endpoint>> {
    if address.is_empty() {
        Ok(None)
    } else {
        endpoint(key, address).map(Some)
    }
}

fn endpoint(key: &str, address: &str) -> Result<Endpoint> {
    address.parse::<Endpoint>().map_err(|error| {
        let message = format!("{key}: {error}");
        Failure::usage(message, "Write unix:/path/to.sock or tcp:127.0.0.1:50051.").into()
    })
}

/// The log of a process that only looks: it takes nothing, so the guard lets nothing run.
struct NoAudit;

#[async_trait]
impl Audit for NoAudit {
    async fn append(
        &self,
        _entry: Entry,
        _durability: Durability,
    ) -> Result<Ack, api::audit::Error> {
        let detail = "this command only looks and records nothing".to_owned();
        Err(api::audit::Error::Unwritable { detail })
    }
}
