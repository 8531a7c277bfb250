//! The form of a card's front matter.

use domain::lineage::AgentType;
use serde::Deserialize;

/// What stands between the two lines of dashes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrontMatter {
    pub(super) name: AgentType,
    #[serde(default)]
    pub(super) description: String,
}
