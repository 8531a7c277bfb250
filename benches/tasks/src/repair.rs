//! Small projects with a fault and tests of their own: each is a folder of `data/repairs`.
//!
//! `repair.toml` there says what the user asks for and which command tests the project; every other
//! file is the project as the agent finds it. `Description` below has its keys. A folder that is added is a
//! task that is added.

use crate::task::{Check, Project, Set, Task};
use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use testkit::Toolchain;

/// The file that describes a repair.
const DESCRIPTION: &str = "repair.toml";

/// What programs make beside a project's files, wherever it stands in its folder: nobody's work.
pub const MADE_BY_PROGRAMS: [&str; 5] = [
    "target",
    "Cargo.lock",
    ".venv",
    "__pycache__",
    ".pytest_cache",
];

/// A repair, and how it can be done.
#[derive(Debug, Clone)]
pub struct Repair {
    /// What the agent is given, and how it is judged.
    pub task: Task,
    /// Files that a person would read first.
    pub reads: Vec<String>,
    /// One way to do it.
    pub mend: Vec<Call>,
}

/// A call of a tool.
#[derive(Debug, Clone, Deserialize)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(flatten)]
    pub arguments: Map<String, Value>,
}

/// What `repair.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// What is wrong, such as `off by one`.
    kind: String,
    /// What the tests need.
    needs: Needs,
    /// What the user says.
    ask: String,
    /// What runs the tests.
    command: String,
    /// The files of the tests.
    tests: BTreeSet<String>,
    /// Files that a person would read first.
    reads: Vec<String>,
    /// Files that may change too, beside those of `mend`.
    #[serde(default)]
    may_change: BTreeSet<String>,
    /// One way to do it: calls of tools, each with its arguments.
    mend: Vec<Call>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Needs {
    Rust,
    Python,
    Pytest,
    Node,
}

impl From<Needs> for Toolchain {
    fn from(needs: Needs) -> Self {
        match needs {
            Needs::Rust => Self::Rust,
            Needs::Python => Self::Python,
            Needs::Pytest => Self::Pytest,
            Needs::Node => Self::Node,
        }
    }
}

/// Every repair, by name.
///
/// # Errors
/// When a folder is not what it should be.
pub fn all() -> Result<Vec<Repair>> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/repairs");
    let entries = fs::read_dir(&place).with_context(|| place.display().to_string())?;
    let mut folders = Vec::new();
    for entry in entries {
        folders.push(entry?.path());
    }
    folders.sort();
    let read = |folder: PathBuf| one(&folder).with_context(|| folder.display().to_string());
    folders.into_iter().map(read).collect()
}

fn one(folder: &Path) -> Result<Repair> {
    let mut files = BTreeMap::new();
    look(folder, "", &mut files)?;
    let text = files.remove(DESCRIPTION);
    let text = text.with_context(|| format!("there is no {DESCRIPTION}"))?;
    let described: Description = toml::from_str(&text).context(DESCRIPTION)?;
    let named = described.tests.iter().chain(&described.reads);
    for path in named {
        ensure!(files.contains_key(path), "there is no {path}");
    }
    let paths = described.mend.iter().filter_map(Call::path);
    let mut may_change = described.may_change;
    may_change.extend(paths.map(str::to_owned));
    ensure!(
        may_change.is_disjoint(&described.tests),
        "who changes the tests has repaired nothing"
    );
    let name = folder.file_name().unwrap_or_default();
    let project = Project {
        toolchain: described.needs.into(),
        command: described.command,
        tests: described.tests,
    };
    let task = Task {
        name: name.to_string_lossy().into_owned(),
        kind: described.kind,
        set: Set::Repairs,
        ask: vec![described.ask],
        files,
        check: Check::default(),
        may_change,
        project: Some(project),
    };
    Ok(Repair {
        task,
        reads: described.reads,
        mend: described.mend,
    })
}

impl Call {
    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.arguments.get("path")?.as_str()
    }
}

fn look(folder: &Path, before: &str, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{before}{name}");
        if MADE_BY_PROGRAMS.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            look(&entry.path(), &format!("{path}/"), files)?;
        } else {
            let text = fs::read_to_string(entry.path()).with_context(|| path.clone())?;
            files.insert(path, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_repairs_in_three_languages_are_there() {
        let repairs = all().unwrap();
        assert!(repairs.len() >= 20, "{}", repairs.len());
        for (language, least) in [("rust", 7), ("python", 7), ("script", 6)] {
            let of_it = repairs.iter().filter(|one| {
                let words = one.task.name.split('-').next();
                words.is_some_and(|word| word.ends_with(language))
            });
            assert!(of_it.count() >= least, "{language}");
        }
    }

    #[test]
    fn every_repair_is_small_and_can_be_done_in_its_own_files() {
        for Repair { task, reads, mend } in all().unwrap() {
            let name = &task.name;
            let lines: usize = task.files.values().map(|text| text.lines().count()).sum();
            assert!(lines <= 120 && task.files.len() <= 7, "{name}: {lines}");
            assert!(!mend.is_empty() && !reads.is_empty(), "{name}");
            assert!(!task.project.unwrap().tests.is_empty(), "{name}");
            let unread = |call: &&Call| !reads.iter().any(|read| call.path() == Some(read));
            assert!(!mend.iter().any(|call| unread(&call)), "{name}");
        }
    }
}
