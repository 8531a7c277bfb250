//! The lists of protected places, as data: where keys and passwords are kept, and what other
//! programs run or trust later. Each line says what it belongs to and where that is documented.
//!
//! A place is given by its names, from the outermost one, with `/` between them. `*` stands for any
//! part of a name. A name with a capital counts as it is written, any other in every spelling that
//! a file system may take for the same. Everything beneath a place belongs to it.
//!
//! What builds make in the folder of a project (`.gradle`, `.yarn/cache`, `.pnp.cjs`, `.bundle`) is
//! not among what runs later: a program that builds could not work, and what it makes would be set
//! aside. Nor is code of a project that its own tools run when the user starts them, and what stands
//! beside such code and is edited as often (`Makefile`, `package.json`, `gradle.properties`,
//! `tools/bazel`, `flake.nix`, `devenv.nix`): that is the work. What is among it only says to a program
//! what it is to run, or is run by one that the user did not start for that.

mod credentials;
mod later;
mod settings;

pub use credentials::CREDENTIALS;
pub use later::RUNS_LATER;

/// Where a place counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// In any folder.
    Anywhere,
    /// Directly in the user's home.
    Home,
    /// Directly below a folder of settings, wherever it lies: `.config` or `.local/share`.
    Settings,
    /// At this path, from the root.
    Machine,
}

/// Places of one program, or of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Where they count.
    pub at: At,
    /// Their names.
    pub names: &'static [&'static str],
    /// What is there.
    pub what: &'static str,
    /// Where that is documented.
    pub source: &'static str,
}

const fn entry(
    at: At,
    names: &'static [&'static str],
    what: &'static str,
    source: &'static str,
) -> Entry {
    Entry {
        at,
        names,
        what,
        source,
    }
}

/// What lies among keys and is told to everyone: the folder, and the names directly in it.
pub(super) const PUBLIC: (&str, &[&str]) = (
    ".ssh",
    &[
        "config",
        "known_hosts",
        "known_hosts.old",
        "authorized_keys",
        "*.pub",
    ],
);

/// Names with a dot directly in a home that may be read like any other: patterns of names, and no
/// program keeps a secret in them.
pub(super) const HARMLESS: &[&str] = &[".gitignore", ".gitattributes", ".editorconfig"];

/// Files that look like an environment to load and are examples of one: a project shows by them what
/// its environment needs, and nothing loads them.
pub(super) const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template"];
