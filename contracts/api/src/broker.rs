//! The broker: the single point where any tool runs.
//!
//! Two traits. [`Broker`] is what agents hold. [`Control`] is the user's side: it sets the ceiling
//! and answers questions, and only the Sessions service, on behalf of a surface, calls it.

use crate::executor::ToolFailure;
use crate::programs::{Program, Programs};
use crate::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::decision::Decision;
use domain::event::{Batch, CallStatus, ConfirmationAnswer, ConfirmationRequest};
use domain::fault::{Coded, Fault};
use domain::hash::Digest;
use domain::id::{
    AgentId, AgentToken, CallId, ConfirmationId, PlanId, SessionId, TraceId, ValueId,
};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::model::ModelRole;
use domain::settings::SessionSettings;
use domain::token::{Answerer, TokenName};
use domain::tool::{EffectClass, ToolDefinition, ToolName, ToolOutput};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// A registered agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// Its proof, to be shown to no model.
    pub token: AgentToken,
    /// Its id.
    pub agent_id: AgentId,
    /// The chain from the root to it.
    pub lineage: Lineage,
}

/// A call to be judged or run.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequest {
    /// Who calls.
    pub context: CallContext,
    /// The call.
    pub call_id: CallId,
    /// The tool asked for; may name none.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The approved plan it belongs to, if any.
    pub plan_id: Option<PlanId>,
    /// Its place among calls that were asked for together and are to run one after the other.
    /// They are handed in together; what has to be asked about them is asked together, and each
    /// runs when the one before it has ended. `None` for a call by itself.
    pub batch: Option<Batch>,
    /// Whether it was found in the text of the model's answer instead of where calls belong: it may
    /// be a quotation, and the user is asked about whatever it would change.
    pub recovered: bool,
}

/// What a finished call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// How it ended.
    pub status: CallStatus,
    /// The stored value; `None` when nothing ran.
    pub value_id: Option<ValueId>,
    /// How far the content may be trusted; `None` when nothing ran.
    pub label: Option<Label>,
    /// For the model: fenced, capped.
    pub text: String,
    /// For programs, uncapped, after the tool's result schema; null when nothing ran.
    pub data: Value,
    /// Whether `text` is only part of the result.
    pub truncated: bool,
    /// How long the tool ran, milliseconds.
    pub duration_ms: u64,
    /// Files made or changed, absolute.
    pub artifacts: Vec<String>,
}

/// The built-in tools whose data tells how a program ended.
const PROGRAMS: [&str; 4] = ["run_code", "run_command", "package_install", "job_output"];
/// What a shell tells of a program whose time was up (`timeout`), and adds to the signal that killed
/// one.
const TIMED_OUT: i32 = 124;
const KILLED: i32 = 128;

impl ToolResult {
    /// How the program ended that this call of `tool` ran, as a shell tells it. `None` where it ran
    /// none, or none to its end.
    #[must_use]
    pub fn exit_code(&self, tool: &str) -> Option<i32> {
        if self.status != CallStatus::Ok || !PROGRAMS.contains(&tool) {
            return None;
        }
        // A job's end stands within what is told of the job.
        let told = self.data.get("program").unwrap_or(&self.data);
        let number = |name: &str| i32::try_from(told.get(name)?.as_i64()?).ok();
        let killed = || number("signal").map(|signal| KILLED.saturating_add(signal));
        let timed_out = || (told.get("timed_out")? == true).then_some(TIMED_OUT);
        number("exit_code").or_else(killed).or_else(timed_out)
    }
}

/// A permitted call of a tool that acts on the calling agent itself, such as starting another agent.
/// Whoever made the call runs it, and says with [`Broker::report_call`] what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCall {
    /// The tool.
    pub tool: ToolName,
    /// The arguments, an object that fits the tool's schema.
    pub arguments: Value,
    /// Arguments that name paths, absolute and normalised, by argument name.
    pub targets: BTreeMap<String, PathBuf>,
}

/// What happens while a call is judged and run. The order is: `Decided`, then, if the user is
/// asked, `ConfirmationAsked` and `ConfirmationAnswered`, then `Started`, `Progress` and `Notice` if it runs
/// (`CallerRuns` where it is the caller who runs it), and always `Finished` last. What changed while the user was asked (a folder is open, a call
/// before it has run) is decided about anew: another `Decided`, and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEvent {
    /// The decision.
    Decided(Decision),
    /// The user is asked.
    ConfirmationAsked(ConfirmationRequest),
    /// The user, or silence, has answered.
    ConfirmationAnswered {
        /// Which question.
        confirmation_id: ConfirmationId,
        /// The answer.
        answer: ConfirmationAnswer,
        /// `user`, `timeout` or `unattended`.
        by: String,
        /// The access token by which a program answered in the user's place.
        token: Option<TokenName>,
    },
    /// The tool runs.
    Started,
    /// The caller is to run it now.
    CallerRuns(OwnCall),
    /// The tool is at work.
    Progress {
        /// What it is doing.
        message: String,
        /// Percent done, if known.
        percent: Option<u8>,
    },
    /// What the user must know of what the tool did. No model reads it.
    Notice(Fault),
    /// The end.
    Finished(ToolResult),
}

/// One call of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments, final.
    pub arguments: Value,
}

/// Which plans need somebody's word before they may run. The stricter of this and the broker's own
/// rules holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PlanApproval {
    /// Those that change something.
    #[default]
    Changes,
    /// This one, whatever it does.
    Always,
}

/// A plan to be pinned: exactly these calls, in this order.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Who plans.
    pub context: CallContext,
    /// What for, one sentence.
    pub intent: String,
    /// The calls.
    pub calls: Vec<PlannedCall>,
    /// Whether it needs approval even if it only reads.
    pub approval: PlanApproval,
}

/// What happens while a plan is judged. Ends with `Pinned` or `Refused`.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanEvent {
    /// The plan as the broker understood it, with the hash that an approval binds.
    Proposed {
        /// Hash over intent and calls.
        hash: Digest,
        /// One decision a call, in order.
        decisions: Vec<Decision>,
    },
    /// The user is asked.
    ConfirmationAsked(ConfirmationRequest),
    /// The user, or silence, has answered.
    ConfirmationAnswered {
        /// Which question.
        confirmation_id: ConfirmationId,
        /// The answer.
        answer: ConfirmationAnswer,
        /// `user`, `timeout` or `unattended`.
        by: String,
        /// The access token by which a program answered in the user's place.
        token: Option<TokenName>,
    },
    /// Its calls may now run, each once.
    Pinned {
        /// To be named in each [`CallRequest`].
        plan_id: PlanId,
        /// What was approved.
        hash: Digest,
        /// `user`, `yes_flag`, `override`, `approved_hash` or `read_only`.
        by: String,
    },
    /// It may not run.
    Refused {
        /// The decision behind it.
        decision: Decision,
    },
}

/// One line of the tool table, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolListing {
    /// What a model is told.
    pub definition: ToolDefinition,
    /// The group it belongs to.
    pub capability: String,
    /// What it does to the world.
    pub effect: EffectClass,
    /// Agent types that may use it.
    pub agent_types: Vec<AgentType>,
}

/// One agent type, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentListing {
    /// Its name.
    pub agent_type: AgentType,
    /// One line about it.
    pub description: String,
    /// What it may use.
    pub tools: Vec<ToolName>,
    /// What it may spawn.
    pub can_spawn: Vec<AgentType>,
    /// The model role it asks for.
    pub model_role: ModelRole,
    /// Whether it takes requests apart and hands the parts out, before it answers.
    pub orchestrates: bool,
    /// Most tokens it may use when another agent started it, prompts and answers together.
    pub tokens: u64,
    /// Longest it may work when another agent started it.
    pub time: Duration,
}

/// What the user allowed for the rest of a session, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantListing {
    /// The tool.
    pub tool: ToolName,
    /// What exactly: the broker's own rendering of the call it was given for, and how far it goes.
    pub scope: String,
    /// When, UTC.
    pub given: Timestamp,
}

/// What went wrong with the request itself. A refused call is an outcome, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The token names no registered agent of this session.
    UnknownAgent,
    /// No such session.
    UnknownSession,
    /// A session of that id is open already.
    SessionOpen,
    /// No such agent type, or the parent may not spawn it.
    UnknownAgentType,
    /// No such open question, or it was answered.
    UnknownConfirmation,
    /// The calling agent runs no such call, or it has ended.
    UnknownCall,
    /// The answer was for something else than what is asked.
    BindingMismatch,
    /// A limit on agents or depth is reached.
    LimitReached,
    /// A setting cannot be used.
    InvalidSettings,
    /// The audit log cannot be written, so nothing runs.
    AuditUnwritable,
    /// The broker cannot be reached.
    Unreachable,
    /// What serves at the address serves another role.
    NotOffered,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::UnknownAgent,
        Self::UnknownSession,
        Self::SessionOpen,
        Self::UnknownAgentType,
        Self::UnknownConfirmation,
        Self::UnknownCall,
        Self::BindingMismatch,
        Self::LimitReached,
        Self::InvalidSettings,
        Self::AuditUnwritable,
        Self::Unreachable,
        Self::NotOffered,
    ];

    /// The stable reason code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownAgent => "broker.unknown_agent",
            Self::UnknownSession => "broker.unknown_session",
            Self::SessionOpen => "broker.session_open",
            Self::UnknownAgentType => "broker.unknown_agent_type",
            Self::UnknownConfirmation => "broker.unknown_confirmation",
            Self::UnknownCall => "broker.unknown_call",
            Self::BindingMismatch => "broker.binding_mismatch",
            Self::LimitReached => "broker.limit_reached",
            Self::InvalidSettings => "broker.invalid_settings",
            Self::AuditUnwritable => "broker.audit_unwritable",
            Self::Unreachable => "broker.unreachable",
            Self::NotOffered => "broker.not_offered",
        }
    }
}

/// Why the broker could not take a request.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// What happened, where and why.
    pub detail: String,
    /// The cause, for the log.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a cause of its own.
    #[must_use]
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            source: None,
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn message(&self) -> String {
        self.detail.clone()
    }

    fn hint(&self) -> String {
        match self.kind {
            ErrorKind::AuditUnwritable => {
                "Tools stay off until the log can be written. See that the audit role runs, where it \
                 has a process of its own (`carl serve --role audit`); else make room on the disk of \
                 the log's folder (`carl doctor` names it), or give its permissions back."
            }
            ErrorKind::Unreachable => {
                "Start it with the same configuration: `carl serve --role broker` (at a TCP address with \
                 `--listen ADDRESS --trust-network`)."
            }
            ErrorKind::NotOffered => {
                "Where roles have processes of their own, each has an address: write that of the \
                 broker here as well, `broker = \"ADDRESS\"` under [endpoints]."
            }
            ErrorKind::UnknownAgentType => "`carl agents` lists the agent types.",
            _ => "",
        }
        .to_owned()
    }
}

/// What is offered to an agent at most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfferBound {
    /// Most tokens that the definitions may take, estimated.
    pub room_tokens: u64,
    /// Names of tools that are left out, such as those of a mode that the request is not in.
    pub without: BTreeSet<String>,
    /// Whether the agent looks for tools beside those that it has: what comes nearest to its words is
    /// offered before what most work needs.
    pub is_search: bool,
}

impl From<u64> for OfferBound {
    fn from(room_tokens: u64) -> Self {
        Self {
            room_tokens,
            without: BTreeSet::new(),
            is_search: false,
        }
    }
}

/// What agents may ask of the broker.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Registers a child of the calling agent.
    async fn register_agent(
        &self,
        parent: CallContext,
        agent_type: AgentType,
    ) -> Result<Registered, Error>;

    /// The tools worth offering for a task: never more than the agent may use, and no more than
    /// `bound` allows.
    async fn discover_tools(
        &self,
        context: CallContext,
        task: String,
        bound: OfferBound,
    ) -> Result<Vec<ToolDefinition>, Error>;

    /// The decision a call would get, without effect.
    async fn validate(&self, request: CallRequest) -> Result<Decision, Error>;

    /// Judges a call and, if it may, runs it. Dropping the stream stops the tool.
    async fn execute(&self, request: CallRequest) -> Result<Streaming<ToolEvent, Error>, Error>;

    /// Stops a call of the calling agent whose tool runs. Its stream goes on until it ends, with what
    /// the tool came to by then where it can tell. [`ErrorKind::UnknownCall`] where no tool runs for
    /// this call; to drop its stream stops such a call as well.
    async fn stop_call(&self, context: CallContext, call_id: CallId) -> Result<(), Error>;

    /// What came of a call that its caller was told to run ([`ToolEvent::CallerRuns`]).
    async fn report_call(
        &self,
        context: CallContext,
        call_id: CallId,
        outcome: Result<ToolOutput, ToolFailure>,
    ) -> Result<(), Error>;

    /// Judges a whole plan and asks the user once for all of it.
    async fn pin_plan(&self, request: PlanRequest) -> Result<Streaming<PlanEvent, Error>, Error>;

    /// Notes that the calling agent is shown something that no tool returned, before its model sees
    /// it. Joins; takes nothing back, so that an agent can only lose by it.
    async fn note_shown(&self, context: CallContext, label: Label) -> Result<(), Error>;

    /// Ends an agent and all its descendants; their tokens are dead.
    async fn release(&self, context: CallContext) -> Result<(), Error>;
}

/// What only the user's side may ask of the broker.
#[async_trait]
pub trait Control: Send + Sync {
    /// Sets the ceiling for a session and registers its root agent.
    async fn open_session(
        &self,
        session_id: SessionId,
        root: AgentType,
        settings: SessionSettings,
    ) -> Result<Registered, Error>;

    /// Changes the ceiling.
    async fn configure(
        &self,
        session_id: SessionId,
        settings: SessionSettings,
    ) -> Result<(), Error>;

    /// Answers a question. `binding` repeats what the user saw; `by` goes on record.
    async fn answer(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error>;

    /// Every layer's view of a call by an agent type, without a session or an effect.
    async fn explain(
        &self,
        agent_type: AgentType,
        tool: String,
        arguments: Value,
        settings: SessionSettings,
    ) -> Result<Decision, Error>;

    /// The tool table.
    async fn list_tools(&self) -> Result<Vec<ToolListing>, Error>;

    /// The agent types.
    async fn list_agents(&self) -> Result<Vec<AgentListing>, Error>;

    /// Notes what the user said, before any agent works on it: words of the user are the only ones
    /// that name targets on their own authority. `begins`: the chain of work that they begin, and the
    /// only one in which they ask for something; `None`: words of a request that is over.
    async fn hear(
        &self,
        session_id: SessionId,
        text: String,
        begins: Option<TraceId>,
    ) -> Result<(), Error>;

    /// Notes the user's yes to exactly this call of the root agent, because they typed it. It counts
    /// once, in the chain of work that their words began ([`Control::hear`]), and for what would be asked
    /// about alone: what is denied stays denied. [`ErrorKind::UnknownCall`] where no words began that work.
    async fn approve_call(
        &self,
        session_id: SessionId,
        trace_id: TraceId,
        call: PlannedCall,
    ) -> Result<(), Error>;

    /// Notes what the root agent was shown before the broker knew of the session, when an earlier
    /// session is taken up again. Joins; takes nothing back.
    async fn recall(&self, session_id: SessionId, label: Label) -> Result<(), Error>;

    /// What the user allowed for the rest of a session.
    async fn list_grants(&self, session_id: SessionId) -> Result<Vec<GrantListing>, Error>;

    /// The programs of a session and what they say, in the order in which they began. One that is not
    /// there is left out.
    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error>;

    /// Stops the job of this name that runs in a session, or with `None` all that do; the names of those
    /// that were stopped. For the session's user alone.
    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error>;

    /// Ends a session: its agents are released, its open questions answered with no.
    async fn close_session(&self, session_id: SessionId) -> Result<(), Error>;
}
