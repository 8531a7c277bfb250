//! The one form in which a sub-agent answers. Nobody parses free text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportStatus {
    /// All of it is done.
    Success,
    /// Some of it is done.
    Partial,
    /// None of it is done; `failure_reason` says why.
    Failed,
}

impl ReportStatus {
    /// The word for people, models and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// What stands behind the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultQuality {
    /// A tool result shows it.
    Verified,
    /// It follows from what was seen.
    Inferred,
    /// It may be wrong.
    Uncertain,
}

impl ResultQuality {
    /// The word for people, models and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Inferred => "inferred",
            Self::Uncertain => "uncertain",
        }
    }
}

/// Where the result came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportSource {
    /// Tools.
    ToolOutput,
    /// What the model knew.
    ModelKnowledge,
    /// The web.
    Web,
}

/// What every sub-agent returns. The JSON Schema is generated from this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// How the task ended.
    pub status: ReportStatus,
    /// At most three sentences.
    #[schemars(length(max = 600))]
    pub summary: String,
    /// Paths of files made or changed.
    #[schemars(length(max = 50), inner(length(max = 400)))]
    pub artifacts: Vec<String>,
    /// What stands behind the result.
    pub result_quality: ResultQuality,
    /// Where it came from.
    pub source: ReportSource,
    /// Facts worth remembering, nominated; the orchestrator decides.
    #[schemars(length(max = 10), inner(length(max = 300)))]
    pub new_memory_candidates: Vec<String>,
    /// Why it failed. Required when `status` is `failed`.
    #[schemars(length(max = 600))]
    pub failure_reason: Option<String>,
}
