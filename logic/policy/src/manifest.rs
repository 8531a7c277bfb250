//! The manifest: what each agent type may use, hand down, touch and spawn.

use crate::paths::PathSet;
use domain::hash::Digest;
use domain::lineage::AgentType;
use domain::model::ModelRole;
use domain::rights::{Namespace, WebContent};
use domain::tool::ToolName;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The capabilities there are. `mcp.SERVER.*` names one server's tools besides these.
pub const CAPABILITIES: [&str; 10] = [
    "fs_read",
    "fs_write",
    "run_code",
    "run_command",
    "package_install",
    "web_search",
    "memory_read",
    "memory_write",
    "spawn",
    "self",
];

/// A tool, or every tool of a capability.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// Every tool of a capability.
    Capability(String),
    /// One tool.
    Tool(ToolName),
}

impl Selector {
    /// The text in the manifest.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Capability(name) => name,
            Self::Tool(name) => name.as_str(),
        }
    }
}

/// Whether a text names a capability: one of [`CAPABILITIES`], or `mcp.SERVER.*`.
#[must_use]
pub fn is_capability(text: &str) -> bool {
    let is_mcp = text
        .strip_prefix("mcp.")
        .and_then(|rest| rest.strip_suffix(".*"))
        .is_some_and(|server| !server.is_empty() && !server.contains('.'));
    is_mcp || CAPABILITIES.contains(&text)
}

/// Paths by what is done there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathRights {
    /// May be looked at.
    pub read: PathSet,
    /// May be changed.
    pub write: PathSet,
}

impl PathRights {
    /// What both allow.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            read: self.read.intersect(&other.read),
            write: self.write.intersect(&other.write),
        }
    }
}

/// Paths as the manifest states them; `None`: it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatedPaths {
    /// For `fs_read`.
    pub read: Option<PathSet>,
    /// For `fs_write`.
    pub write: Option<PathSet>,
}

/// A part of memory as the manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryPart {
    /// What holds for the user everywhere.
    User,
    /// What holds in the session's working folder.
    Project,
    /// What agents of the acting type keep for themselves.
    Agent,
    /// A namespace by its own name.
    Named(Namespace),
}

/// One agent type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRule {
    /// One line for people.
    pub description: String,
    /// What it may use.
    pub allowed_tools: BTreeSet<Selector>,
    /// What its children may be given; `None`: what it may use itself.
    pub delegates: Option<BTreeSet<Selector>>,
    /// What it may touch, besides the session's workspace.
    pub allowed_paths: StatedPaths,
    /// Types it may spawn.
    pub can_spawn: BTreeSet<AgentType>,
    /// Whether it takes requests apart and hands the parts out.
    pub orchestrates: bool,
    /// Most calls in a task; `None`: [`domain::limits::CALLS_PER_TASK`], and for an agent that
    /// another one started [`domain::limits::AGENT_CALLS`].
    pub calls_per_task: Option<u32>,
    /// Most tokens when another agent started it; `None`: [`domain::limits::AGENT_TOKENS`].
    pub agent_tokens: Option<u64>,
    /// Longest it works when another agent started it; `None`: [`domain::limits::AGENT_TIME`].
    pub agent_time: Option<Duration>,
    /// Tools it may call again and again to wait for something, besides those the tool table marks.
    pub wait_tools: BTreeSet<ToolName>,
    /// The memories it sees and may add to.
    pub memory: BTreeSet<MemoryPart>,
    /// How much of a web page it is shown.
    pub web_content: WebContent,
    /// The model role it asks for.
    pub model_role: ModelRole,
}

/// Every agent type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// By name.
    pub agents: BTreeMap<AgentType, AgentRule>,
}

impl Manifest {
    /// A digest that changes whenever any rule does.
    #[must_use]
    pub fn revision(&self) -> Digest {
        // The derived form lists every field in a fixed order, which is all a digest needs.
        Digest::of(format!("{self:?}").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_a_closed_list_and_mcp_servers() {
        for good in ["fs_read", "self", "mcp.github.*"] {
            assert!(is_capability(good), "{good}");
        }
        for bad in ["fs_reed", "", "mcp.", "mcp..*", "mcp.a.b.*", "mcp.*"] {
            assert!(!is_capability(bad), "{bad}");
        }
    }
}
