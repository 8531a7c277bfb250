//! What the gateway keeps in a file.

use serde::{Deserialize, Serialize};

/// What was learnt of a model at its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelRecord {
    /// Tokens of a text to one for every four characters, thousandths.
    pub(crate) permille: u32,
    /// Whether prompt tokens that come from a cache are counted, as far as that is known.
    pub(crate) counts_cached: bool,
    /// Whether its calls in its own form did not work, so that it is offered tools as JSON.
    #[serde(default)]
    pub(crate) calls_as_json: bool,
}
