//! What each of agents' tools is: what the broker knows of it, and what it does for its caller.

use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure, Words};
use async_trait::async_trait;
use domain::tool::{ToolOutput, ToolSpec};

/// The capability of tools by which an agent sees to itself.
pub(super) const SELF: &str = "self";
/// Changes whenever the behaviour or schema of any of agents' tools does.
pub(super) const VERSION: &str = "1";

/// One of agents' tools.
#[async_trait]
pub(crate) trait AgentTool: Send + Sync {
    /// What the broker knows of it. Fixed.
    fn spec(&self) -> ToolSpec;

    /// Does it for the agent that called. Dropping the future stops it.
    ///
    /// # Errors
    /// [`ToolFailure`], for the model to read.
    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure>;
}

/// A failure in our own words, for the model to read.
pub(crate) fn failed(kind: FailureKind, rule: &'static str, message: String) -> ToolFailure {
    ToolFailure {
        kind,
        rule: rule.into(),
        message,
        words: Words::Own,
    }
}
