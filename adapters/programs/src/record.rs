//! The structured results of the tools, `ToolOutput::data`. These shapes are promises: programs
//! and the plan pipeline read them.

use serde::{Deserialize, Serialize};

/// Result of `run_code`, `run_command` and `package_install`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProgram {
    /// How the program ended; `None` when it was killed.
    pub exit_code: Option<i32>,
    /// The signal that killed it; `None` when it ended by itself or its time was up.
    pub signal: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
    /// What it wrote; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// What it wrote as errors; bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// Whether the middle of a stream was left out.
    pub truncated: bool,
    /// How long it ran, milliseconds.
    pub took_ms: u64,
    /// Names of the restrictions in force while it ran.
    pub enforced: Vec<String>,
    /// Names of restrictions that this machine does not have; none of them was promised.
    pub unavailable: Vec<String>,
    /// What was done about protected places.
    pub notes: Vec<String>,
}

/// How a job in the background stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It runs.
    Running,
    /// It has ended, by itself or not.
    Ended,
    /// It was not run.
    NotRun,
}

/// Result of `start_job`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartJob {
    /// Its name.
    pub job: String,
}

/// Result of `list_jobs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListJobs {
    /// Those that the call may see, in the order in which they began.
    pub jobs: Vec<ListedJob>,
}

/// One job of [`ListJobs`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedJob {
    /// Its name.
    pub job: String,
    /// How it stands.
    pub state: JobState,
    /// The same in a few words, with its time.
    pub about: String,
    /// Program and arguments, as a shell would quote them.
    pub command: String,
}

/// Result of `job_output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobOutput {
    /// The job's name.
    pub job: String,
    /// How it stands.
    pub state: JobState,
    /// What came of it; while it runs, only its output and time so far say anything.
    pub program: RunProgram,
}

/// Result of `stop_job`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopJob {
    /// The job's name.
    pub job: String,
}
