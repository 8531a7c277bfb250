//! The JSON of what is known beside a session's events: agents, tools, calls that are explained, audit records
//! and programs.

use crate::host::Wanted;
use api::broker::{AgentListing, ToolListing};
use api::programs::{self, ProgramId, ProgramState};
use domain::fault::Fault;
use domain::id::CallId;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::tool::{EffectClass, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// `GET /api/v1/agents`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Agents {
    pub(crate) agents: Vec<Agent>,
}

/// A type of agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Agent {
    #[schema(value_type = String)]
    agent: AgentType,
    description: String,
    /// What its models are asked for.
    #[schema(value_type = String)]
    model_role: ModelRole,
}

impl From<AgentListing> for Agent {
    fn from(one: AgentListing) -> Self {
        Self {
            agent: one.agent_type,
            description: one.description,
            model_role: one.model_role,
        }
    }
}

/// `GET /api/v1/tools`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tools {
    pub(crate) tools: Vec<Tool>,
}

/// A tool, as `carl tools --json` prints it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tool {
    #[schema(value_type = String)]
    name: ToolName,
    description: String,
    /// JSON Schema of its arguments.
    #[schema(value_type = Object)]
    parameters: Value,
    capability: String,
    #[schema(value_type = String)]
    effect: EffectClass,
    /// The types of agents that may use it.
    #[schema(value_type = Vec<String>)]
    agent_types: Vec<AgentType>,
}

impl From<ToolListing> for Tool {
    fn from(one: ToolListing) -> Self {
        let definition = one.definition;
        Self {
            name: definition.name,
            description: definition.description,
            parameters: definition.parameters,
            capability: one.capability,
            effect: one.effect,
            agent_types: one.agent_types,
        }
    }
}

/// `POST /api/v1/policy/explain`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    /// The type of agent; as configured unless it is named.
    agent: Option<String>,
    /// Whether somebody would be there to be asked.
    #[serde(default)]
    attended: bool,
    pub(crate) tool: String,
    #[serde(default = "empty")]
    #[schema(value_type = Object)]
    pub(crate) arguments: Value,
}

fn empty() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Call {
    /// The session that it would be made in.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            agent: self.agent.clone(),
            attended: self.attended,
            ..Wanted::default()
        }
    }
}

/// `GET …/audit`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Audited {
    /// The newest ones, oldest first, as `carl audit query --json` prints them.
    #[schema(value_type = Vec<Object>)]
    pub(crate) records: Vec<Value>,
    /// Why not all of the log can be read; null: all of it can.
    #[schema(value_type = Option<Object>)]
    pub(crate) fault: Option<Fault>,
}

/// `GET …/programs`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Programs {
    pub(crate) programs: Vec<Program>,
}

/// A program of a session: a job, or what a tool call waits for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Program {
    job: Option<String>,
    #[schema(value_type = Option<String>)]
    call_id: Option<CallId>,
    command: String,
    running: bool,
    /// How it ended; empty while it runs.
    ended: String,
    /// How long it has run, or ran, milliseconds.
    age_ms: u64,
    output: Option<Output>,
}

/// What a program said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Output {
    stdout: Said,
    stderr: Said,
}

/// The end of a stream.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Said {
    text: String,
    /// Whether something was said before.
    cut: bool,
    /// How much was said in all, bytes.
    said_bytes: u64,
}

impl From<programs::Program> for Program {
    fn from(one: programs::Program) -> Self {
        let (job, call_id) = match one.id {
            ProgramId::Job(name) => (Some(name), None),
            ProgramId::Call(call) => (None, Some(call)),
        };
        let (running, ended) = match one.state {
            ProgramState::Running => (true, String::new()),
            ProgramState::Ended(how) => (false, how),
        };
        Self {
            job,
            call_id,
            command: one.command,
            running,
            ended,
            age_ms: u64::try_from(one.age.as_millis()).unwrap_or(u64::MAX),
            output: one.output.map(|output| Output {
                stdout: output.stdout.into(),
                stderr: output.stderr.into(),
            }),
        }
    }
}

impl From<programs::StreamText> for Said {
    fn from(stream: programs::StreamText) -> Self {
        Self {
            text: stream.text,
            cut: stream.is_cut,
            said_bytes: stream.said_bytes,
        }
    }
}

/// `POST …/programs/stop`: one of the two.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stop {
    pub(crate) job: Option<String>,
    #[schema(value_type = Option<String>)]
    pub(crate) call_id: Option<CallId>,
}

/// How many were stopped; 0: it had ended already, or was never there.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stopped {
    pub(crate) stopped: u32,
}
