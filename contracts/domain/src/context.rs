//! What a model is shown, as people may look at it, and what a compaction keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One part of what a model will be shown next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPart {
    /// What it is: `system`, `tools`, `identity`, `project_notes`, `journal`, `summary`, `pinned`,
    /// `tasks`, `reports`, `recalled`, `conversation`, `turn`, and so on.
    pub name: String,
    /// Tokens, estimated.
    pub tokens: u64,
    /// The text exactly as it is sent.
    pub text: String,
}

/// Everything a model will be shown next, in the order it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextView {
    /// The model's whole context, tokens.
    pub context_tokens: u64,
    /// What a prompt may take of it, tokens.
    pub budget_tokens: u64,
    /// The share of the last prompt that was the beginning of the one before, thousandths; `None`
    /// before the second call.
    pub reused_permille: Option<u16>,
    /// The parts.
    pub parts: Vec<ContextPart>,
}

/// Why a view was made smaller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionCause {
    /// The oldest turns fell out at the hard mark, and nothing stands for them.
    #[default]
    Trimmed,
    /// Journal entries stand for what they cover.
    Journal,
    /// A summary stands for the oldest turns.
    Summary,
    /// The server said that the prompt did not fit.
    Overflow,
}

/// What a line of a summary is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    /// Something was decided or found out.
    Decision,
    /// A file, by its path alone.
    Artifact,
    /// Something is open.
    OpenQuestion,
    /// What the user wants kept to, in the user's own words.
    Constraint,
}

/// One line of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryLine {
    /// What it is.
    pub kind: SummaryKind,
    /// The line; a constraint word for word.
    #[schemars(length(min = 1, max = 400))]
    pub text: String,
    /// Numbers of the events it came from; the agent recalls an original by its number.
    #[schemars(length(min = 1, max = 8))]
    pub cites: Vec<u64>,
}

/// What stands for the oldest turns once they are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Its lines.
    #[schemars(length(max = 60))]
    pub lines: Vec<SummaryLine>,
}
