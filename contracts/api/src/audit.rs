//! Audit: append, and nothing else. No operation reads.

use async_trait::async_trait;
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::fault::Coded;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::model::ModelRef;
use domain::tool::ToolName;

/// What was decided or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A service started.
    Start,
    /// A service stopped.
    Stop,
    /// An agent was registered.
    RegisterAgent,
    /// An agent was released.
    ReleaseAgent,
    /// A call was judged without effect.
    Validate,
    /// A call was judged, to be run.
    Decide,
    /// An effect is about to happen.
    Intent,
    /// An effect has happened or failed.
    Outcome,
    /// The user was asked, or answered.
    Confirmation,
    /// A plan was approved or refused.
    PlanApproval,
    /// A session's configuration changed.
    Configure,
    /// A model was called.
    ModelCall,
    /// Memory was read.
    MemoryRead,
    /// Memory was written.
    MemoryWrite,
    /// A secret was read, or asked for in vain. The record names it and never holds its value.
    SecretRead,
    /// The log was mended at its start: what a crash left half-written was cut off.
    Recovery,
    /// A page or a search server is asked, or was. The record has the host and a digest of the
    /// address, never the address.
    Fetch,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 17] = [
        Self::Start,
        Self::Stop,
        Self::RegisterAgent,
        Self::ReleaseAgent,
        Self::Validate,
        Self::Decide,
        Self::Intent,
        Self::Outcome,
        Self::Confirmation,
        Self::PlanApproval,
        Self::Configure,
        Self::ModelCall,
        Self::MemoryRead,
        Self::MemoryWrite,
        Self::SecretRead,
        Self::Recovery,
        Self::Fetch,
    ];

    /// The word in records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::RegisterAgent => "register_agent",
            Self::ReleaseAgent => "release_agent",
            Self::Validate => "validate",
            Self::Decide => "decide",
            Self::Intent => "intent",
            Self::Outcome => "outcome",
            Self::Confirmation => "confirmation",
            Self::PlanApproval => "plan_approval",
            Self::Configure => "configure",
            Self::ModelCall => "model_call",
            Self::MemoryRead => "memory_read",
            Self::MemoryWrite => "memory_write",
            Self::SecretRead => "secret_read",
            Self::Recovery => "recovery",
            Self::Fetch => "fetch",
        }
    }
}

/// What a model call came to. Texts are present as digests only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    /// The model.
    pub model: ModelRef,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Digest of the prompt.
    pub prompt_hash: Digest,
    /// Digest of the answer.
    pub answer_hash: Digest,
}

/// One entry to be recorded. The service adds sequence, monotonic time and the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Wall time, UTC.
    pub time: Timestamp,
    /// The session, if there is one.
    pub session_id: Option<SessionId>,
    /// The acting agent, if there is one.
    pub agent_id: Option<AgentId>,
    /// Its type.
    pub agent_type: Option<AgentType>,
    /// Its lineage, root first.
    pub lineage: Lineage,
    /// What was decided or done.
    pub action: Action,
    /// The call it belongs to.
    pub call_id: Option<CallId>,
    /// The tool.
    pub tool: Option<ToolName>,
    /// Keyed digest of the canonical arguments. Never the arguments.
    pub params_hash: Option<Digest>,
    /// The verdict and the layer that decided it.
    pub decision: Option<(Verdict, Layer)>,
    /// The labels in play.
    pub label: Option<Label>,
    /// How the call ended.
    pub status: Option<CallStatus>,
    /// How long it took, milliseconds.
    pub duration_ms: Option<u64>,
    /// The model call, for [`Action::ModelCall`].
    pub model_call: Option<ModelCall>,
    /// A few fixed words for people, such as a rule's name. Never text from a model or a tool.
    pub detail: String,
}

impl Entry {
    /// An entry with nothing but time and action; callers fill in what they know.
    #[must_use]
    pub fn new(time: Timestamp, action: Action) -> Self {
        Self {
            time,
            session_id: None,
            agent_id: None,
            agent_type: None,
            lineage: Vec::new(),
            action,
            call_id: None,
            tool: None,
            params_hash: None,
            decision: None,
            label: None,
            status: None,
            duration_ms: None,
            model_call: None,
            detail: String::new(),
        }
    }
}

/// When an append may be acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once it would survive a power cut. Used before effects that cannot be taken back.
    Durable,
    /// Once it is handed to the operating system.
    Grouped,
}

/// The record's place in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ack {
    /// From 1, without gaps.
    pub sequence: u64,
}

/// Why an entry could not be recorded. After any of these, effects must stop.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log cannot be written.
    #[error("the audit log cannot be written: {detail}")]
    Unwritable {
        /// What the operating system said, and for which file.
        detail: String,
    },
    /// An earlier write failed; the log takes nothing until it was opened again and checked.
    #[error("the audit log stopped after a failed write: {detail}")]
    Poisoned {
        /// The first failure.
        detail: String,
    },
    /// The service could not be reached.
    #[error("the audit service cannot be reached: {detail}")]
    Unreachable {
        /// Where and why.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unwritable { .. } => "audit.unwritable",
            Self::Poisoned { .. } => "audit.poisoned",
            Self::Unreachable { .. } => "audit.unreachable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Unreachable { .. } => {
                "Nothing is done that is not on record. Start it with the same configuration: `carl \
                 serve --role audit` (at a TCP address with `--listen ADDRESS --trust-network`)."
            }
            Self::Unwritable { .. } | Self::Poisoned { .. } => {
                "Tools stay off until the log can be written. Check free space and permissions of \
                 the state folder (`carl doctor` names it), then try again."
            }
        }
        .to_owned()
    }
}

/// The append-only log of decisions and effects.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Records one entry and says where it stands.
    ///
    /// # Errors
    /// Any [`Error`]; the caller must then refuse the effect it was about to allow.
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, Error>;
}
