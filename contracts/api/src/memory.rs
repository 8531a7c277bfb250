//! Memory: curated memories and captured engrams, found again in stages.
//!
//! [`Memory`] is what agents' tools and observers use: it finds, keeps and remarks. [`Curator`] is
//! the user's side: it shows, lists, forgets and restores. No tool holds it.

use crate::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Coded;
use domain::id::{MemoryId, QueryId, SessionId};
use domain::label::Label;
use domain::rights::Namespace;
use domain::tool::ToolName;

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere: for the user's own commands.
    All,
    /// In these; none of them finds nothing.
    Only(Vec<Namespace>),
}

impl Scope {
    /// Whether a namespace is in it.
    #[must_use]
    pub fn contains(&self, namespace: &Namespace) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(namespace),
        }
    }
}

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRequest {
    /// Who asks; `None` for the user's own command.
    pub context: Option<CallContext>,
    /// What for, in words.
    pub text: String,
    /// Where to look.
    pub scope: Scope,
    /// Most results wanted, 1 and up.
    pub limit: u32,
    /// How much of each result is wanted.
    pub detail: Detail,
    /// Least [`Recall::relevance`] of a result, 0 to 1; 0 gives the best there are, however poor.
    pub at_least: f32,
}

/// How much of an entry is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Name and description.
    Description,
    /// Also the segment that answers the question.
    Segment,
}

/// Curated or captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A memory: written on purpose.
    Memory,
    /// An engram: a captured question and answer.
    Engram,
}

impl Kind {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Engram];

    /// The word in records and exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Engram => "engram",
        }
    }
}

/// Who nominated an entry and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The user wrote it.
    User,
    /// An agent concluded it from trusted material.
    Agent,
    /// It came from outside. It stays untrusted for ever.
    External,
}

impl Source {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::External];

    /// The word in records and exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::External => "external",
        }
    }
}

/// One segment that answers a question, with where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The entry.
    pub id: MemoryId,
    /// What it is.
    pub kind: Kind,
    /// Where it is kept.
    pub namespace: Namespace,
    /// Its name.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// The segment that answers; empty where only descriptions were asked for.
    pub segment: String,
    /// Where the segment stands in the full text, bytes.
    pub byte_range: (u64, u64),
    /// Fused score: comparable within one query alone.
    pub score: f32,
    /// How much of the question it answers, 0 to 1: comparable between queries.
    pub relevance: f32,
    /// Who nominated it and from what.
    pub source: Source,
    /// How far it may be trusted.
    pub label: Label,
    /// When it was written, UTC.
    pub created_at: Timestamp,
    /// Entries it belongs with.
    pub correlating_ids: Vec<MemoryId>,
}

/// One candidate as a stage saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The entry.
    pub id: MemoryId,
    /// Its score in this stage.
    pub score: f32,
}

/// One stage's view of the candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The stage's name, such as `lexical`, `vector`, `fusion`.
    pub name: String,
    /// Candidates and scores, best first; the best [`STAGE_CANDIDATES`] of them.
    pub candidates: Vec<Candidate>,
    /// How many there were in all.
    pub seen: u64,
    /// How long it took, microseconds.
    pub duration_us: u64,
    /// What a reader should know: `no embedding model: words alone`. A leg says nothing when it
    /// looked at all there is. Empty for nothing.
    pub note: String,
}

impl Stage {
    /// The leg that finds by words.
    pub const LEXICAL: &'static str = "lexical";
    /// The leg that finds by meaning.
    pub const VECTOR: &'static str = "vector";

    /// What this leg could not look at; `None` for a leg that looked at all there is, and for every
    /// other stage.
    #[must_use]
    pub fn lacking(&self) -> Option<Lacking<'_>> {
        let note = self.note.as_str();
        let is_leg = self.name == Self::LEXICAL || self.name == Self::VECTOR;
        if !is_leg || note.is_empty() {
            return None;
        }
        if self.seen > 0 {
            return note.ends_with(" yet").then_some(Lacking::Part(note));
        }
        Some(match self.name == Self::VECTOR {
            true => Lacking::Meaning(note.strip_suffix(": words alone").unwrap_or(note)),
            false => Lacking::Words(note),
        })
    }
}

/// What a leg of a query could not look at, with why, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking<'a> {
    /// Nothing was found by meaning: the results are by words alone.
    Meaning(&'a str),
    /// Nothing was found by words: the results are by meaning alone.
    Words(&'a str),
    /// Some entries were looked at by the other leg alone.
    Part(&'a str),
}

/// Most candidates that a stage's event names.
pub const STAGE_CANDIDATES: usize = 20;

/// What a query streams: one event a stage, then the results, once.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryEvent {
    /// A stage is done.
    Stage(Stage),
    /// The results, best first. The last event.
    Results(Vec<Recall>),
}

/// What a text of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A memory's name.
    Name,
    /// A memory's one line.
    Description,
    /// A memory's text.
    Text,
    /// One of a memory's tags.
    Tag,
    /// An engram's question.
    Question,
    /// An engram's answer.
    Answer,
    /// What the question wanted.
    Intent,
    /// One of the things that the question was about.
    Entity,
    /// Who answered.
    Respondent,
}

impl Part {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Text => "text",
            Self::Tag => "tag",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Intent => "intent",
            Self::Entity => "entity",
            Self::Respondent => "respondent",
        }
    }
}

/// Something to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteEntry {
    /// A curated memory.
    Memory {
        /// A short name.
        name: String,
        /// One line.
        description: String,
        /// Words to find it by.
        tags: Vec<String>,
        /// Entries it belongs with.
        correlating_ids: Vec<MemoryId>,
        /// The text.
        corpus: String,
    },
    /// An answered question. Of one query and respondent there is one: a second is a duplicate.
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
        /// Who answered: the model, or one of several respondents.
        respondent: String,
        /// With which tools.
        tools_used: Vec<ToolName>,
    },
}

impl WriteEntry {
    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Memory { .. } => Kind::Memory,
            Self::Engram { .. } => Kind::Engram,
        }
    }

    /// What it is called: a memory's name, an engram's question.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Memory { name, .. } => name,
            Self::Engram { question, .. } => question,
        }
    }

    /// Every text of it, with what it is.
    #[must_use]
    pub fn texts(&self) -> Vec<(Part, &str)> {
        let (mut texts, part, more) = match self {
            Self::Memory {
                name,
                description,
                tags,
                correlating_ids: _,
                corpus,
            } => {
                let texts = vec![
                    (Part::Name, name.as_str()),
                    (Part::Description, description),
                    (Part::Text, corpus),
                ];
                (texts, Part::Tag, tags)
            }
            Self::Engram {
                question,
                answer,
                intent,
                entities,
                session_id: _,
                query_id: _,
                respondent,
                tools_used: _,
            } => {
                let texts = vec![
                    (Part::Question, question.as_str()),
                    (Part::Answer, answer),
                    (Part::Intent, intent),
                    (Part::Respondent, respondent),
                ];
                (texts, Part::Entity, entities)
            }
        };
        texts.extend(more.iter().map(|text| (part, text.as_str())));
        texts
    }
}

/// A request to keep something.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRequest {
    /// Who writes; `None` for the user's own command and for capture.
    pub context: Option<CallContext>,
    /// Where to.
    pub namespace: Namespace,
    /// What.
    pub entry: WriteEntry,
    /// From where.
    pub source: Source,
    /// How far it may be trusted. What came from outside is kept as untrusted, whatever this says.
    pub label: Label,
    /// When it became true, if known.
    pub valid_from: Option<Timestamp>,
    /// The entry it corrects, if any, of the same namespace: that one is kept, and no longer valid.
    pub supersedes: Option<MemoryId>,
}

/// Why the gate kept something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// It says nothing.
    Empty,
    /// It is longer than an entry may be.
    TooLarge,
    /// It holds a key or a password.
    Secret,
    /// It speaks to a model instead of saying something.
    Instruction,
    /// What it corrects is not there.
    NothingToCorrect,
    /// What it corrects is more trusted than it is.
    LessTrusted,
    /// The user forgot the engram of this query: read again from a log, it does not come back.
    Forgotten,
}

impl Refusal {
    /// The stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLarge => "too_large",
            Self::Secret => "secret",
            Self::Instruction => "instruction",
            Self::NothingToCorrect => "nothing_to_correct",
            Self::LessTrusted => "less_trusted",
            Self::Forgotten => "forgotten",
        }
    }
}

/// What became of a nomination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteAnswer {
    /// Kept under this id, on the disk.
    Stored {
        /// The new entry.
        id: MemoryId,
    },
    /// There is one that says the same.
    Duplicate {
        /// That one.
        id: MemoryId,
    },
    /// Not kept.
    Rejected {
        /// Why.
        refusal: Refusal,
        /// Why, in a sentence that repeats nothing of a secret.
        detail: String,
    },
}

/// A request for what belongs with entries.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelatedRequest {
    /// Who asks; `None` for the user's own command.
    pub context: Option<CallContext>,
    /// The entries.
    pub ids: Vec<MemoryId>,
    /// Where to look: entries elsewhere are left out.
    pub scope: Scope,
    /// What for, in words: chooses the segments. May be empty.
    pub text: String,
    /// How much of each is wanted.
    pub detail: Detail,
}

/// Which of two answers was better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The first.
    A,
    /// The second.
    B,
    /// Neither.
    Tie,
}

impl Winner {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Tie];

    /// The word in records, events and exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::Tie => "tie",
        }
    }
}

/// A remark on an engram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// A critic's score, 1 to 5.
    Score(u8),
    /// The outcome of a comparison.
    Winner(Winner),
    /// The user's feedback, -100 to 100.
    Feedback(i8),
    /// What a model made of it later than it was captured.
    Understood {
        /// What was wanted.
        intent: String,
        /// What it was about.
        entities: Vec<String>,
    },
}

/// An entry with everything that is kept of it: what the user sees, exports and imports.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its id.
    pub id: MemoryId,
    /// Where it is kept.
    pub namespace: Namespace,
    /// What it says.
    pub entry: WriteEntry,
    /// Who nominated it and from what.
    pub source: Source,
    /// How far it may be trusted.
    pub label: Label,
    /// When it was written, UTC.
    pub created_at: Timestamp,
    /// When it became true, if known.
    pub valid_from: Option<Timestamp>,
    /// When it was corrected; `None` while it holds.
    pub valid_until: Option<Timestamp>,
    /// What corrected it.
    pub superseded_by: Option<MemoryId>,
    /// When it was last recalled.
    pub last_accessed: Option<Timestamp>,
    /// How often it was recalled.
    pub access_count: u64,
    /// A critic's score, 1 to 5.
    pub critic_score: Option<u8>,
    /// The outcome of a comparison.
    pub pairwise_winner: Option<Winner>,
    /// The user's feedback, -100 to 100.
    pub feedback: Option<i8>,
}

/// What to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRequest {
    /// Where.
    pub scope: Scope,
    /// Only these; `None`: both kinds.
    pub kind: Option<Kind>,
}

/// An entry that says what a forgotten one said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub id: MemoryId,
    /// What it is.
    pub kind: Kind,
    /// The beginning of what it is called, at most [`HOLDER_CHARS`].
    pub title: String,
}

/// Most entries that are named because they say what a forgotten one said.
pub const HOLDERS: usize = 20;
/// Longest [`Holder::title`], characters.
pub const HOLDER_CHARS: usize = 60;

/// What is left of something forgotten: nothing but what others say as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Entries that were removed.
    pub entries: u64,
    /// Files that were then searched for its text.
    pub files: u64,
    /// Their size, bytes.
    pub bytes: u64,
    /// Entries that say the same words, a text or a sentence of it, and stay. `None`: that could
    /// not be looked up; what was to be forgotten is.
    pub held_by: Option<HeldBy>,
}

/// Who else says what was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldBy {
    /// The oldest [`HOLDERS`] of them, oldest first.
    pub named: Vec<Holder>,
    /// How many there are in all.
    pub entries: u64,
}

/// How far one kind of index has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    /// `lexical` or `vector`.
    pub name: String,
    /// Entries in it.
    pub entries: u64,
    /// Entries that are to be in it: all that hold, but of vectors none whose every text the model
    /// refuses.
    pub of: u64,
    /// What a reader should know: `rebuilt at start: damaged`. Empty for nothing.
    pub note: String,
}

/// What memory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Curated memories that hold.
    pub memories: u64,
    /// Engrams.
    pub engrams: u64,
    /// Entries that were corrected.
    pub superseded: u64,
    /// Entries by namespace.
    pub namespaces: Vec<(Namespace, u64)>,
    /// The store and its indexes on disk, bytes.
    pub disk_bytes: u64,
    /// The model that makes vectors, with why there is none; for people.
    pub embedder: String,
    /// Every index.
    pub indexes: Vec<IndexState>,
    /// Entries with a text that the embedding model refuses, oldest first. They are found by their
    /// words and their other texts.
    pub refused: Vec<MemoryId>,
    /// Recalls answered from the cache since the start.
    pub cache_hits: u64,
    /// Recalls looked up in the cache since the start.
    pub cache_lookups: u64,
}

/// Why memory did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such entry, or none that the caller may see.
    #[error("no memory has the id `{id}`")]
    NotFound {
        /// The id asked for.
        id: MemoryId,
    },
    /// The request itself cannot be used.
    #[error("the request to memory cannot be used: {detail}")]
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
    /// What was to be forgotten is still found in a file.
    #[error("the text is still in {file}")]
    StillThere {
        /// The file.
        file: String,
    },
    /// The store failed.
    #[error("memory is unavailable: {detail}")]
    Unavailable {
        /// What happened, where and why.
        detail: String,
        /// The cause, for the log.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "memory.not_found",
            Self::Invalid { .. } => "memory.invalid",
            Self::StillThere { .. } => "memory.still_there",
            Self::Unavailable { .. } => "memory.unavailable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotFound { .. } => "`carl memory search` shows ids.",
            Self::Invalid { .. } => "",
            Self::StillThere { .. } => "The entry itself is gone; remove that file.",
            Self::Unavailable { .. } => {
                "Its folder must be writable and the disk have room; `index` in it may be removed, \
                 and is made anew."
            }
        }
        .to_owned()
    }
}

/// The memory service. Every read and write is on record before it is answered.
#[async_trait]
pub trait Memory: Send + Sync {
    /// Finds what answers a question, one event a stage. Corrected entries are left out.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or oversized question; [`Error::Unavailable`].
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error>;
    /// Keeps an entry, if the gate lets it in. What is answered as stored survives a crash.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error>;
    /// Entries that belong with the given ones, each once and none of the given; unknown ids have
    /// none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error>;
    /// Remarks on an engram.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] for a value out of range or an entry that is no
    /// engram; [`Error::Unavailable`].
    async fn annotate(
        &self,
        context: Option<CallContext>,
        id: MemoryId,
        annotation: Annotation,
    ) -> Result<(), Error>;
}

/// The user's side of memory.
#[async_trait]
pub trait Curator: Send + Sync {
    /// An entry, whole.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Unavailable`].
    async fn show(&self, id: MemoryId) -> Result<Stored, Error>;
    /// Entries, oldest first, corrected ones included.
    ///
    /// # Errors
    /// [`Error::Unavailable`], also later in the stream.
    async fn list(&self, request: ListRequest) -> Result<Streaming<Stored, Error>, Error>;
    /// Removes an entry and the ones that it corrected: text, vectors, index entries and cache. Then
    /// looks whether anything of its text is left in any of memory's files, and who else says the
    /// same.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::StillThere`]; [`Error::Unavailable`].
    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Error>;
    /// Keeps an exported entry as it is, id included. One with a known id is a duplicate.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn restore(&self, entry: Stored) -> Result<WriteAnswer, Error>;
    /// What memory holds.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn stats(&self) -> Result<Stats, Error>;
    /// Makes every index anew from the store, and waits until they hold everything.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn reindex(&self) -> Result<Stats, Error>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leg_that_did_not_look_at_everything_says_so() {
        let lacking = |name: &str, seen, note: &str| {
            let stage = Stage {
                name: name.to_owned(),
                candidates: Vec::new(),
                seen,
                duration_us: 1,
                note: note.to_owned(),
            };
            stage.lacking().map(|lacking| format!("{lacking:?}"))
        };
        let vector = |seen, note| lacking(Stage::VECTOR, seen, note);
        let away = vector(0, "no embedding model (none set): words alone");
        assert_eq!(
            away.as_deref(),
            Some("Meaning(\"no embedding model (none set)\")")
        );
        let none = vector(0, "3 of 3 entries have no vector yet");
        assert!(none.unwrap().starts_with("Meaning(\"3 of 3"));
        let some = vector(2, "1 of 3 entries have no vector yet");
        assert!(some.unwrap().starts_with("Part(\"1 of 3"));
        let words = lacking(Stage::LEXICAL, 0, "it cannot be read");
        assert_eq!(words.as_deref(), Some("Words(\"it cannot be read\")"));
        assert_eq!(vector(0, ""), None);
        assert_eq!(lacking(Stage::LEXICAL, 3, "made anew: damaged"), None);
        assert_eq!(lacking("cache", 0, "the same words"), None);
    }
}
