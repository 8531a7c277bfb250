//! Agents' tools: what an agent does to its own conversation and with other agents.
//!
//! They are tools like any other: the broker judges every call, records it and labels its result.
//! Only what they do happens in this crate, where the agent is that called: the broker hands a
//! permitted call back to it.

mod drive;
mod journal;
mod recall_event;
mod spawn;
mod tasks;
mod tool;

use crate::drive::Senses;
use crate::tools::tool::{AgentTool, failed};
use crate::work::{OwnTools, PermittedCall, Work};
use api::executor::{FailureKind, ReportSink, ToolFailure};
use async_trait::async_trait;
use domain::tool::{ToolName, ToolOutput, ToolSpec};
use session_log::Clock;
use std::sync::Arc;

/// Agents' own tools, with what sessions in auto mode hear by.
pub struct AgentTools {
    clock: Clock,
    senses: Senses,
    tools: Vec<Box<dyn AgentTool>>,
}

impl std::fmt::Debug for AgentTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentTools").finish_non_exhaustive()
    }
}

impl AgentTools {
    /// Every tool there is.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            senses: Senses::default(),
            tools: all(),
        }
    }

    /// With the adapters that sessions in auto mode hear by and tell by.
    #[must_use]
    pub fn with_senses(self, senses: Senses) -> Self {
        Self { senses, ..self }
    }

    pub(crate) const fn senses(&self) -> &Senses {
        &self.senses
    }

    /// What tells it the time.
    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.clock)
    }

    fn tool(&self, name: &ToolName) -> Option<&dyn AgentTool> {
        let mut tools = self.tools.iter();
        let found = tools.find(|tool| tool.spec().definition.name == *name)?;
        Some(found.as_ref())
    }

    /// What the broker knows of each. Fixed.
    #[must_use]
    pub fn table() -> Vec<ToolSpec> {
        all().iter().map(|tool| tool.spec()).collect()
    }
}

fn all() -> Vec<Box<dyn AgentTool>> {
    let mut tools: Vec<Box<dyn AgentTool>> = vec![
        Box::new(recall_event::RecallEvent),
        Box::new(journal::Journal),
        Box::new(spawn::SpawnAgent),
        Box::new(spawn::SpawnAgents),
        Box::new(tasks::DelegateTasks),
    ];
    for tool in drive::DriveTool::ALL {
        tools.push(Box::new(tool));
    }
    tools
}

#[async_trait]
impl OwnTools for AgentTools {
    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        match self.tool(&call.tool) {
            Some(tool) => tool.run(work, call, progress).await,
            None => {
                let message = format!("There is no tool `{}`.", call.tool);
                Err(failed(FailureKind::Refused, "unknown_tool", message))
            }
        }
    }
}
