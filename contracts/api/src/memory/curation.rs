//! What the user sees of memory: entries whole, what is left of a forgotten one, how full it is.

use super::entry::{Kind, Source, WriteEntry};
use super::recall::Scope;
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::quality::Winner;
use domain::rights::Namespace;

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
