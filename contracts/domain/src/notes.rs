//! Project notes: files such as `AGENTS.md` that a project keeps for agents. Whoever can write in the
//! project can write them, so they are not the user's words until the user says so, for one version.

use crate::hash::Digest;
use serde::{Deserialize, Serialize};

/// A file of project notes that stands in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownNotes {
    /// Where it lies, as the project names it: `AGENTS.md`, `docs/CLAUDE.md`.
    pub path: String,
    /// Which version: of its place and its content.
    pub version: Digest,
    /// Its size, bytes.
    pub bytes: u64,
    /// Whether the user said that this version is to be trusted.
    pub trusted: bool,
}
