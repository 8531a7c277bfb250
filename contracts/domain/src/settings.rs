//! What the user sets for a session. Surfaces send it; no agent can.

use crate::hash::Digest;
use crate::lineage::AgentType;
use crate::model::{ModelChoice, Think};
use crate::tool::{EffectClass, ToolName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How far the user has opened the gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverrideLevel {
    /// Every layer decides.
    #[default]
    None,
    /// High-risk tools need no confirmation; lineage and paths are still enforced.
    Relax,
    /// Everything passes. Every surface shows a warning and every call is audited.
    All,
}

/// How a request is worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The model uses tools as it sees fit.
    #[default]
    Loop,
    /// A model plans under a schema; the user approves the plan; only it runs.
    Plan,
    /// Rules plan; no model is needed.
    Deterministic,
    /// An external planner process plans.
    Bridge,
    /// As [`Self::Loop`], and the drive goes on by itself afterwards.
    Auto,
    /// As suits the model: the small one that comes along is asked only for what the rules do not
    /// understand, a tiny one plans, and every other one works as in [`Self::Loop`].
    Adaptive,
    /// No agent is asked: the text is `!` and a line for the shell, which runs as the user's own call.
    /// For a request alone: no session can be held so.
    Command,
}

impl Mode {
    /// The word for flags and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Plan => "plan",
            Self::Deterministic => "deterministic",
            Self::Bridge => "bridge",
            Self::Auto => "auto",
            Self::Adaptive => "adaptive",
            Self::Command => "command",
        }
    }

    /// The mode of a request as far as nothing else was chosen for it.
    #[must_use]
    pub const fn worked_on_as(self) -> Self {
        match self {
            Self::Adaptive => Self::Loop,
            mode => mode,
        }
    }

    /// Whether the model uses tools as it sees fit, as far as nothing else was chosen for a request.
    #[must_use]
    pub const fn is_loop(self) -> bool {
        matches!(self, Self::Loop | Self::Auto | Self::Adaptive)
    }
}

/// Whether someone is there to answer a confirmation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    /// No one: what needs an answer is refused.
    #[default]
    Unattended,
    /// A person answers.
    Attended,
}

/// One tool opened for one agent type beyond its manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Grant {
    /// Who gets it.
    pub agent_type: AgentType,
    /// What it gets.
    pub tool: ToolName,
}

/// The user's ceiling for a session. No agent at any depth exceeds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSettings {
    /// The folder the user works in, absolute: always readable to agents that read files.
    pub workspace: PathBuf,
    /// Folders and files the user opened for writing, absolute.
    #[serde(default)]
    pub allow_write: BTreeSet<PathBuf>,
    /// Folders and files the user opened for reading, absolute.
    #[serde(default)]
    pub allow_read: BTreeSet<PathBuf>,
    /// How far the gate is open.
    #[serde(default)]
    pub override_level: OverrideLevel,
    /// Tools no one may use.
    #[serde(default)]
    pub disabled_tools: BTreeSet<ToolName>,
    /// Tools opened beyond the manifest.
    #[serde(default)]
    pub grants: BTreeSet<Grant>,
    /// Effects confirmed in advance (`--yes`). Never covers a rule violation.
    #[serde(default)]
    pub auto_approve: BTreeSet<EffectClass>,
    /// Plans approved in advance by their hash (`--approve`).
    #[serde(default)]
    pub approved_plans: BTreeSet<Digest>,
    /// Whether someone answers confirmations.
    #[serde(default)]
    pub attendance: Attendance,
    /// The project's checks that the user accepted, each a program with its arguments: they run
    /// without a question, with the workspace open for writing, at most [`crate::limits::CHECKS`].
    #[serde(default)]
    pub checks: Vec<Vec<String>>,
}

impl SessionSettings {
    /// The narrowest settings for a folder: read it, nothing else, no one there to ask.
    #[must_use]
    pub fn closed(workspace: PathBuf) -> Self {
        Self {
            workspace,
            allow_write: BTreeSet::new(),
            allow_read: BTreeSet::new(),
            override_level: OverrideLevel::None,
            disabled_tools: BTreeSet::new(),
            grants: BTreeSet::new(),
            auto_approve: BTreeSet::new(),
            approved_plans: BTreeSet::new(),
            attendance: Attendance::Unattended,
            checks: Vec::new(),
        }
    }

    /// Whether the user opened a tool for an agent of this type.
    #[must_use]
    pub fn is_granted(&self, agent_type: &AgentType, tool: &ToolName) -> bool {
        let mut grants = self.grants.iter();
        grants.any(|grant| grant.agent_type == *agent_type && grant.tool == *tool)
    }

    /// What stays of these when the command that brought them is gone: where it worked and which
    /// tools no one may use. What it opened, and that somebody was there, ends with it.
    #[must_use]
    pub fn left(&self) -> Self {
        Self {
            disabled_tools: self.disabled_tools.clone(),
            ..Self::closed(self.workspace.clone())
        }
    }
}

/// Everything a session is opened with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionProfile {
    /// A name for people; empty for none.
    pub name: String,
    /// The root agent's type.
    pub agent_type: AgentType,
    /// How requests are worked on unless a request says otherwise.
    pub mode: Mode,
    /// The model to use; `None`: the agent type's role.
    pub model: Option<ModelChoice>,
    /// Context size to ask the server for, tokens; `None`: configuration's.
    pub context_tokens: Option<u32>,
    /// The provider that everything is to go to; `None`: where configuration says.
    #[serde(default)]
    pub provider: Option<String>,
    /// How much models are to think, for the root agent and those below it.
    #[serde(default)]
    pub think: Think,
    /// The user's ceiling.
    pub settings: SessionSettings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_for_its_agent_type_alone() {
        let types = ["coder", "researcher"].map(|name| AgentType::new(name).unwrap());
        let tool = ToolName::new("write_file").unwrap();
        let mut settings = SessionSettings::closed(PathBuf::from("/work"));
        settings.grants.insert(Grant {
            agent_type: types[0].clone(),
            tool: tool.clone(),
        });
        let granted = types.map(|agent_type| settings.is_granted(&agent_type, &tool));
        assert_eq!(granted, [true, false]);
    }
}
