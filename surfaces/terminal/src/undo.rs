//! Taking back changes of files: how it is asked for, and what a session has to take back.

use crate::session_changes::FileChange;
use anyhow::Result;
use api::broker::AgentListing;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{CallId, SessionId};
use domain::lineage::AgentType;
use domain::plan::{Action, Plan};
use domain::tool::UNDO;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Whether a task is to take back a change and nothing else, as the rules read it.
#[must_use]
pub fn is_asked_by(task: &str) -> bool {
    plan::rules::plan(task).is_ok_and(|plan| plan.actions == [Action::Undo {}])
}

/// Whether a task takes back changes, however many, and does nothing else.
#[must_use]
pub fn only_takes_back(task: &str) -> bool {
    plan::rules::plan(task).is_ok_and(|plan| plan.only_takes_back())
}

/// A task as another window is told of it: one that takes changes back by what it takes back.
#[must_use]
pub fn in_words(task: &str) -> String {
    let plan = plan::rules::plan(task);
    match plan.ok().filter(Plan::only_takes_back) {
        None => task.to_owned(),
        Some(plan) if plan.actions.len() == 1 => "take back the last change".to_owned(),
        Some(plan) => format!("take back the last {} changes", plan.actions.len()),
    }
}

/// Whether agents of a type have the tool that takes changes back.
#[must_use]
pub fn may_undo(types: &[AgentListing], agent_type: &AgentType) -> bool {
    let mut fitting = types.iter().filter(|one| one.agent_type == *agent_type);
    fitting.any(|one| one.tools.iter().any(|tool| tool.as_str() == UNDO))
}

/// How the file changes that some calls made stand in the undo history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallChanges {
    /// All that the history has.
    pub recorded: usize,
    /// Those that so many undos take back, and nothing else.
    pub next: usize,
    /// Those that lie below a change of another call, or became part of one.
    pub beyond: usize,
    /// Those that undo passes over, as the user said.
    pub passed: usize,
    /// Those that were taken back.
    pub undone: usize,
}

/// The undo histories of the sessions of this machine.
pub trait FileHistory: Debug + Send + Sync {
    /// How the changes of these calls stand.
    ///
    /// # Errors
    /// When the history cannot be read.
    fn of_calls(&self, session_id: SessionId, calls: &BTreeSet<CallId>) -> Result<CallChanges>;

    /// Has undo pass over those changes of these calls whose files were changed by something else since;
    /// the files.
    ///
    /// # Errors
    /// When the history cannot be read or written.
    fn pass_over_changed(
        &self,
        session_id: SessionId,
        calls: &BTreeSet<CallId>,
    ) -> Result<Vec<PathBuf>>;

    /// What the session changed and did not take back; names are relative to the folder.
    ///
    /// # Errors
    /// When the history cannot be read.
    fn changes(&self, session_id: SessionId, folder: &Path) -> Result<Vec<FileChange>>;
}

/// The calls after an event that changed files by one of these tools, until they were stopped for some.
#[must_use]
pub fn changing_calls(
    events: &[Event],
    after_seq: u64,
    tools: &BTreeSet<String>,
) -> BTreeSet<CallId> {
    let later = events.iter().filter(|event| event.seq > after_seq);
    let changed = later.filter(|event| match &event.body {
        EventBody::ToolResult {
            tool,
            status: CallStatus::Ok | CallStatus::Cancelled,
            artifacts,
            ..
        } => tools.contains(tool) && !artifacts.is_empty(),
        _ => false,
    });
    changed.filter_map(|event| event.call_id).collect()
}

/// The session that this one is a fork of, by its events.
#[must_use]
pub fn forked_from(events: &[Event]) -> Option<SessionId> {
    match &events.first()?.body {
        EventBody::SessionOpened { forked_from, .. } => forked_from.map(|(origin, _)| origin),
        _ => None,
    }
}

/// How many undos after an event changed a file, and how many found it as it was before already.
#[must_use]
pub fn undos(events: &[Event], after_seq: u64) -> (usize, usize) {
    let later = events.iter().filter(|event| event.seq > after_seq);
    let undos = later.filter_map(|event| match &event.body {
        EventBody::ToolResult {
            tool,
            status: CallStatus::Ok,
            artifacts,
            ..
        } if tool == UNDO => Some(artifacts.is_empty()),
        _ => None,
    });
    let (back, changed): (Vec<bool>, Vec<bool>) = undos.partition(|was_back| *was_back);
    (changed.len(), back.len())
}

#[cfg(test)]
mod tests {
    use super::{in_words, is_asked_by};

    #[test]
    fn what_only_takes_back_is_named_by_that() {
        for (task, said) in [
            ("undo", "take back the last change"),
            ("undo; undo; undo", "take back the last 3 changes"),
            ("undo; list files", "undo; list files"),
        ] {
            assert_eq!(in_words(task), said);
        }
    }

    #[test]
    fn only_an_undo_alone_is_meant_for_an_earlier_session() {
        for task in ["undo", "Undo the last change", "take that back"] {
            assert!(is_asked_by(task), "{task}");
        }
        for task in [
            "create a.txt and undo it",
            "undo everything since May",
            "list files",
        ] {
            assert!(!is_asked_by(task), "{task}");
        }
    }
}
