//! Executors: what runs a tool once the broker has permitted it.

pub use crate::failure::{FailureKind, ToolFailure, Words};

use crate::authority::{Authorized, JudgedCall};
use crate::programs::SeenProgram;
use async_trait::async_trait;
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::SessionId;
use domain::tool::{TargetKind, ToolOutput, ToolSpec};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// How far a running tool has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing, for people.
    pub message: String,
    /// How much is done, percent, if known.
    pub percent: Option<u8>,
}

/// What a running tool reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// How far it has come.
    Progress(Progress),
    /// What the user must know of what became of files or programs: it is shown and kept in the
    /// session's log, and no model reads it.
    Notice(Fault),
}

/// Where reports go. A full or closed channel never stops the tool.
pub type ReportSink = mpsc::Sender<Report>;

/// Why a path may not be used, although its text looks right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct PathRefusal {
    /// Stable name of the rule: `outside_roots`, `symlink_escape`, `magic_link`, `protected`.
    pub rule: Cow<'static, str>,
    /// For the user.
    pub detail: String,
}

/// What a user's yes for the session to a call stands for, where it is more than that very call: other
/// calls of the same tool with the same key are covered by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionScope {
    /// The same for every call that it covers, and another one as soon as what decides what such a
    /// call does has changed: for a program, its own settings in the project.
    pub key: Digest,
    /// What it covers, for people; ends where the broker adds how long it holds.
    pub words: String,
}

/// Runs tools.
#[async_trait]
pub trait Executor: Send + Sync {
    /// Every tool it runs. Fixed for the life of the executor.
    fn table(&self) -> Vec<ToolSpec>;

    /// Checks with the file system where a path leads: symbolic links, mounts, protected places.
    /// Has no effect. `roots` are what the call may touch. Returns the real path, links followed as
    /// far as something is there; `None` where nothing can be reached, and from an executor that
    /// reaches no files.
    ///
    /// # Errors
    /// [`PathRefusal`] when the path leads out of every root or to a protected place.
    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal>;

    /// The change a call would make to a file, as a unified diff; `None` when it makes none that
    /// can be shown. Has no effect.
    ///
    /// # Errors
    /// [`ToolFailure`] when the call would fail.
    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure>;

    /// The same for each step of a plan, as if those before it were done: one answer for each call, in
    /// their order. `None` where what a step comes to then cannot be told. An executor whose calls do
    /// not build on each other has nothing to add.
    async fn preview_plan(&self, steps: &[JudgedCall]) -> Vec<Result<Option<String>, ToolFailure>> {
        let mut previews = Vec::with_capacity(steps.len());
        for step in steps {
            previews.push(self.preview(step).await);
        }
        previews
    }

    /// What a yes for the session to the call covers beyond the call itself; `None` where that is
    /// nothing. Has no effect.
    async fn session_scope(&self, _call: &JudgedCall) -> Option<SessionScope> {
        None
    }

    /// Runs the permitted call. Dropping the future stops it as soon as is safe. Where the reader of
    /// `reports` is gone and the future is still awaited, the call is to be stopped as well: a tool that
    /// can tell what it came to by then ends with that.
    ///
    /// # Errors
    /// [`ToolFailure`], for the model to read.
    async fn run(&self, call: Authorized, reports: ReportSink) -> Result<ToolOutput, ToolFailure>;

    /// The programs of a session that run and those whose output is kept, in the order in which they
    /// began; none from an executor that runs no programs. Has no effect.
    async fn programs(&self, _session_id: SessionId) -> Vec<SeenProgram> {
        Vec::new()
    }

    /// Stops jobs of a session that run, as its user wants: the one of this name, or all. Answers with
    /// the names of those that it stopped, once they are gone or after a while; none from an executor that
    /// runs no programs.
    async fn stop_jobs(&self, _session_id: SessionId, _name: Option<&str>) -> Vec<String> {
        Vec::new()
    }

    /// Ends what calls of a session left at work, since nobody will ask for it any more. When this
    /// answers, nothing of it is left running.
    async fn session_closed(&self, _session_id: SessionId) {}
}
