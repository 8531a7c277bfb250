//! The services, one function each: in this process, or where `[endpoints]` says.

use super::endpoints::{given, remote};
use super::knowledge::{Remembrance, remembrance, search};
use super::notes;
use super::rubrics;
use super::senses;
use crate::setting::Setting;
use agents::cards::{self, Cards};
use agents::{AgentCard, AgentTools};
use anyhow::{Context, Result};
use api::audit::{Action, Audit, Durability, Entry};
use api::broker::{Broker, Control};
use api::bus::Bus;
use api::executor::Executor;
use api::models::Models;
use api::search::Search;
use api::sessions::Sessions;
use api::signals::Source;
use broker::KnownSecrets;
use config::Observed;
use desktop::power;
use domain::Timestamp;
use domain::limits::INSTALL_TIME;
use domain::lineage::AgentType;
use files::FileTools;
use grpc::Endpoint;
use inbox::LazyInbox;
use observers::{Observers, QualityConfig, RoutingConfig, SecondConfig, When};
use planner_bridge::Bridge;
use programs::ProgramTools;
use rendering::print_error;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use terminal::exit::{Failure, OrFail};
use terminal::notes::Vouched;

/// How much longer than its own limit a tool may take before the guard gives it up.
const TOOL_GRACE: Duration = Duration::from_secs(20);
/// Longest the end waits for services to let go of the audit log.
const LETTING_GO: Duration = Duration::from_secs(1);
/// How often it looks whether they have.
const LOOKING_AGAIN: Duration = Duration::from_millis(1);
/// Longest the end waits for answers to be remembered; the next start does the rest.
pub const OBSERVERS_WAIT: Duration = Duration::from_secs(2);

/// Both sides of the broker.
pub struct Guard {
    /// What agents see.
    pub broker: Arc<dyn Broker>,
    /// The user's side.
    pub control: Arc<dyn Control>,
}

impl Guard {
    /// Where it is served.
    pub(super) fn at(endpoint: &Endpoint) -> Self {
        Self {
            broker: Arc::new(grpc::broker::Client::connect(endpoint)),
            control: Arc::new(grpc::control::Client::connect(endpoint)),
        }
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
pub fn models(setting: &Setting, secrets: &KnownSecrets) -> Result<Arc<dyn Models>> {
    let config = setting.loaded.config.clone();
    if let Some(endpoint) = remote("endpoints.models", &config.endpoints.models)? {
        return Ok(Arc::new(grpc::models::Client::connect(&endpoint)));
    }
    let engine = models::EngineSettings {
        program: given(config.engine.program),
        models_folder: given(config.engine.models).unwrap_or_else(|| setting.paths.models()),
        socket_folder: setting.paths.runtime.clone(),
        idle_exit: Duration::from_secs(config.engine.idle_exit_secs),
        connect: grpc::models::at_socket,
    };
    let learnt = setting.paths.state.join("tokens.json");
    let gateway = models::Service::remembering(
        config.models,
        Some(Arc::new(secrets.clone())),
        engine,
        learnt,
    );
    Ok(Arc::new(gateway.or_fail()?))
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
    (secrets, local): (&KnownSecrets, &LocalTools),
) -> Result<Knowledge> {
    let outside = (audit.clone(), models.clone(), secrets.clone());
    Ok(Knowledge {
        remembrance: remembrance(setting, audit.clone(), models.clone())?,
        search: search(setting, outside, Arc::new(local.programs.clone()))?,
    })
}

/// The tools that act on this machine.
pub struct LocalTools {
    pub files: FileTools,
    pub programs: ProgramTools,
}

/// The tools over files and programs.
///
/// # Errors
/// When their folders cannot be made.
pub fn local_tools(setting: &Setting) -> Result<LocalTools> {
    let home = setting.paths.home.clone();
    let config = files::Config::new(setting.paths.undo(), setting.paths.own(), home);
    let files = FileTools::new(config).or_fail()?;
    let programs = ProgramTools::new(programs::Config {
        sandbox: Arc::new(sandbox::Service::default()),
        home: setting.paths.home.clone(),
        reader: std::env::current_exe().context("this program's own file is unknown")?,
        program_time: Duration::from_secs(setting.loaded.config.tools.command_secs),
        air_gap: setting.loaded.config.models.air_gap,
        protected: files.protected().clone(),
        checkpoints: Some(Arc::new(files.clone())),
        own_folders: files.own_folders().to_vec(),
    });
    let files = files.with_documents(Arc::new(programs.clone()));
    Ok(LocalTools { files, programs })
}

/// What remembers answers, if that is switched on, and what grades them.
///
/// # Errors
/// Where a rubric of the user's is none.
pub fn observers(
    setting: &Setting,
    services: &observers::Services,
    bus: &dyn Bus,
) -> Result<Observers> {
    let config = &setting.loaded.config;
    let capture = observers::Config::new(setting.paths.capture());
    let capture = config.memory.capture.then_some(capture);
    let when = |observed| match observed {
        Observed::Off => When::Off,
        Observed::OnDemand => When::OnDemand,
        Observed::Every => When::Every,
    };
    let quality = QualityConfig {
        folder: setting.paths.quality(),
        when: when(config.observers.critic),
        share: config.observers.critic_share,
        on_battery: config.observers.critic_on_battery,
        longest: Duration::from_secs(config.observers.critic_secs),
        is_on_battery: Arc::new(|| power::is_on_battery(Path::new(power::SUPPLIES))),
        rubrics: Arc::new(rubrics::read(&setting.paths.rubrics())?),
        second: SecondConfig {
            when: when(config.observers.respondent_b),
            share: config.observers.respondent_b_share,
            model: config.observers.model_b.clone(),
            temperature: config.observers.temperature_b,
        },
    };
    Ok(Observers::start(capture, quality, services, bus))
}

/// The guard with its tools: in this process, or where `[endpoints]` says.
///
/// # Errors
/// When the manifest cannot be used or the tools' folders cannot be made.
pub fn guard(
    setting: &Setting,
    audit: Arc<dyn Audit>,
    secrets: KnownSecrets,
    (local, knowledge): (LocalTools, &Knowledge),
) -> Result<Guard> {
    let address = &setting.loaded.config.endpoints.broker;
    if let Some(endpoint) = remote("endpoints.broker", address)? {
        return Ok(Guard::at(&endpoint));
    }
    let memory = knowledge.remembrance.sides.memory.clone();
    let parts: Vec<Arc<dyn Executor>> = vec![
        Arc::new(local.files),
        Arc::new(local.programs),
        Arc::new(tools::MemoryTools::new(memory)),
        Arc::new(tools::WebTools::new(knowledge.search.clone())),
    ];
    let tools = tools::Executors::new(parts).or_fail()?;
    let mut config = broker::Config::new(setting.paths.home.clone(), setting.paths.own());
    config.caller_tools = AgentTools::table();
    config.confirmation_wait = Duration::from_secs(setting.loaded.config.policy.question_secs);
    config.agents_file = Some(setting.paths.agents_file()).filter(|file| file.exists());
    // Every tool keeps its own time; this is the longest, and a moment to let go.
    config.tool_time = INSTALL_TIME + TOOL_GRACE;
    let clock = Arc::new(Timestamp::now);
    let broker = broker::Service::with_secrets(config, audit, Arc::new(tools), secrets, clock);
    let broker = Arc::new(broker.or_fail()?);
    // What an agent of an earlier process put there is no link of the user's.
    ::paths::note_changeable(&broker.changeable_folders());
    Ok(Guard {
        broker: broker.clone(),
        control: broker,
    })
}

/// Agents' own tools, with what sessions hear by; and the inbox, which is one of these.
///
/// # Errors
/// When an adapter is configured that cannot be.
pub fn agent_tools(
    setting: &Setting,
    local: &LocalTools,
) -> Result<(Arc<AgentTools>, Option<Arc<LazyInbox>>)> {
    let inbox = senses::inbox(setting)?;
    let broker = &setting.loaded.config.endpoints.broker;
    let jobs: Arc<dyn Source> = match remote("endpoints.broker", broker)? {
        Some(endpoint) => Arc::new(grpc::signals::Client::connect(&endpoint)),
        None => Arc::new(local.programs.jobs()),
    };
    let agent_tools = AgentTools::new(Arc::new(Timestamp::now));
    let agent_tools = agent_tools.with_senses(senses::all(setting, inbox.clone(), jobs));
    Ok((Arc::new(agent_tools), inbox))
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
    agent_tools: Arc<AgentTools>,
) -> Result<Arc<dyn Sessions>> {
    let bridge = &setting.loaded.config.bridge;
    let mut config = agents::Config::new(setting.paths.sessions());
    config.outlines = setting.outlines.clone();
    config.recall = setting.loaded.config.memory.recall;
    config.recall_wait = Duration::from_millis(setting.loaded.config.memory.recall_ms);
    config.agents_at_work = setting.loaded.config.agents.parallel;
    config.rules_first = setting.loaded.config.chat.rules_first;
    config.tool_iterations = setting.loaded.config.agents.tool_iterations.get();
    config.open_sessions = setting.loaded.config.agents.open_sessions.get();
    config.session_tokens =
        Some(setting.loaded.config.agents.session_tokens).filter(|most| *most > 0);
    config.drive = setting.loaded.config.drive.settings()?;
    config.planner = match (bridge.command.is_empty(), given(bridge.socket.clone())) {
        (false, _) => Some(Arc::new(Bridge::Stdio {
            command: bridge.command.clone(),
        })),
        (true, Some(path)) => Some(Arc::new(Bridge::Socket { path })),
        (true, None) => None,
    };
    let routing = routing(setting);
    if !routing.routes.is_empty() {
        config.router = Some(Arc::new(observers::Routed::new(routing)));
    }
    let names = terminal::notes::NAMES;
    config.prompts.global_files = names.map(|name| setting.paths.config.join(name)).to_vec();
    let vouched = Vouched::below(&setting.paths.state);
    let read = move |folder: &Path| notes::found(folder, &vouched);
    config.prompts.project_notes = agents::notes::Reader::new(read);
    config.prompts.cards = cards(setting)?;
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
        agent_tools,
    );
    Ok(Arc::new(service.or_fail()?))
}

/// What routing goes by.
#[must_use]
pub fn routing(setting: &Setting) -> RoutingConfig {
    let config = &setting.loaded.config.observers;
    RoutingConfig {
        folder: setting.paths.quality(),
        routes: config.routes.clone(),
        agreement: config.route_agreement,
    }
}

/// The agent cards; a file beside them that is none is told of.
fn cards(setting: &Setting) -> Result<BTreeMap<AgentType, AgentCard>> {
    let Cards { cards, left_out } = match cards::load(&setting.paths.config.join("cards")) {
        Err(cards::Error::Form(problem)) => {
            return Err(Failure::usage(problem, cards::ABOUT).into());
        }
        loaded => loaded?,
    };
    for line in left_out {
        print_error(&format!("warning: {line}\n"))?;
    }
    Ok(cards)
}
