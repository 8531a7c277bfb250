//! What the gateway keeps in a file.

use serde::{Deserialize, Serialize};

/// How a model's server counts tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenCounting {
    /// Tokens of a text to one for every four characters, thousandths.
    pub(crate) permille: u32,
    /// Whether prompt tokens that come from a cache are counted, as far as that is known.
    pub(crate) counts_cached: bool,
}
