//! The structured results of the tools over memory. These shapes are promises: programs, the guard's
//! labels and the recall before a request read them.

use serde::Serialize;

/// Result of `search_memory` and `get_correlated`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Results {
    /// What was found, best first.
    pub(crate) results: Vec<Told>,
    /// What the search could not look at, in a sentence of ours; not there when it looked at all
    /// there is, and for `get_correlated`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) lacking: String,
}

/// One recall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Told {
    /// Its id.
    pub(crate) id: String,
    /// `memory` or `conversation`.
    pub(crate) kind: String,
    /// Where it is kept.
    pub(crate) namespace: String,
    /// Its name.
    pub(crate) name: String,
    /// One line about it.
    pub(crate) description: String,
    /// The segment that answers; empty where only descriptions were asked for.
    pub(crate) text: String,
    /// Who nominated it, and where it came from when it is untrusted; for people.
    pub(crate) from: String,
    /// The day it was written, UTC.
    pub(crate) date: String,
    /// How much of the question it answers, 0 to 1.
    pub(crate) relevance: f32,
    /// Whether it may be trusted.
    pub(crate) trusted: bool,
}

/// Result of `save_memory`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Kept {
    /// The entry, or the one that says the same.
    pub(crate) id: String,
    /// Whether it is a new one.
    pub(crate) kept: bool,
}
