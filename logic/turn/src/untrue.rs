//! What an answer may say that the calls do not bear out.

use domain::event::{CallStatus, ToolCallSummary};

/// What an answer says that the calls do not bear out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untrue {
    /// That something was changed.
    Change,
    /// That a program was run, and the call that was to run it where there was one.
    Run(Option<Missed>),
    /// That tests or a build went well, and the call that was to show it where there was one.
    Passed(Option<Missed>),
    /// That all went well: the last program that ran failed.
    Success {
        /// The tool that ran it.
        tool: String,
        /// How it ended.
        exit_code: i32,
    },
    /// That something was deleted, whose deletion did not come about.
    Deletion {
        /// The tool that was to delete it.
        tool: String,
        /// How its call ended.
        status: CallStatus,
    },
    /// That something was forgotten.
    Forgetting,
    /// That a reminder is set.
    Reminder,
}

impl Untrue {
    /// The stable code of the fault that says so.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Change | Self::Forgetting | Self::Reminder => "agents.nothing_changed",
            Self::Deletion { .. } => "agents.nothing_deleted",
            Self::Run(_) | Self::Passed(_) => "agents.nothing_run",
            Self::Success { .. } => "agents.command_failed",
        }
    }
}

/// A call whose program did not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// The tool.
    pub tool: String,
    /// How the call ended.
    pub status: CallStatus,
    /// How the program ended, where one ran.
    pub exit_code: Option<i32>,
}

impl Missed {
    pub(crate) fn of(call: &ToolCallSummary) -> Self {
        Self {
            tool: call.tool.clone(),
            status: call.status,
            exit_code: call.exit_code,
        }
    }
}
