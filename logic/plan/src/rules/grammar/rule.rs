//! One rule.

use crate::rules::building::{Built, Match};

/// What people say, and what is made of it.
pub struct Rule {
    /// The pattern, over one whole step.
    pub says: &'static str,
    /// What a match becomes.
    pub build: fn(&Match<'_>) -> Built,
}

/// A rule.
pub const fn rule(says: &'static str, build: fn(&Match<'_>) -> Built) -> Rule {
    Rule { says, build }
}
