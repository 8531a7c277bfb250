//! What the program that serves has to offer.

use api::broker::{AgentListing, ToolListing};
use api::memory::{Forgotten, Recall, Stage, WriteAnswer};
use api::models::{ModelInfo, ProviderHealth};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::fault::Fault;
use domain::id::{MemoryId, SessionId};
use domain::model::Think;
use domain::quality::{JudgeMeasure, Observation};
use domain::settings::{Mode, SessionProfile};
use domain::tool::ToolName;
use quality::AttackMeasure;
use serde_json::Value;
use std::path::PathBuf;

/// What is known of how good answers and judges are, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// All grades, ratings and comparisons.
    pub observations: Vec<Observation>,
    /// How judges did when they were measured.
    pub measures: Vec<JudgeMeasure>,
    /// How they did with texts that ask for a good grade.
    pub attacks: Vec<AttackMeasure>,
}

/// What a client wants of a session; what it does not name is as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The agent's type.
    pub agent: Option<String>,
    /// How requests are worked on.
    pub mode: Option<Mode>,
    /// `provider/model`.
    pub model: Option<String>,
    /// How much models think.
    pub think: Option<Think>,
    /// Whether somebody answers questions.
    pub attended: bool,
    /// Tools that may not be used.
    pub disabled_tools: Vec<ToolName>,
    /// What is opened beyond the folder that is served.
    pub ceiling: Ceiling,
}

/// What only the user opens, and so a token with the scope `admin`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// The folder to work in; `None`: the one the server was started in.
    pub workspace: Option<PathBuf>,
    /// Open for writing.
    pub allow_write: Vec<PathBuf>,
    /// Open for reading.
    pub allow_read: Vec<PathBuf>,
}

impl Ceiling {
    /// Whether nothing is opened.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        *self == Self::default()
    }
}

/// What is to be kept in memory, as the user's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// The text.
    pub text: String,
    /// Its name; without one its first words.
    pub name: Option<String>,
    /// What it is about.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where it is kept, as the command line names it; without one where what it corrects is, or else
    /// with the user's.
    pub namespace: Option<String>,
    /// The entry that it corrects.
    pub corrects: Option<MemoryId>,
}

/// What the program that serves has to offer.
#[async_trait]
pub trait Host: Send + Sync {
    /// The profile that a session is opened with.
    ///
    /// # Errors
    /// What cannot be as it is wanted, and what can be.
    fn profile(&self, wanted: &Wanted) -> Result<SessionProfile, Fault>;
    /// Deletes a session and what belongs to it alone.
    ///
    /// # Errors
    /// When somebody has it, or something cannot be removed.
    async fn delete(&self, session_id: SessionId) -> Result<(), Fault>;
    /// The tools of the house.
    ///
    /// # Errors
    /// When they cannot be asked for.
    async fn tools(&self) -> Result<Vec<ToolListing>, Fault>;
    /// The agent types.
    ///
    /// # Errors
    /// When they cannot be asked for.
    async fn agents(&self) -> Result<Vec<AgentListing>, Fault>;
    /// The providers with how each stands, and the models that can be talked to.
    ///
    /// # Errors
    /// When the gateway does not answer.
    async fn models(&self) -> Result<(Vec<ProviderHealth>, Vec<ModelInfo>), Fault>;
    /// What memory has on a question now, and what each stage of the search saw.
    ///
    /// # Errors
    /// When memory does not answer, or cannot use the question.
    async fn recall(&self, question: &str) -> Result<(Vec<Stage>, Vec<Recall>), Fault>;
    /// An entry of memory, whole, as JSON.
    ///
    /// # Errors
    /// When there is none, or memory does not answer.
    async fn entry(&self, id: MemoryId) -> Result<Value, Fault>;
    /// Keeps an entry in memory, if its gate lets it in.
    ///
    /// # Errors
    /// When it says nothing, corrects what is not there, or memory does not answer.
    async fn remember(&self, addition: Addition) -> Result<WriteAnswer, Fault>;
    /// Removes an entry of memory with those that it corrected.
    ///
    /// # Errors
    /// When there is none, something of it is left, or memory does not answer.
    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Fault>;
    /// What each layer of the policy says to a call in a session of this profile. Nothing is run.
    ///
    /// # Errors
    /// When there is no such tool or agent, or the broker does not answer.
    async fn explain(
        &self,
        profile: &SessionProfile,
        tool: &str,
        arguments: Value,
    ) -> Result<Decision, Fault>;
    /// The newest records of the audit log about a session, oldest first, as JSON; and why not all of
    /// the log can be read, where it cannot.
    ///
    /// # Errors
    /// When none of it can be read.
    async fn audit(&self, session_id: SessionId) -> Result<(Vec<Value>, Option<Fault>), Fault>;
    /// What is known of how good answers and judges are.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn quality(&self) -> Result<Known, Fault>;
}
