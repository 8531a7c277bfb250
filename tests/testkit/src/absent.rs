//! What the machine that tests run on does not have.

use std::path::{Path, PathBuf};

/// Names, separated by commas, of what is known to be absent. `cargo xtask test` sets it when it
/// could not be provided, and lists what was not tested; without it an absence is a failure.
const VARIABLE: &str = "HOUSE_WITHOUT";

/// A GNOME Keyring on a session bus.
pub const DESKTOP_KEYRING: &str = "desktop-keyring";
/// `curl`.
pub const CURL: &str = "curl";
/// The official Python client of OpenAI's interface.
pub const OPENAI_CLIENT: &str = "openai";
/// A kernel that takes keys.
pub const KERNEL_KEYRING: &str = "kernel-keyring";

/// Debian's searx, a search server of the kind that users run.
pub const SEARX: &str = "searx";

/// The terminal that tests of the terminal UI run in.
pub const TMUX: &str = "tmux";

/// GNU screen, in which some have the terminal UI.
pub const SCREEN: &str = "screen";

/// What tries a server by the description of its paths, from the Python package index.
pub const SCHEMATHESIS: &str = "schemathesis";

/// What checks figures for Prometheus, of Debian's package `prometheus`.
pub const PROMTOOL: &str = "promtool";

/// One of these two, on the search path or where `cargo xtask setup --test-programs` puts it. A test that
/// cannot do without it ends where there is none, and says so.
#[must_use]
pub fn checker(name: &str) -> Option<PathBuf> {
    if is_absent(name) {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/checkers/bin");
    let mut folders = std::env::split_paths(&path).chain([fetched]);
    let found = folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()));
    if found.is_none() {
        eprintln!("NOT TESTED: `cargo xtask setup --test-programs` fetches {name}");
    }
    found
}

/// Whether it is known to be absent. A test that cannot do without it ends there, and says so.
#[must_use]
pub fn is_absent(what: &str) -> bool {
    let absent = std::env::var(VARIABLE).unwrap_or_default();
    let is_absent = absent.split(',').any(|one| one == what);
    if is_absent {
        eprintln!("NOT TESTED: there is no {what} here");
    }
    is_absent
}
