//! Why an entry is kept out.

use api::memory::Refusal;

/// Why something is kept out, in a sentence that repeats nothing of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    pub refusal: Refusal,
    pub detail: String,
}

impl Denial {
    pub(super) fn new(refusal: Refusal, detail: impl Into<String>) -> Self {
        Self {
            refusal,
            detail: detail.into(),
        }
    }
}
