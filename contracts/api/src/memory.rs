//! Memory: curated memories and captured engrams, found again in stages.

use crate::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Coded;
use domain::id::{QueryId, SessionId};
use domain::label::Label;
use domain::tool::ToolName;

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRequest {
    /// Who asks.
    pub context: CallContext,
    /// What for, in words.
    pub text: String,
    /// Where to look; empty: everywhere the agent may.
    pub namespaces: Vec<String>,
    /// Most results wanted.
    pub limit: u32,
}

/// One segment that answers a query, with where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The memory or engram.
    pub id: String,
    /// Its name.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// The segment that answers.
    pub segment: String,
    /// Where the segment stands in the full text, bytes.
    pub byte_range: (u64, u64),
    /// Fused score.
    pub score: f32,
    /// Where it came from.
    pub provenance: String,
    /// How far it may be trusted.
    pub label: Label,
}

/// One stage's view of the candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The stage's name, such as `lexical`, `vector`, `fusion`.
    pub name: String,
    /// Candidates and scores, best first.
    pub candidates: Vec<(String, f32)>,
    /// How long it took, microseconds.
    pub duration_us: u64,
}

/// What a query streams: one event a stage, then the results.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryEvent {
    /// A stage is done.
    Stage(Stage),
    /// The results, best first.
    Results(Vec<Recall>),
}

/// Who nominated a memory and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The user wrote it.
    User,
    /// An agent concluded it from trusted material.
    Agent,
    /// It came from outside.
    External,
}

/// An entry to be kept.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteEntry {
    /// A curated memory.
    Memory {
        /// A short name.
        name: String,
        /// One line.
        description: String,
        /// Words to find it by.
        tags: Vec<String>,
        /// Related entries.
        correlating_ids: Vec<String>,
        /// The text.
        corpus: String,
    },
    /// An answered question.
    Engram {
        /// The question.
        question: String,
        /// The answer.
        answer: String,
        /// What was wanted.
        intent: String,
        /// What it was about.
        entities: Vec<String>,
        /// In which session.
        session_id: SessionId,
        /// Which request.
        query_id: QueryId,
        /// Who answered.
        respondent: String,
        /// With which tools.
        tools_used: Vec<ToolName>,
    },
}

/// A request to keep something.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRequest {
    /// Who writes.
    pub context: CallContext,
    /// Where to.
    pub namespace: String,
    /// What.
    pub entry: WriteEntry,
    /// From where.
    pub source: Source,
    /// How far it may be trusted.
    pub label: Label,
    /// When it became true, if known.
    pub valid_from: Option<Timestamp>,
    /// The entry it corrects, if any.
    pub supersedes: Option<String>,
}

/// What became of a nomination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteAnswer {
    /// Kept under this id.
    Stored {
        /// The new entry.
        id: String,
    },
    /// Not kept.
    Rejected {
        /// Why.
        reason: String,
    },
}

/// How much of a correlating entry is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Names and descriptions.
    Description,
    /// The segment that answers the query.
    Text,
}

/// A remark on an engram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// A critic's score, 1 to 5.
    Score(u8),
    /// Winner of a comparison: `A`, `B` or `tie`.
    Winner(String),
    /// The user's feedback, -100 to 100.
    Feedback(i8),
}

/// Why memory did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such entry.
    #[error("no memory has the id `{id}`")]
    NotFound {
        /// The id asked for.
        id: String,
    },
    /// The caller's type may not see the namespace, or only the user may do this.
    #[error("not permitted: {detail}")]
    NotPermitted {
        /// What was refused.
        detail: String,
    },
    /// The store failed.
    #[error("memory is unavailable: {detail}")]
    Unavailable {
        /// What happened.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "memory.not_found",
            Self::NotPermitted { .. } => "memory.not_permitted",
            Self::Unavailable { .. } => "memory.unavailable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        String::new()
    }
}

/// The memory service.
#[async_trait]
pub trait Memory: Send + Sync {
    /// Finds what answers a question, one event a stage.
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error>;
    /// Keeps an entry, if the gate lets it in.
    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error>;
    /// Entries correlated with the given ones.
    async fn get_correlated(
        &self,
        context: CallContext,
        ids: Vec<String>,
        detail: Detail,
    ) -> Result<Vec<Recall>, Error>;
    /// Remarks on an engram.
    async fn annotate(
        &self,
        context: CallContext,
        id: String,
        annotation: Annotation,
    ) -> Result<(), Error>;
    /// Removes an entry and every trace of its text. The user's only.
    async fn forget(&self, context: CallContext, id: String) -> Result<(), Error>;
}
