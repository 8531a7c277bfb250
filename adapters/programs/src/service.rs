//! The executor: takes a permitted call to the program that it runs.

use crate::config::Config;
use crate::jobs::Jobs;
use crate::runner::Runner;
use crate::table::{self, Tool, VERSION};
use crate::trial::{self, Tried};
use crate::{background, code, command, package, reader, scratch, sources};
use api::authority::{Authorized, JudgedCall};
use api::documents::{DocumentError, DocumentText, Documents, ReadSource};
use api::executor::{Executor, PathRefusal, ReportSink, SessionScope, ToolFailure};
use api::failure::refused;
use api::programs::SeenProgram;
use async_trait::async_trait;
use domain::id::SessionId;
use domain::source::Source;
use domain::tool::{TargetKind, ToolOutput, ToolSpec};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The built-in tools that run programs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProgramTools {
    runner: Arc<Runner>,
}

impl ProgramTools {
    /// The tools over this sandbox. What programs of killed processes left is cleared away meanwhile.
    #[must_use]
    pub fn new(config: Config) -> Self {
        // Nobody waits for it; what it does not get to is left to the next start.
        drop(std::thread::spawn(|| {
            scratch::sweep(&std::env::temp_dir(), std::time::SystemTime::now())
        }));
        let jobs = Jobs::default();
        Self {
            runner: Arc::new(Runner { config, jobs }),
        }
    }

    /// What runs in the background.
    #[must_use]
    pub fn jobs(&self) -> Jobs {
        self.runner.jobs.clone()
    }

    /// Tries every toolchain of this machine in the sandbox, as a command in this folder would find it.
    ///
    /// # Errors
    /// When no program can be run at all.
    pub async fn try_toolchains(
        &self,
        folder: &Path,
        progress: &ReportSink,
    ) -> Result<Vec<Tried>, ToolFailure> {
        trial::all(&self.runner, folder, progress).await
    }
}

#[async_trait]
impl Documents for ProgramTools {
    async fn text(
        &self,
        document: Vec<u8>,
        progress: &ReportSink,
    ) -> Result<DocumentText, DocumentError> {
        reader::read(&self.runner, document, progress).await
    }

    async fn symbols(
        &self,
        sources: Vec<Source>,
        progress: &ReportSink,
    ) -> Result<Vec<ReadSource>, ToolFailure> {
        sources::read(&self.runner, &sources, progress).await
    }
}

#[async_trait]
impl Executor for ProgramTools {
    fn table(&self) -> Vec<ToolSpec> {
        table::all()
    }

    /// No objection: whoever reaches files knows where paths lead.
    async fn locate(
        &self,
        _: &Path,
        _: TargetKind,
        _: &[PathBuf],
    ) -> Result<Option<PathBuf>, PathRefusal> {
        Ok(None)
    }

    async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        self.runner.preview(tool_of(call)?, call)
    }

    async fn session_scope(&self, call: &JudgedCall) -> Option<SessionScope> {
        match tool_of(call).ok()? {
            Tool::RunCommand => command::scope_of_call(call),
            Tool::StartJob => background::scope(call),
            _ => None,
        }
    }

    async fn run(&self, call: Authorized, progress: ReportSink) -> Result<ToolOutput, ToolFailure> {
        let call = call.redeem(jiff::Timestamp::now())?;
        paths::note_changeable(&call.write_roots);
        self.runner.run(tool_of(&call)?, &call, &progress).await
    }

    async fn programs(&self, session_id: SessionId) -> Vec<SeenProgram> {
        self.runner.jobs.programs(session_id)
    }

    async fn stop_jobs(&self, session_id: SessionId, name: Option<&str>) -> Vec<String> {
        background::stop_for_user(&self.runner.jobs, session_id, name).await
    }

    async fn session_closed(&self, session_id: SessionId) {
        self.runner.jobs.end(session_id).await;
    }
}

impl Runner {
    /// Runs a tool that runs a program.
    async fn run(
        &self,
        tool: Tool,
        call: &JudgedCall,
        progress: &ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let done = match tool {
            Tool::RunCode => code::run(self, call, progress).await,
            Tool::RunCommand => command::run(self, call, progress).await,
            Tool::PackageInstall => package::run(self, call, progress).await,
            Tool::StartJob => background::start(self, call).await,
            Tool::ListJobs => background::list(self, call),
            Tool::JobOutput => background::look(self, call).await,
            Tool::StopJob => background::stop(self, call).await,
        };
        self.jobs.untold().tell(call.session_id, progress);
        done
    }

    /// What would run, for the user to read before saying yes.
    fn preview(&self, tool: Tool, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        let text = match tool {
            Tool::RunCode => code::preview(self, call),
            Tool::RunCommand => command::preview(self, call),
            Tool::PackageInstall => package::preview(self, call),
            Tool::StartJob => background::preview(self, call),
            Tool::ListJobs | Tool::JobOutput | Tool::StopJob => return Ok(None),
        }?;
        Ok(Some(text::escape::visible(&text)))
    }
}

fn tool_of(call: &JudgedCall) -> Result<Tool, ToolFailure> {
    let Some(tool) = Tool::by_name(&call.tool) else {
        return Err(refused(
            "unknown_tool",
            format!("There is no tool `{}`.", call.tool),
        ));
    };
    if call.tool_version != VERSION {
        return Err(refused(
            "version_changed",
            "The tool changed since the call was judged.",
        ));
    }
    Ok(tool)
}
