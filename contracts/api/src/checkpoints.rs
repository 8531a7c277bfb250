//! Checkpoints: what is in a folder before a program changes it, so that undo takes that back.

use crate::authority::JudgedCall;
use async_trait::async_trait;
use std::path::PathBuf;

/// What a program changed, as far as it can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramChanges {
    /// Files that it made, changed or deleted and that undo brings back, absolute.
    pub files: Vec<PathBuf>,
    /// Why undo does not bring all of it back, as a sentence; `None` where it does.
    pub left_out: Option<String>,
}

/// Notes what programs change.
#[async_trait]
pub trait Checkpoints: Send + Sync {
    /// Notes what is in the working folder of the call, as far as its program may change it, before
    /// that begins. Failing to is no reason not to run it: [`Checkpoint::end`] says so.
    async fn begin(&self, call: &JudgedCall) -> Box<dyn Checkpoint>;
}

/// What a folder held before a program ran.
#[async_trait]
pub trait Checkpoint: Send + Sync {
    /// Puts what has changed since into the undo history of the session, once the program has ended.
    async fn end(self: Box<Self>) -> ProgramChanges;
}
