//! Measures the firewall of `base/text` on labelled corpora.
//!
//! What it is: a test that reads attacks and ordinary texts and counts what is flagged.
//! What it owns: the figures the firewall must reach, and the ordinary texts in `data/`.
//! What it never does: hold other people's corpora. `cargo xtask corpora` fetches them; without them
//! the test fails and says so.
//! Where to start: `tests/corpora.rs`; `corpora.py` says where the texts come from.
#![allow(clippy::panic, reason = "without its texts the test must fail loudly")]

use std::path::{Path, PathBuf};

/// One text of a corpus.
#[derive(Debug)]
pub struct Text {
    /// The package it comes from, or `own`.
    pub source: String,
    /// Its licence, as the package states it.
    pub licence: String,
    /// What it is, in the words of its source.
    pub kind: String,
    /// `dev`, which rules may be fitted to, or `held`, which is only measured.
    pub half: String,
    /// The text itself.
    pub text: String,
}

/// The folder of the corpora: `HOUSE_CORPORA` if set, else where `cargo xtask corpora` puts them.
#[must_use]
pub fn folder() -> PathBuf {
    std::env::var_os("HOUSE_CORPORA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/corpora"),
        PathBuf::from,
    )
}

/// Reads `attacks` or `ordinary`.
///
/// # Panics
/// When the corpora are not there or not whole.
#[must_use]
pub fn read(name: &str) -> Vec<Text> {
    let path = folder().join(format!("{name}.jsonl"));
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "no corpora at {}: {error}. Fetch them with `cargo xtask corpora`.",
            path.display()
        )
    });
    lines.lines().map(|line| parse(line, &path)).collect()
}

fn parse(line: &str, path: &Path) -> Text {
    let record: serde_json::Value = serde_json::from_str(line)
        .unwrap_or_else(|error| panic!("{} is damaged: {error}", path.display()));
    let field = |name: &str| {
        let value = record[name].as_str();
        value
            .unwrap_or_else(|| panic!("a line of {} has no `{name}`", path.display()))
            .to_owned()
    };
    Text {
        source: field("source"),
        licence: field("licence"),
        kind: field("kind"),
        half: field("half"),
        text: field("text"),
    }
}
