//! `run_shell` and `run_script`: a command or a script in the folders that the agent may read and
//! write, without a network.

use crate::output::{command_lines, longer, output};
use crate::runner::{Launch, Runner, limits};
use crate::scratch::ScratchFolder;
use api::authority::JudgedCall;
use api::executor::{ReportSink, ToolFailure};
use api::failure::mendable;
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// How a script is started: its text is a file in the scratch folder.
const SCRIPT: &str = "script.sh";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunShell {
    argv: Vec<String>,
    #[serde(default, rename = "cwd")]
    _cwd: Option<String>,
    timeout_secs: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunScript {
    text: String,
    timeout_secs: Option<u64>,
}

/// What a call may touch, without the whole root, which no view can be made of.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
}

impl Ground {
    pub(crate) fn of(runner: &Runner, call: &JudgedCall) -> Self {
        let usable = |roots: &[PathBuf]| -> Vec<PathBuf> {
            let wanted = roots.iter().filter(|root| root.parent().is_some());
            wanted
                .filter(|root| runner.config.protected.refuses_read(root, roots).is_none())
                .cloned()
                .collect()
        };
        Self {
            read: usable(&call.read_roots),
            write: usable(&call.write_roots),
        }
    }
}

/// The working folder: the first place an agent may read is the one `carl` was started in.
pub(crate) fn workspace(call: &JudgedCall) -> Result<PathBuf, ToolFailure> {
    let first = call.read_roots.first().cloned();
    first.ok_or_else(|| mendable("no_folder", "No folder is open for this agent."))
}

pub(crate) async fn run_argv(
    runner: &Runner,
    call: &JudgedCall,
    progress: &ReportSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunShell = call.parse_arguments()?;
    let mut launch = launch(runner, call, asked.argv)?;
    launch.job.limits = runner.limits(asked.timeout_secs);
    let (finished, notes) = runner.finish(launch, progress).await?;
    output("run_shell", &finished, &longer(&finished, notes))
}

/// A command with what the call may touch, and with the protected places of what it may write
/// guarded.
pub(crate) fn launch(
    runner: &Runner,
    call: &JudgedCall,
    argv: Vec<String>,
) -> Result<Launch, ToolFailure> {
    let scratch = ScratchFolder::new()?;
    let job = job(runner, call, argv, folder(call)?, &scratch);
    Ok(Launch {
        searched: job.read.clone(),
        guarded: job.write.clone(),
        session_id: Some(call.session_id),
        job,
        scratch,
    })
}

/// Where a command starts.
fn folder(call: &JudgedCall) -> Result<PathBuf, ToolFailure> {
    match call.targets.get("cwd") {
        Some(folder) => Ok(folder.clone()),
        None => workspace(call),
    }
}

pub(crate) async fn run_script(
    runner: &Runner,
    call: &JudgedCall,
    progress: &ReportSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunScript = call.parse_arguments()?;
    let scratch = ScratchFolder::new()?;
    let script = scratch.folder.join(SCRIPT).to_string_lossy().into_owned();
    let argv = vec!["/bin/sh".to_owned(), script];
    let mut wanted = job(runner, call, argv, workspace(call)?, &scratch);
    wanted.limits = runner.limits(asked.timeout_secs);
    if let Some(scratch) = &mut wanted.scratch {
        scratch
            .files
            .insert(PathBuf::from(SCRIPT), asked.text.into_bytes());
    }
    let launch = Launch {
        searched: wanted.read.clone(),
        guarded: wanted.write.clone(),
        session_id: Some(call.session_id),
        job: wanted,
        scratch,
    };
    let (finished, notes) = runner.finish(launch, progress).await?;
    output("run_script", &finished, &longer(&finished, notes))
}

fn job(
    runner: &Runner,
    call: &JudgedCall,
    argv: Vec<String>,
    folder: PathBuf,
    scratch: &ScratchFolder,
) -> Job {
    let ground = Ground::of(runner, call);
    Job {
        argv,
        folder,
        read: ground.read,
        write: ground.write,
        scratch: scratch.with(BTreeMap::new()),
        links: Vec::new(),
        held: Vec::new(),
        frozen: Vec::new(),
        hidden: Vec::new(),
        expendable: Vec::new(),
        environment: scratch.environment(&[]),
        input: Vec::new(),
        network: Network::None,
        limits: limits(),
    }
}

pub(crate) fn preview_argv(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunShell = call.parse_arguments()?;
    preview_command(runner, call, &asked.argv)
}

/// What a command would be and may touch.
pub(crate) fn preview_command(
    runner: &Runner,
    call: &JudgedCall,
    argv: &[String],
) -> Result<String, ToolFailure> {
    Ok(preview(runner, call, &folder(call)?, &command_lines(argv)))
}

pub(crate) fn preview_script(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunScript = call.parse_arguments()?;
    let lines = asked.text.lines().map(|line| format!("| {line}\n"));
    let folder = workspace(call)?;
    Ok(preview(runner, call, &folder, &lines.collect::<String>()))
}

/// A folder on the line of a question: its name may have lines of its own.
fn name_of(folder: &Path) -> String {
    visible_line(&folder.to_string_lossy())
}

fn preview(runner: &Runner, call: &JudgedCall, folder: &Path, what: &str) -> String {
    let ground = Ground::of(runner, call);
    let list = |paths: &[PathBuf]| {
        // A type's folders are listed in its definition, wherever it is used.
        let (there, missing): (Vec<&PathBuf>, Vec<&PathBuf>) =
            paths.iter().partition(|path| path.exists());
        let names = |paths: &[&PathBuf]| {
            let names: Vec<String> = paths.iter().map(|path| name_of(path)).collect();
            names.join(", ")
        };
        let there = match there.is_empty() {
            true => "nothing".to_owned(),
            false => names(&there),
        };
        match missing.is_empty() {
            true => there,
            false => format!("{there} (not there yet: {})", names(&missing)),
        }
    };
    // What may be changed and is not there is named once.
    let is_told = |path: &PathBuf| !path.exists() && ground.write.contains(path);
    let read: Vec<PathBuf> = ground
        .read
        .iter()
        .filter(|path| !is_told(path))
        .cloned()
        .collect();
    let undo = match ground.write.iter().any(|path| path.exists()) {
        true => " `undo` cannot take back what it changes.",
        false => "",
    };
    format!(
        "{what}Runs in the sandbox, in {}: no network; reads {}; changes {}.{undo}\n",
        name_of(folder),
        list(&read),
        list(&ground.write),
    )
}
