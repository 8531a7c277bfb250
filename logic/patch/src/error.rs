//! Why a text is no patch that can be applied.

use std::borrow::Cow;

/// Why a patch that deletes a file is refused.
pub(crate) const NO_DELETION: &str = "a patch deletes no file; use delete_file";
/// Why a patch that renames a file is refused.
pub(crate) const NO_RENAME: &str = "a patch renames no file; use move_file";

/// Why a text is no patch that can be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// None of the forms.
    #[error(
        "this is no patch: write a unified diff, blocks of `<<<<<<< SEARCH` and `>>>>>>> REPLACE` under a \
         file's name, or `*** Begin Patch` with `*** Update File: PATH`"
    )]
    Unknown,
    /// A file is named, and each of its places is as it was.
    #[error("nothing of `{path}` would change")]
    NoChange {
        /// The file.
        path: String,
    },
    /// One of its lines says nothing, or what a patch may not do.
    #[error("line {line}: {what}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        what: Cow<'static, str>,
    },
}

impl Error {
    /// With the number of a line, from 0.
    pub(crate) fn at(index: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self::Line {
            line: index + 1,
            what: what.into(),
        }
    }
}
