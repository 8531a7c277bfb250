//! The lines: one JSON object each. Programs send [`Request`]s; only `check` is answered.

use domain::decision::Decision;
use serde::Serialize;

pub use domain::guarded::Request;

/// The answer to a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The id of the check.
    pub id: u64,
    /// `allow`, `confirm` or `deny`.
    pub decision: &'static str,
    /// The layer that decided.
    pub layer: &'static str,
    /// Its rule.
    pub rule: String,
    /// For the user.
    pub reason: String,
    /// For the model, when the call may not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub advice: String,
}

impl Answer {
    /// The answer that a decision comes to.
    #[must_use]
    pub fn of(id: u64, decision: Decision) -> Self {
        Self {
            id,
            decision: decision.verdict.as_str(),
            layer: decision.layer.as_str(),
            rule: decision.rule,
            reason: decision.user_reason,
            advice: decision.model_reason,
        }
    }
}

/// The answer to a line that cannot be taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// What is wrong, where, and what to send instead.
    pub error: String,
}
