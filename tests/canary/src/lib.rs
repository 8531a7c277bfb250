//! Planted secrets that must turn up nowhere.
//!
//! What it is: a house with a real secret store and two planted secrets, one that is used as a
//! provider's key and one that is only kept; and a search for them in every form that a text is
//! commonly put into.
//! What it owns: the canaries, and the list of forms ([`Forms`]).
//! What it never does: look into a service. Everything searched is what another program can see:
//! files, output, requests, argument lists, environments. Each search has a control: a marker that
//! is no secret, which the same search has to find in the same place.
//! Where to start: `tests/all/leaks.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

mod forms;
mod vault;

pub use forms::Forms;
pub use vault::{PASSPHRASE, Vault};

use std::fs;
use std::path::Path;

/// The secret that is a provider's key.
pub const KEY: &str = "canary-Kx7Qw2Zt9Lm4Rv8Ns3";
/// The secret that nobody uses.
pub const KEPT: &str = "canary-Hb5Yd1Jc6Pf0Ug3Ae7";
/// No secret: what has to be found where it was put.
pub const MARKER: &str = "marker-Ei2Ow9Uy4Ta7Sr1Nd6";

/// Every file below a folder with what is in it. A file that goes while it is looked at is left out.
#[must_use]
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(facts) = fs::symlink_metadata(&path) else {
            continue;
        };
        if facts.is_dir() {
            found.extend(files(&path));
        } else if facts.is_file()
            && let Ok(bytes) = fs::read(&path)
        {
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

/// The argument list and the environment of a process and of all below it, by what they are.
#[must_use]
pub fn processes(root: u32) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        for part in ["cmdline", "environ"] {
            let path = format!("/proc/{id}/{part}");
            if let Ok(bytes) = fs::read(&path) {
                found.push((path, bytes));
            }
        }
        let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else {
            continue;
        };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            waiting.extend(
                children
                    .split_whitespace()
                    .filter_map(|id| id.parse::<u32>().ok()),
            );
        }
    }
    found
}
