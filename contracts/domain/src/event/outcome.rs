//! How tool calls and requests end.

use crate::decision::{Layer, Verdict};
use crate::id::CallId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It ran.
    Ok,
    /// It ran and failed, in a way the model may mend.
    Failed,
    /// It was not allowed to run.
    Denied,
    /// It was stopped.
    Cancelled,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryStatus {
    /// Done.
    Success,
    /// Some of it is done.
    Partial,
    /// Nothing came of it.
    Failed,
    /// The guard or the user refused what it needed.
    Denied,
    /// The user stopped it.
    Interrupted,
}

/// One line of a request's tool-call log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallSummary {
    /// The call.
    pub call_id: CallId,
    /// The tool asked for.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// What the broker said.
    pub decision: Verdict,
    /// Which layer said it.
    pub layer: Layer,
    /// How it ended.
    pub status: CallStatus,
    /// How long it ran, milliseconds, without the time a person took to answer.
    pub duration_ms: u64,
    /// How the program ended that it ran, as a shell tells it: 128 and the signal for one that was
    /// killed, 124 for one whose time was up. `None` where it ran none to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

impl ToolCallSummary {
    /// Whether it ran a program that ended with another code than 0. The call itself was done.
    #[must_use]
    pub fn ended_badly(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }
}
