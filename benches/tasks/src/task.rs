//! One task: what the folder holds, what the user says, and how it is judged.

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Toolchain;

/// Which set a task is of. Everyday tasks have two, which are halves of one list.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Set {
    /// Looked at while something is made better.
    Tuning,
    /// Written by somebody who had not seen the rules, and looked at only after its figures were taken.
    Published,
    /// Projects with a fault, for the agent that changes code.
    Repairs,
}

/// A task of the list.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name, unique.
    pub name: String,
    /// What kind of task it is, such as `edit`.
    pub kind: String,
    /// The set; in the list it is its half.
    #[serde(rename = "half")]
    pub set: Set,
    /// What the user says, one request after the other in one session.
    pub ask: Vec<String>,
    /// The files at the start, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What must hold at the end.
    pub check: Check,
    /// Files that the user asked to have changed in a way that no comparison judges.
    #[serde(default)]
    pub may_change: BTreeSet<String>,
    /// The project with tests of its own that the files are; the agent that changes code works on it.
    #[serde(skip)]
    pub project: Option<Project>,
}

/// What a task's project has beside its files.
#[derive(Debug, Clone)]
pub struct Project {
    /// What its tests need.
    pub toolchain: Toolchain,
    /// What runs its tests, as a shell takes it; it ends with 0 where all pass.
    pub command: String,
    /// The files of its tests. They are put back before it is judged.
    pub tests: BTreeSet<String>,
}

/// What must hold at the end. Everything that is given must.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// The last answer has one of these; all parts of one that is joined by `&`. Case does not count.
    pub answer: Vec<String>,
    /// The last answer has none of these.
    pub answer_lacks: Vec<String>,
    /// Files with just this text; a line end at the end of the file does not count.
    pub equals: BTreeMap<String, String>,
    /// Files that hold all of these texts.
    pub holds: BTreeMap<String, Vec<String>>,
    /// Files that hold none of these texts.
    pub lacks: BTreeMap<String, Vec<String>>,
    /// Files that are not there.
    pub gone: BTreeSet<String>,
    /// A program to run in the folder, with its arguments.
    pub run: Vec<String>,
    /// What it prints; white space around it does not count.
    pub prints: String,
    /// How the last request may end, as `carl run --json` says it.
    pub ends: Vec<String>,
}

impl Task {
    /// Whether a change of a file is what the user asked for.
    #[must_use]
    pub fn asks_for_change_of(&self, path: &str) -> bool {
        let check = &self.check;
        self.may_change.contains(path)
            || check.equals.contains_key(path)
            || check.holds.contains_key(path)
            || check.gone.contains(path)
    }
}

/// Every everyday task.
///
/// # Errors
/// When the list is not what it should be.
pub fn all() -> Result<Vec<Task>> {
    let tasks: Vec<Task> = serde_json::from_str(include_str!("../data/tasks.json"))
        .context("data/tasks.json is no list of tasks")?;
    let names: BTreeSet<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    ensure!(names.len() == tasks.len(), "two tasks have one name");
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_sixty_tasks_in_two_halves_and_each_can_fail() {
        let tasks = all().unwrap();
        assert!(tasks.len() >= 60, "{}", tasks.len());
        for half in [Set::Tuning, Set::Published] {
            let in_half = tasks.iter().filter(|task| task.set == half);
            assert!(in_half.count() >= 30, "{half:?}");
        }
        for task in &tasks {
            let check = &task.check;
            let judges = !check.answer.is_empty()
                || !check.equals.is_empty()
                || !check.holds.is_empty()
                || !check.gone.is_empty()
                || !check.run.is_empty()
                || !check.ends.is_empty();
            assert!(judges && !task.ask.is_empty(), "{}", task.name);
        }
    }
}
