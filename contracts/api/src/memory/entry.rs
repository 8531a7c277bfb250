//! What is kept in memory, and what becomes of a nomination.

use crate::CallContext;
use domain::Timestamp;
use domain::id::{MemoryId, QueryId, SessionId};
use domain::label::Label;
use domain::quality::Winner;
use domain::rights::Namespace;
use domain::tool::ToolName;

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
