//! Lineage: what an agent may use and what it may hand down.
//!
//! The two are separate sets. With `ceiling(root)` = everything:
//! `effective(agent) = allowed(agent) ∩ ceiling(agent)`,
//! `delegable(agent) = (delegates(agent), or allowed(agent) if unset) ∩ ceiling(agent)`, and
//! `ceiling(child) = delegable(parent)`. Paths go the same way, where a type that states no paths
//! hands down its ceiling unchanged. So no agent exceeds any ancestor's delegable set. Memory goes by
//! part: a child sees no part that an agent above it does not. How much of a web page is shown goes
//! by the acting type alone, since a child reports in its own words.

use crate::manifest::{AgentRule, Manifest, MemoryPart, PathRights, StatedPaths};
use crate::paths::PathSet;
use crate::table::{ToolSet, ToolTable};
use domain::limits::{AGENT_CALLS, CALLS_PER_TASK};
use domain::lineage::AgentType;
use domain::rights::{Namespace, Rights, WebContent};
use domain::settings::Grant;
use domain::tool::ToolName;
use std::collections::BTreeSet;
use std::path::Path;

/// A lineage that names a type the manifest does not have, or none at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StandingError {
    /// No agent.
    #[error("a lineage has at least one agent")]
    Empty,
    /// Not in the manifest.
    #[error("no agent type is named `{0}`")]
    UnknownType(AgentType),
}

/// One agent of a lineage.
#[derive(Debug, Clone)]
struct Link {
    agent_type: AgentType,
    delegable: ToolSet,
    delegable_paths: PathRights,
}

/// What an agent may do by its type and its ancestors.
#[derive(Debug, Clone)]
pub struct Standing {
    links: Vec<Link>,
    allowed: ToolSet,
    ceiling: ToolSet,
    paths: PathRights,
    calls_per_task: u32,
    wait_tools: BTreeSet<ToolName>,
    memory: BTreeSet<MemoryPart>,
    web_content: WebContent,
}

impl Standing {
    /// Works out the standing of the last agent of a lineage, root first.
    ///
    /// # Errors
    /// [`StandingError`] for an empty lineage or an unknown type.
    pub fn of(
        manifest: &Manifest,
        table: &ToolTable,
        grants: &BTreeSet<Grant>,
        lineage: &[AgentType],
    ) -> Result<Self, StandingError> {
        let mut links: Vec<Link> = Vec::with_capacity(lineage.len());
        let mut last = None;
        let mut memory: Option<BTreeSet<MemoryPart>> = None;
        for agent_type in lineage {
            let rule = manifest
                .agents
                .get(agent_type)
                .ok_or_else(|| StandingError::UnknownType(agent_type.clone()))?;
            let (ceiling, path_ceiling) = match links.last() {
                Some(parent) => (parent.delegable.clone(), parent.delegable_paths.clone()),
                None => (table.everything(), everywhere()),
            };
            let granted = grants.iter().filter(|g| g.agent_type == *agent_type);
            let granted: Vec<&ToolName> = granted.map(|g| &g.tool).collect();
            let allowed = with_grants(table, table.select(&rule.allowed_tools), &granted);
            let handed_down = match &rule.delegates {
                Some(delegates) => with_grants(table, table.select(delegates), &granted),
                None => allowed.clone(),
            };
            let stated = stated_or(&rule.allowed_paths, PathSet::empty());
            let paths = stated.intersect(&path_ceiling);
            links.push(Link {
                agent_type: agent_type.clone(),
                delegable: handed_down.intersect(&ceiling),
                delegable_paths: stated_or(&rule.allowed_paths, PathSet::everything())
                    .intersect(&path_ceiling),
            });
            memory = Some(match memory {
                None => rule.memory.clone(),
                Some(above) => rule.memory.intersection(&above).cloned().collect(),
            });
            last = Some((rule, allowed, ceiling, paths));
        }
        let (rule, allowed, ceiling, paths) = last.ok_or(StandingError::Empty)?;
        Ok(Self {
            links,
            allowed,
            ceiling,
            paths,
            calls_per_task: calls_per_task(rule, lineage.len()),
            wait_tools: rule.wait_tools.clone(),
            memory: memory.unwrap_or_default(),
            web_content: rule.web_content,
        })
    }

    /// The acting agent's type.
    #[must_use]
    pub fn agent_type(&self) -> Option<&AgentType> {
        self.links.last().map(|link| &link.agent_type)
    }

    /// Agents in the lineage, the acting one included.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.links.len()
    }

    /// Whether the agent's own type may use the tool.
    #[must_use]
    pub fn is_allowed(&self, tool: usize) -> bool {
        self.allowed.contains(tool)
    }

    /// Whether every ancestor may hand the tool down.
    #[must_use]
    pub fn is_handed_down(&self, tool: usize) -> bool {
        self.ceiling.contains(tool)
    }

    /// Whether both hold.
    #[must_use]
    pub fn may_use(&self, tool: usize) -> bool {
        self.is_allowed(tool) && self.is_handed_down(tool)
    }

    /// What the agent may use.
    #[must_use]
    pub fn effective(&self) -> ToolSet {
        self.allowed.intersect(&self.ceiling)
    }

    /// What the agent may hand down.
    #[must_use]
    pub fn delegable(&self) -> Option<&ToolSet> {
        self.links.last().map(|link| &link.delegable)
    }

    /// The first ancestor, from the root, that does not hand the tool down.
    #[must_use]
    pub fn withheld_by(&self, tool: usize) -> Option<&AgentType> {
        let ancestors = self.links.len().saturating_sub(1);
        self.links
            .iter()
            .take(ancestors)
            .find(|link| !link.delegable.contains(tool))
            .map(|link| &link.agent_type)
    }

    /// What the agent may touch by manifest and lineage, besides what the user opened.
    #[must_use]
    pub const fn paths(&self) -> &PathRights {
        &self.paths
    }

    /// What the agent may reach beyond files, when its session works in `workspace`. A folder whose
    /// name cannot name a namespace has no memories of its own.
    #[must_use]
    pub fn rights(&self, workspace: &Path) -> Rights {
        let one = |part: &MemoryPart| match part {
            MemoryPart::User => Some(Namespace::user()),
            MemoryPart::Project => Namespace::project(workspace).ok(),
            MemoryPart::Agent => self.agent_type().map(Namespace::agent),
            MemoryPart::Named(name) => Some(name.clone()),
        };
        Rights {
            namespaces: self.memory.iter().filter_map(one).collect(),
            web_content: self.web_content,
        }
    }

    /// Most calls in a task.
    #[must_use]
    pub const fn calls_per_task(&self) -> u32 {
        self.calls_per_task
    }

    /// Whether the manifest lets this agent call the tool again and again to wait.
    #[must_use]
    pub fn may_wait_with(&self, tool: &ToolName) -> bool {
        self.wait_tools.contains(tool)
    }
}

fn calls_per_task(rule: &AgentRule, depth: usize) -> u32 {
    let default = if depth > 1 {
        AGENT_CALLS
    } else {
        CALLS_PER_TASK
    };
    rule.calls_per_task.unwrap_or(default)
}

fn everywhere() -> PathRights {
    PathRights {
        read: PathSet::everything(),
        write: PathSet::everything(),
    }
}

fn stated_or(stated: &StatedPaths, silent: PathSet) -> PathRights {
    PathRights {
        read: stated.read.clone().unwrap_or_else(|| silent.clone()),
        write: stated.write.clone().unwrap_or(silent),
    }
}

fn with_grants(table: &ToolTable, mut set: ToolSet, granted: &[&ToolName]) -> ToolSet {
    for name in granted {
        if let Some((index, _)) = table.find(name.as_str()) {
            set.insert(index);
        }
    }
    set
}
