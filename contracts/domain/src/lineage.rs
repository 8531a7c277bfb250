//! Lineage: the chain of agents from the root to the one that acts.

use crate::id::AgentId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of an agent type, such as `coder`: 1 to 64 of `a-z 0-9 _ -`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentType(String);

/// A text that cannot name an agent type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot name an agent type: use 1 to 64 of a-z, 0-9, `_` and `-`")]
pub struct InvalidAgentType(String);

impl AgentType {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`InvalidAgentType`] when the name is empty, too long or has other characters.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidAgentType> {
        let name = name.into();
        let fits = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
        if fits {
            Ok(Self(name))
        } else {
            Err(InvalidAgentType(name.chars().take(80).collect()))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AgentType {
    type Error = InvalidAgentType;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

impl From<AgentType> for String {
    fn from(name: AgentType) -> Self {
        name.0
    }
}

impl fmt::Display for AgentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One agent in a lineage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The agent.
    pub agent_id: AgentId,
    /// Its type, as registered with the broker.
    pub agent_type: AgentType,
}

/// The chain from the root (first) to the acting agent (last). Looked up by the broker from a
/// token, never stated by an agent.
pub type Lineage = Vec<Ancestor>;
