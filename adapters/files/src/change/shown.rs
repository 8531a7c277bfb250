//! What a call would change, as the user is shown it.

use crate::contents::Contents;

/// The change of a call that has not run.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The difference and what is told beside it; not yet safe to show.
    pub(super) text: String,
    /// What the call would leave in files that are there already.
    pub(super) leaves: Contents,
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self {
            text,
            leaves: Contents::default(),
        }
    }
}
