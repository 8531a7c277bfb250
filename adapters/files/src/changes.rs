//! Changes of the undo history, with what it takes to take them back.

use crate::attributes::Rights;
use crate::identity::Identity;
use domain::hash::Digest;
use domain::id::CallId;
use domain::tool::APPLY_PATCH;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Content that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) rights: Rights,
}

/// One change, with what it takes to take it back. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(crate) enum Change {
    /// A file got new content.
    Put {
        path: PathBuf,
        before: Option<Kept>,
        after: Digest,
        /// Folders that were made for it, outermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        made: Vec<PathBuf>,
    },
    /// Folders were made, outermost first.
    Made { paths: Vec<PathBuf> },
    /// Something was renamed.
    Moved {
        from: PathBuf,
        to: PathBuf,
        /// What was renamed; another thing under its name is not moved back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        what: Option<Identity>,
        /// Folders that were made for it, outermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        made: Vec<PathBuf>,
    },
    /// A file was deleted.
    DeletedFile { path: PathBuf, before: Kept },
    /// An empty folder was deleted.
    DeletedFolder { path: PathBuf, mode: u32 },
    /// A symbolic link was deleted.
    DeletedLink { path: PathBuf, link: PathBuf },
    /// A symbolic link was made.
    MadeLink {
        path: PathBuf,
        link: PathBuf,
        /// Folders that were made for it, outermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        made: Vec<PathBuf>,
    },
    /// A file got other permission bits.
    Rights {
        path: PathBuf,
        before: u32,
        after: u32,
    },
}

impl Change {
    /// Whether it is one of a file or folder.
    pub(crate) fn touches(&self, file: &Path) -> bool {
        self.paths().contains(&file)
    }

    /// The files and folders that it is of.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Put { path, .. }
            | Self::DeletedFile { path, .. }
            | Self::DeletedFolder { path, .. }
            | Self::DeletedLink { path, .. }
            | Self::MadeLink { path, .. }
            | Self::Rights { path, .. } => vec![path],
            Self::Moved { from, to, .. } => vec![from, to],
            Self::Made { paths } => paths.iter().map(PathBuf::as_path).collect(),
        }
    }

    pub(crate) fn kept(&self) -> Option<&Kept> {
        match self {
            Self::Put { before, .. } => before.as_ref(),
            Self::DeletedFile { before, .. } => Some(before),
            _ => None,
        }
    }
}

/// Changes by the steps that take them back, in their order.
pub(crate) fn steps(changes: &[Open]) -> Vec<&[Open]> {
    let parts = changes.chunk_by(|one, next| one.step() == next.step());
    parts.collect()
}

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) number: u64,
    pub(crate) time: jiff::Timestamp,
    /// The call that made it.
    pub(crate) call: Option<CallId>,
    pub(crate) tool: String,
    pub(crate) change: Change,
    /// Whether the user had undo pass it over: its file stays as it is, and what was kept of it too.
    pub(crate) is_passed: bool,
}

/// What is taken back together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// One change.
    Change(u64),
    /// All that a patch changed.
    Patch(CallId),
}

impl Open {
    /// The step that it belongs to.
    pub(crate) fn step(&self) -> Step {
        match self.call {
            Some(call) if self.is_of_patch() => Step::Patch(call),
            _ => Step::Change(self.number),
        }
    }

    /// Whether it is what a patch did to one of its files.
    pub(crate) fn is_of_patch(&self) -> bool {
        self.tool == APPLY_PATCH
    }

    /// Has it leave other content: a later change is part of it now.
    pub(crate) fn leaves(&mut self, later: Digest) {
        if let Change::Put { after, .. } = &mut self.change {
            *after = later;
        }
    }
}
