//! The rules of the house, checked.
//!
//! What it is: each rule as a function from source (or from the crate graph) to violations.
//! What it owns: the layer arrows, the size limits, the lists of who may do what.
//! What it never does: allow an exception. A rule that has to give way is changed here for all.
//! Where to start: `tests/house.rs` (the rules on this workspace) and [`rules`] (each rule with a
//! bad example that it catches).

pub mod arrows;
pub mod circles;
pub mod codes;
pub mod contracts;
pub mod dependencies;
pub mod licences;
pub mod named_tests;
pub mod rules;
pub mod sizes;
pub mod source;

use std::fmt;

/// One breach of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where: a path in the repository, with a line when there is one.
    pub place: String,
    /// What the rule says.
    pub rule: String,
}

impl Violation {
    /// A violation at a line of a file.
    #[must_use]
    pub fn at(path: &str, line: usize, rule: impl Into<String>) -> Self {
        Self {
            place: format!("{path}:{line}"),
            rule: rule.into(),
        }
    }

    /// A violation of a whole file or crate.
    #[must_use]
    pub fn of(place: &str, rule: impl Into<String>) -> Self {
        Self {
            place: place.to_owned(),
            rule: rule.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.rule)
    }
}
