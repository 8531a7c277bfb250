//! What the machine that tests run on does not have.

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

/// Whether a program that nobody has to have for tests is not on the search path. A test that cannot do
/// without it ends there, and says so.
#[must_use]
pub fn lacks(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !is_there {
        eprintln!("NOT TESTED: there is no {program} here");
    }
    is_absent(program) || !is_there
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
