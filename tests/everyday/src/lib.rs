//! Sixty tasks of an ordinary day, and the questions each should ask.
//!
//! What it is: a list of tasks (`data/tasks.json`) with the calls that a sensible model makes and
//! the questions that a careful person would want, each with its reason; and the test that plays
//! them at a terminal through the shipped `carl`.
//! What it owns: the list, and the project that the tasks are about ([`furnish`]).
//! What it never does: excuse a question. One that is not in the list fails the test, and so does
//! one that is in the list and was not asked.
//! Where to start: `data/tasks.json`, then `tests/tasks.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

use serde_json::Value;
use testkit::House;

/// One task.
#[derive(Debug)]
pub struct Task {
    /// What the user says.
    pub task: String,
    /// The agent type.
    pub agent: String,
    /// More flags, as the user would give them.
    pub flags: Vec<String>,
    /// The model's calls: the tool and its arguments.
    pub calls: Vec<(String, Value)>,
    /// The questions: what is asked (`open` for the folder, else the effect of the call) and why a
    /// careful person wants to be asked.
    pub questions: Vec<(String, String)>,
}

/// Every task.
///
/// # Panics
/// When the list cannot be read.
#[must_use]
pub fn tasks() -> Vec<Task> {
    let list: Vec<Value> = serde_json::from_str(include_str!("../data/tasks.json")).unwrap();
    list.iter().map(read).collect()
}

fn read(task: &Value) -> Task {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = |name: &str| task[name].as_array().cloned().unwrap_or_default();
    Task {
        task: text(&task["task"]),
        agent: task["agent"].as_str().unwrap_or("coder").to_owned(),
        flags: items("flags").iter().map(text).collect(),
        calls: items("calls")
            .iter()
            .map(|call| (text(&call[0]), call[1].clone()))
            .collect(),
        questions: items("questions")
            .iter()
            .map(|question| (text(&question[0]), text(&question[1])))
            .collect(),
    }
}

/// A small project: sources with a test, notes, a page, data and a log.
pub fn furnish(house: &House) {
    for (name, content) in [
        (
            "README.md",
            "# Ledger\n\nKeeps accounts.\n\nRun `python3 -m unittest`.\n",
        ),
        (
            "ledger.py",
            "def add(a, b):\n    return a + b\n\n\ndef total(items):\n    return sum(items)  # TODO: rounding\n",
        ),
        (
            "test_ledger.py",
            "import unittest\nimport ledger\n\n\nclass Test(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(ledger.add(40, 2), 42)\n",
        ),
        ("notes/todo.md", "- call Ann\n- pay rent\n"),
        ("notes/ideas.md", "An idea a day.\n"),
        (
            "docs/guide.html",
            "<h1>Guide</h1><p>Start with the README.</p>",
        ),
        ("data/sales.csv", "month,amount\njan,10\nfeb,20\n"),
        ("logs/app.log", "start\nERROR disk full\nstop\n"),
        ("old.txt", "of no use\n"),
        ("config.ini", "[server]\nport = 80\n"),
        (".gitignore", "__pycache__\n"),
    ] {
        house.write(name, content);
    }
}
