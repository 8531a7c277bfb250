//! What the page needs to be built and tried: Node, its packages in `web/node_modules`, and Chromium.
//!
//! Nobody needs any of it to build `carl`: what `web/` builds is committed.

use super::shell;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Node that the packages of `web/` run on.
const NODE: (u32, u32) = (20, 19);

/// Fetches the packages that `web/package-lock.json` names, where they are not there yet.
///
/// # Errors
/// When there is no Node, or npm cannot fetch them.
pub fn provide(root: &Path) -> Result<()> {
    if has_packages(root) {
        return Ok(());
    }
    if !has_node() {
        bail!("{}", no_node());
    }
    shell::output(Command::new("npm").arg("ci").current_dir(web(root))).map(drop)
}

/// Why the page can be neither built nor tried here; `None` where it can.
pub fn absent(root: &Path) -> Option<String> {
    if !has_node() {
        return Some(no_node());
    }
    if !has_packages(root) {
        return Some("cargo xtask setup --test-programs, or npm ci in web/".to_owned());
    }
    let has_chromium = Command::new("chromium").arg("--version").output().is_ok();
    (!has_chromium).then(|| "apt install chromium".to_owned())
}

/// The folder of the page's source.
pub fn web(root: &Path) -> PathBuf {
    root.join("web")
}

/// npm writes a list of what it put there once it is done; it is older than the lock file where that
/// changed since.
fn has_packages(root: &Path) -> bool {
    let changed = |name: &str| web(root).join(name).metadata()?.modified();
    let (put, wanted) = (
        changed("node_modules/.package-lock.json"),
        changed("package-lock.json"),
    );
    matches!((put, wanted), (Ok(put), Ok(wanted)) if put >= wanted)
}

fn has_node() -> bool {
    let Ok(told) = shell::output(Command::new("node").arg("--version")) else {
        return false;
    };
    version(&told).is_some_and(|found| found >= NODE)
}

fn no_node() -> String {
    let (major, minor) = NODE;
    format!("install Node {major}.{minor} or later, with npm")
}

/// `v20.19.1` as its first two numbers.
fn version(told: &str) -> Option<(u32, u32)> {
    let mut numbers = told.trim().trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_compared_by_number() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert!(version("v9.1.0") < Some(NODE));
        assert_eq!(version("node"), None);
    }
}
