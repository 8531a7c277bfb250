//! Questions to memory, and what answers them, stage by stage.

use super::entry::{Kind, Source};
use crate::CallContext;
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::rights::Namespace;

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
    /// The user's rating of an answer, -100 to 100.
    pub feedback: Option<i8>,
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
