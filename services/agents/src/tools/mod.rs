//! Agents' tools: what an agent does to its own conversation and with other agents.
//!
//! They are tools like any other: the broker judges every call, records it and labels its result.
//! Only what they do happens in this crate. The broker's permission names the call; the agent that
//! made it, with everything its work needs, is found by that.

mod drive;
mod journal;
mod recall_event;
mod spawn;
mod tasks;
mod tool;

use crate::config::Clock;
use crate::drive::Senses;
use crate::tools::tool::{AgentTool, failed};
use crate::work::{CallerGuard, Callers, ForgetCaller, Work};
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, FailureKind, PathRefusal, ProgressSink, ToolFailure};
use async_trait::async_trait;
use domain::id::CallId;
use domain::tool::{TargetKind, ToolName, ToolOutput, ToolSpec};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Runs agents' tools for the broker. Made before the broker, and shared with the
/// [`crate::Service`].
pub struct AgentTools {
    clock: Clock,
    senses: Senses,
    tools: Vec<Box<dyn AgentTool>>,
    /// Who makes which call.
    callers: Mutex<HashMap<CallId, Work>>,
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
        Self {
            clock,
            senses: Senses::default(),
            tools,
            callers: Mutex::default(),
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

    fn callers(&self) -> MutexGuard<'_, HashMap<CallId, Work>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Callers for AgentTools {
    fn register_caller(
        self: Arc<Self>,
        call_id: CallId,
        tool: &str,
        work: &Work,
    ) -> Option<CallerGuard> {
        let mut ours = self.tools.iter();
        ours.find(|ours| ours.spec().definition.name.as_str() == tool)?;
        self.callers().insert(call_id, work.clone());
        Some(CallerGuard::new(self, call_id))
    }
}

impl ForgetCaller for AgentTools {
    fn forget(&self, call_id: CallId) {
        self.callers().remove(&call_id);
    }
}

#[async_trait]
impl Executor for AgentTools {
    fn table(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec()).collect()
    }

    /// No objection: whoever reaches files knows where paths lead.
    async fn locate(
        &self,
        _path: &Path,
        _kind: TargetKind,
        _roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        Ok(None)
    }

    async fn preview(&self, _call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        Ok(None)
    }

    async fn run(
        &self,
        call: Authorized,
        progress: ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem((self.clock)()).map_err(|expired| {
            failed(
                FailureKind::Broken,
                "expired",
                format!("Not run: {expired}."),
            )
        })?;
        let Some(tool) = self.tool(&call.tool) else {
            let message = format!("There is no tool `{}`.", call.tool);
            return Err(failed(FailureKind::Refused, "unknown_tool", message));
        };
        let caller = self.callers().get(&call.call_id).cloned();
        let Some(work) = caller else {
            let message = "Not run: nobody here waits for this call.".to_owned();
            return Err(failed(FailureKind::Broken, "no_caller", message));
        };
        tool.run(&work, call, progress).await
    }
}
