//! Tasks: what an orchestrating agent makes of a request before it hands the parts out.

use crate::limits::{TASK_ARTIFACTS, TASK_GOAL_CHARS, TASK_INPUTS, TASKS_PER_REQUEST};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One part of a request, for one agent. What a model writes; nothing in it is trusted before it is
/// checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// A short name, unique in its request: 1 to 32 of `a-z 0-9 _ -`.
    #[schemars(length(min = 1, max = 32), regex(pattern = r"^[a-z0-9_-]+$"))]
    pub id: String,
    /// The type of agent that does it.
    #[schemars(length(min = 1, max = 64))]
    pub agent_type: String,
    /// What is to be reached, in full: the agent sees nothing else of the request.
    #[schemars(length(min = 1, max = TASK_GOAL_CHARS))]
    pub goal: String,
    /// Paths and facts it needs.
    #[schemars(length(max = TASK_INPUTS), inner(length(max = 400)))]
    pub inputs: Vec<String>,
    /// Ids of tasks whose reports it needs first.
    #[schemars(length(max = TASKS_PER_REQUEST), inner(length(max = 32)))]
    pub depends_on: Vec<String>,
    /// Paths of files it should leave behind.
    #[schemars(length(max = TASK_ARTIFACTS), inner(length(max = 400)))]
    pub expected_artifacts: Vec<String>,
}

/// What becomes of a request. No tasks: the agent answers by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decomposition {
    /// The parts, in any order.
    #[schemars(length(max = TASKS_PER_REQUEST))]
    pub tasks: Vec<Task>,
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It waits for others, or for its turn.
    Waiting,
    /// An agent works on it.
    Running,
    /// Its report is in and used.
    Done,
    /// It failed for good.
    Failed,
    /// It was not begun, because something it needs failed.
    Skipped,
}
