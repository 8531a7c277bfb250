//! The configuration of `carl`: its keys, where it is looked for, and what is in force.
//!
//! What it is: the whole of what a user may set in files and in the environment, parsed once.
//! `config.toml` in the configuration folder is the user's. `.housecarl.toml` in the workspace or a
//! folder above it may only narrow. `CARL_SECTION__KEY` in the environment comes after both.
//! What it owns: every key with its default and the file that `carl init` writes ([`TEMPLATE`]), and
//! the folders that Housecarl keeps things in ([`paths::Paths`]).
//! What it never does: build a service, or know a flag of the command line.
//! Where to start: [`Config`] for the keys, [`load()`] for how they are read.

mod agent;
mod drive;
mod load;
mod origin;
pub mod paths;
mod project;
mod providers;
mod sense;
mod template;
mod tui_section;

pub use agent::{check_default_agent, check_disabled_tools, check_typed_agent};
pub use drive::{Drive, InboxConfig};
pub use load::{Loaded, load};
pub use origin::{Origins, show};
pub use project::Project;
pub use providers::{check_model, instead_of};
pub use template::TEMPLATE;
pub use tui_section::{Bound, Editing, Theme, Tui};

use configuration::Variables;
use domain::model::{ModelRef, ModelRole};
use domain::settings::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use terminal::exit::Failure;
use text::secrets::is_a_key;

/// The variables that are configuration. `CARL_BLESS` and the like, without two underscores, are not.
pub const VARIABLES: Variables = Variables {
    prefix: "CARL_",
    others: &["CARL_ENGINE_LOG"],
    listed_by: "`carl config show`",
    is_key: is_a_key,
};

/// A mistake in the configuration, as it ends a command.
fn usage(error: configuration::Error) -> anyhow::Error {
    Failure::usage(error.message, error.hint).into()
}

/// The whole configuration. Every key is optional; every default is visible in `carl config show`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How sessions begin.
    pub chat: Chat,
    /// The terminal UI.
    pub tui: Tui,
    /// Model providers and roles.
    pub models: models::Config,
    /// The embedded engine.
    pub engine: Engine,
    /// An external planner.
    pub bridge: Bridge,
    /// What is forbidden beyond the manifest.
    pub policy: Policy,
    /// Where the web is searched.
    pub search: search::Config,
    /// Where secrets are kept.
    pub secrets: secrets::Config,
    /// What is remembered and how it is found.
    pub memory: memory::Config,
    /// What is made of answers.
    pub observers: Observers,
    /// Agents that others start.
    pub agents: Agents,
    /// The tools.
    pub tools: Tools,
    /// How sessions in auto mode go on by themselves.
    pub drive: Drive,
    /// Where messages for sessions in auto mode come in.
    pub inbox: InboxConfig,
    /// Where other roles are served; empty: in this process.
    pub endpoints: Endpoints,
}

/// How sessions begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Chat {
    /// The agent type.
    pub default_agent: String,
    /// How requests are worked on.
    #[schemars(with = "String")]
    pub default_mode: Mode,
    /// Whether what the rules understand is done by them, without a model, in adaptive mode. `false`:
    /// only where the small model that comes along would answer.
    pub rules_first: bool,
    /// Your own standing instructions, told to every agent.
    pub instructions: String,
}

impl Default for Chat {
    fn default() -> Self {
        Self {
            default_agent: "coder".to_owned(),
            default_mode: Mode::Adaptive,
            rules_first: false,
            instructions: String::new(),
        }
    }
}

/// Sessions and the agents in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Agents {
    /// How many of one session work at the same time, 1 to 64.
    pub parallel: usize,
    /// Most tokens of one session, prompts and answers together; 0: as many as it takes.
    pub session_tokens: u64,
    /// Most model calls with tools for one request, 1 or more; then the model answers without.
    pub tool_iterations: NonZeroU32,
    /// Most sessions that are open at the same time, 1 or more; further ones are refused.
    pub open_sessions: NonZeroUsize,
}

impl Default for Agents {
    fn default() -> Self {
        Self {
            parallel: domain::limits::AGENTS_AT_WORK,
            session_tokens: 0,
            tool_iterations: NonZeroU32::MIN.saturating_add(domain::limits::TOOL_ITERATIONS - 1),
            open_sessions: NonZeroUsize::MIN.saturating_add(domain::limits::LIVE_SESSIONS - 1),
        }
    }
}

/// When something is made of answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Observed {
    /// Never.
    Off,
    /// When the user asks for it.
    #[default]
    OnDemand,
    /// Of every answer of a model, or of the share that is set.
    Every,
}

/// What is made of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Observers {
    /// When answers are graded, by the model with the role `judge`.
    pub critic: Observed,
    /// The share of answers that is graded where every one may be, 0 to 1.
    pub critic_share: f64,
    /// Whether answers are graded and compared without being asked about on battery as well.
    pub critic_on_battery: bool,
    /// Longest a judge may take for an answer that nobody asked about, seconds, 1 to 300. One that took longer
    /// is not asked unasked any more.
    pub critic_secs: u64,
    /// When a second answer is given, and both are compared.
    pub respondent_b: Observed,
    /// The share of answers that gets a second one where every one may, 0 to 1.
    pub respondent_b_share: f64,
    /// The model that gives second answers; none: the one that gave the first.
    #[schemars(with = "Option<String>")]
    pub model_b: Option<ModelRef>,
    /// Its sampling temperature, 0 to 2.
    pub temperature_b: f32,
    /// Least share of answers in which a judge has to say what the user says before its words count for
    /// routes, 0 to 1.
    pub route_agreement: f64,
    /// By role, models among which requests are shared by how good their answers were found, two or more.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub routes: BTreeMap<ModelRole, Vec<ModelRef>>,
}

impl Default for Observers {
    fn default() -> Self {
        Self {
            critic: Observed::OnDemand,
            critic_share: 1.0,
            critic_on_battery: false,
            critic_secs: 60,
            respondent_b: Observed::OnDemand,
            respondent_b_share: 1.0,
            model_b: None,
            temperature_b: 1.0,
            route_agreement: 0.6,
            routes: BTreeMap::new(),
        }
    }
}

/// The tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Longest a command, a script or a piece of code may run where the model does not say, seconds,
    /// 1 to 600.
    pub command_secs: u64,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            command_secs: domain::limits::EXEC_TIME.as_secs(),
        }
    }
}

/// The embedded engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Engine {
    /// The program; empty: `carl-engine` beside `carl` or in `../libexec`.
    pub program: PathBuf,
    /// The folder with `*.gguf` files; empty: where `cargo xtask setup` puts them.
    pub models: PathBuf,
    /// Stop the engine after this many seconds without a request.
    pub idle_exit_secs: u64,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            program: PathBuf::new(),
            models: PathBuf::new(),
            idle_exit_secs: 300,
        }
    }
}

/// An external planner: a command that speaks over its standard streams, or a socket.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bridge {
    /// Program and arguments; empty: none.
    pub command: Vec<String>,
    /// A unix socket; empty: none.
    pub socket: PathBuf,
}

/// What is forbidden beyond the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Tools no agent may use.
    pub disabled_tools: Vec<String>,
    /// How long a question waits for an answer, seconds, 1 to 86,400; then it counts as a no.
    pub question_secs: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            disabled_tools: Vec::new(),
            question_secs: domain::limits::CONFIRMATION_WAIT.as_secs(),
        }
    }
}

/// Where other roles are served, `unix:/path` or `tcp:host:port`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Endpoints {
    /// The audit log.
    pub audit: String,
    /// The model gateway.
    pub models: String,
    /// The broker and its tools.
    pub broker: String,
    /// The secrets.
    pub secrets: String,
    /// Search.
    pub search: String,
    /// The memory.
    pub memory: String,
}
