//! What an agent may reach beyond files: which memories it sees, and how much of a web page.

use crate::lineage::AgentType;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Longest name of a namespace, bytes.
pub const NAMESPACE_BYTES: usize = 512;

/// A part of memory with readers of its own: `user`, `project:/home/u/site`, `agent:coder`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

/// A text that cannot name a namespace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` cannot name a namespace: write `user`, `project:/FOLDER`, `agent:TYPE` or a word of \
     your own, at most {NAMESPACE_BYTES} bytes without control characters"
)]
pub struct InvalidNamespace(String);

impl Namespace {
    /// How an origin begins that names the part of memory something was read from.
    pub const ORIGIN: &str = "memory:";

    /// The origin of what is read from here; `None` for what holds wherever the user works.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        (*self != Self::user()).then(|| format!("{}{self}", Self::ORIGIN))
    }

    /// The part of memory that an origin names.
    #[must_use]
    pub fn of_origin(origin: &str) -> Option<Self> {
        match origin.strip_prefix(Self::ORIGIN).map(Self::new) {
            Some(Ok(namespace)) => Some(namespace),
            Some(Err(_)) | None => None,
        }
    }

    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`InvalidNamespace`] when it is empty, too long or has control characters.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidNamespace> {
        let name = name.into();
        let fits = (1..=NAMESPACE_BYTES).contains(&name.len())
            && name.trim() == name
            && !name.chars().any(char::is_control);
        if fits {
            Ok(Self(name))
        } else {
            Err(InvalidNamespace(
                name.chars().take(80).flat_map(char::escape_debug).collect(),
            ))
        }
    }

    /// What holds for the user wherever they work.
    #[must_use]
    pub fn user() -> Self {
        Self("user".to_owned())
    }

    /// What was made of two parts with different readers: for the user alone, and for agents whose
    /// manifest names it.
    #[must_use]
    pub fn apart() -> Self {
        Self("apart".to_owned())
    }

    /// What holds in one folder.
    ///
    /// # Errors
    /// [`InvalidNamespace`] when the path is too long or has control characters.
    pub fn project(folder: &Path) -> Result<Self, InvalidNamespace> {
        Self::new(format!("project:{}", folder.display()))
    }

    /// What agents of one type keep for themselves.
    #[must_use]
    pub fn agent(agent_type: &AgentType) -> Self {
        Self(format!("agent:{}", agent_type.as_str()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands before the colon: `user`, `project`, `agent`, or the whole of another name.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split(':').next().unwrap_or(&self.0)
    }
}

impl TryFrom<String> for Namespace {
    type Error = InvalidNamespace;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

impl From<Namespace> for String {
    fn from(name: Namespace) -> Self {
        name.0
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How much of a web page an agent is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebContent {
    /// What a model without tools wrote about it.
    #[default]
    Summary,
    /// Its main text as well, cut, defused and fenced.
    Extracted,
}

impl WebContent {
    /// The word in the manifest.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Extracted => "extracted",
        }
    }
}

/// What the manifest lets the agent of one call reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rights {
    /// Memories it sees and may add to; none by default.
    pub namespaces: Vec<Namespace>,
    /// How much of a web page it is shown.
    pub web_content: WebContent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_one_line_of_bounded_length() {
        let longest = "n".repeat(NAMESPACE_BYTES);
        for good in ["user", "project:/home/ü/a b", longest.as_str()] {
            assert!(Namespace::new(good).is_ok(), "{good}");
        }
        let too_long = "n".repeat(NAMESPACE_BYTES + 1);
        for bad in ["", " user", "a\nb", "a\u{1b}[31m", too_long.as_str()] {
            assert!(Namespace::new(bad).is_err(), "{bad}");
        }
        let coder = AgentType::new("coder").unwrap();
        assert_eq!(Namespace::agent(&coder).kind(), "agent");
        assert_eq!(Namespace::user().kind(), "user");
    }
}
