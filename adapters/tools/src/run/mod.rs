//! The tools that run programs. Every program runs in the sandbox, with what its tool gives it and
//! nothing else; without a sandbox these tools do not exist.

mod background;
mod code;
mod conceal;
mod guard;
mod jobs;
mod office;
mod output;
mod package;
mod places;
mod reader;
mod runner;
mod scratch;
mod shell;
mod toolchain;

pub(crate) use background::JOB_NAME_CHARS;
pub use jobs::Jobs;
pub(crate) use reader::read;
pub use reader::{READER_ENTRY, enter as read_document_entry};
pub(crate) use scratch::sweep;

pub(crate) use runner::Bay;
pub use runner::Sandboxed;

use crate::failure::refused;
use crate::table::Tool;
use api::authority::JudgedCall;
use api::executor::{ProgressSink, ToolFailure};
use domain::tool::ToolOutput;

impl Bay {
    /// Runs a tool that runs a program.
    pub(crate) async fn run(
        &self,
        tool: Tool,
        call: &JudgedCall,
        progress: &ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        match tool {
            Tool::RunCode => code::run(self, call, progress).await,
            Tool::RunShell => shell::run_argv(self, call, progress).await,
            Tool::RunScript => shell::run_script(self, call, progress).await,
            Tool::PackageInstall => package::run(self, call, progress).await,
            Tool::StartJob => background::start(self, call).await,
            Tool::ListJobs => background::list(self, call),
            Tool::JobOutput => background::look(self, call).await,
            Tool::StopJob => background::stop(self, call).await,
            _ => Err(refused("unknown_tool", "This tool runs no program.")),
        }
    }

    /// What would run, for the user to read before saying yes.
    pub(crate) fn preview(
        &self,
        tool: Tool,
        call: &JudgedCall,
    ) -> Result<Option<String>, ToolFailure> {
        let text = match tool {
            Tool::RunCode => code::preview(self, call),
            Tool::RunShell => shell::preview_argv(self, call),
            Tool::RunScript => shell::preview_script(self, call),
            Tool::PackageInstall => package::preview(self, call),
            Tool::StartJob => background::preview(self, call),
            _ => return Ok(None),
        }?;
        Ok(Some(text::escape::visible(&text)))
    }
}
