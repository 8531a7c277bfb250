//! The programs that tests of secrets run: a session bus, a GNOME Keyring, `keyctl`.
//!
//! They belong to the system, so they come from its own packages; no test brings a stand-in, since
//! what is proved is that the real ones work.

use super::progress::say;
use super::shell;
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Each program with the Debian package that has it.
const PROGRAMS: [(&str, &str); 5] = [
    ("dbus-daemon", "dbus"),
    ("dbus-send", "dbus"),
    ("gnome-keyring-daemon", "gnome-keyring"),
    ("secret-tool", "libsecret-tools"),
    ("keyctl", "keyutils"),
];

/// Installs what is missing, where apt is there and may.
///
/// # Errors
/// What is missing, and the command that installs it.
pub fn provide() -> Result<((), String)> {
    let mut packages = missing();
    if packages.is_empty() {
        return Ok(((), "all there".to_owned()));
    }
    packages.dedup();
    let by_hand = format!(
        "install them: `apt install {}` on Debian and Ubuntu; on other systems the packages are \
         named alike",
        packages.join(" ")
    );
    let is_root = shell::output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    if !is_root || !is_there("apt-get") {
        bail!(
            "the tests of secrets need programs that are not here, and only root may add them; {by_hand}"
        );
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
        [] => Ok(((), format!("installed {}", packages.join(", ")))),
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
