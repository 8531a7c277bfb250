//! What tries the HTTP server in tests: schemathesis, in a Python environment of its own, and promtool, out of
//! Debian's package and without the service that the package would begin.

use super::progress::say;
use super::python::Python;
use super::shell;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// schemathesis with all that it needs, as pip reads it.
const REQUIREMENTS: &str = include_str!("schemathesis.txt");
/// The environment, below the folder of tools.
const FOLDER: &str = "checkers";
/// Debian's package with promtool, and the program in it.
const PACKAGE: (&str, &str) = ("prometheus", "usr/bin/promtool");

/// Provides those that are missing.
///
/// # Errors
/// What could not be had, and why.
pub fn provide(tools: &Path, python: &Python) -> Result<()> {
    let schemathesis = match is_there(tools, "schemathesis") {
        true => Ok(()),
        false => python.environment(FOLDER, REQUIREMENTS),
    };
    let promtool = match is_there(tools, "promtool") {
        true => Ok(()),
        false => fetch_promtool(tools),
    };
    schemathesis.and(promtool)
}

/// Those that tests have to do without, each with what would bring it.
pub fn absent(tools: &Path) -> impl Iterator<Item = (&'static str, String)> {
    let known = ["schemathesis", "promtool"].into_iter();
    let missing = known.filter(move |name| !is_there(tools, name));
    missing.map(|name| (name, "cargo xtask setup --test-programs".to_owned()))
}

fn is_there(tools: &Path, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push(tools.join(FOLDER).join("bin"));
    folders.iter().any(|folder| folder.join(program).is_file())
}

/// Takes promtool out of the package, which need not be installed for it.
fn fetch_promtool(tools: &Path) -> Result<()> {
    let (package, program) = PACKAGE;
    say(&format!("      fetching {package}, for promtool"));
    let folder = tools.join(format!("{package}.download"));
    let bin = tools.join(FOLDER).join("bin");
    for place in [&folder, &bin] {
        fs::create_dir_all(place).with_context(|| format!("cannot make {}", place.display()))?;
    }
    let mut download = Command::new("apt-get");
    download.args(["download", package]).current_dir(&folder);
    shell::output(&mut download).with_context(|| format!("`apt-get download {package}` failed"))?;
    let mut files = fs::read_dir(&folder)?;
    let file = files.next().context("apt-get downloaded nothing")??.path();
    let unpacked = folder.join("unpacked");
    shell::output(Command::new("dpkg-deb").arg("-x").arg(&file).arg(&unpacked))?;
    let place = bin.join("promtool");
    fs::rename(unpacked.join(program), &place)
        .with_context(|| format!("there is no {program} in {}", file.display()))?;
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
}
