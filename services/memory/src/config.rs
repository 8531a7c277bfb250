//! What `[memory]` in the configuration says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `[memory]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Whether what is known is shown to an agent before it works on a request.
    pub recall: bool,
    /// Whether answered questions are kept.
    pub capture: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            recall: true,
            capture: true,
        }
    }
}
