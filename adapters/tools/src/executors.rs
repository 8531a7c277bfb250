//! Several executors as one: each call goes to the one whose tool it is.

use crate::Error;
use api::authority::{Authorized, JudgedCall};
use api::executor::{Executor, PathRefusal, ReportSink, SessionScope, ToolFailure};
use api::failure::refused;
use api::programs::SeenProgram;
use async_trait::async_trait;
use domain::id::SessionId;
use domain::tool::{TargetKind, ToolName, ToolOutput, ToolSpec};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Executors side by side. No two of them have a tool of the same name.
#[derive(Clone)]
pub struct Executors {
    parts: Vec<Arc<dyn Executor>>,
    /// Whose a tool is, as a place in `parts`.
    owners: BTreeMap<ToolName, usize>,
}

impl Executors {
    /// These together, their tools listed in this order.
    ///
    /// # Errors
    /// [`Error::TwoTools`] when two tools have one name.
    pub fn new(parts: Vec<Arc<dyn Executor>>) -> Result<Self, Error> {
        let mut owners = BTreeMap::new();
        for (index, part) in parts.iter().enumerate() {
            for spec in part.table() {
                let tool = spec.definition.name;
                if owners.insert(tool.clone(), index).is_some() {
                    return Err(Error::TwoTools { tool });
                }
            }
        }
        Ok(Self { parts, owners })
    }

    fn of(&self, tool: &ToolName) -> Result<&Arc<dyn Executor>, ToolFailure> {
        let owner = self
            .owners
            .get(tool)
            .and_then(|index| self.parts.get(*index));
        owner.ok_or_else(|| unknown(tool))
    }

    /// The steps of a plan that are a part's own, in their order.
    fn own_steps(&self, part: usize, steps: &[JudgedCall]) -> Vec<JudgedCall> {
        let is_own = |step: &&JudgedCall| self.owners.get(&step.tool) == Some(&part);
        steps.iter().filter(is_own).cloned().collect()
    }
}

fn unknown(tool: &ToolName) -> ToolFailure {
    refused("unknown_tool", format!("There is no tool `{tool}`."))
}

#[async_trait]
impl Executor for Executors {
    fn table(&self) -> Vec<ToolSpec> {
        self.parts.iter().flat_map(|part| part.table()).collect()
    }

    /// A path is within reach when no part objects: only those that reach files know.
    async fn locate(
        &self,
        path: &Path,
        kind: TargetKind,
        roots: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        let mut real = None;
        for part in &self.parts {
            real = part.locate(path, kind, roots).await?.or(real);
        }
        Ok(real)
    }

    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        self.of(&call.tool)?.preview(call).await
    }

    async fn preview_plan(&self, steps: &[JudgedCall]) -> Vec<Result<Option<String>, ToolFailure>> {
        // Steps of one part build on each other, and on no other's.
        let mut parts = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let own = self.own_steps(index, steps);
            parts.push(part.preview_plan(&own).await.into_iter());
        }
        let mut next = |tool: &ToolName| parts.get_mut(*self.owners.get(tool)?)?.next();
        let previews = steps.iter().map(|step| {
            let preview = next(&step.tool);
            preview.unwrap_or_else(|| Err(unknown(&step.tool)))
        });
        previews.collect()
    }

    async fn session_scope(&self, call: &JudgedCall) -> Option<SessionScope> {
        self.of(&call.tool).ok()?.session_scope(call).await
    }

    async fn run(&self, call: Authorized, progress: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let executor = Arc::clone(self.of(&call.call().tool)?);
        executor.run(call, progress).await
    }

    async fn programs(&self, session_id: SessionId) -> Vec<SeenProgram> {
        let mut programs = Vec::new();
        for part in &self.parts {
            programs.extend(part.programs(session_id).await);
        }
        programs
    }

    async fn stop_jobs(&self, session_id: SessionId, name: Option<&str>) -> Vec<String> {
        let mut stopped = Vec::new();
        for part in &self.parts {
            stopped.extend(part.stop_jobs(session_id, name).await);
        }
        stopped
    }

    async fn session_closed(&self, session_id: SessionId) {
        for part in &self.parts {
            part.session_closed(session_id).await;
        }
    }
}
