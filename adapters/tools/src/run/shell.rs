//! `run_shell` and `run_script`: a command or a script in the folders that the agent may read and
//! write, without a network.

use super::output::{longer, output, shown_argv};
use super::runner::{Bay, Errand, limits};
use super::scratch::Desk;
use crate::arguments;
use crate::failure::mendable;
use api::authority::JudgedCall;
use api::executor::{ProgressSink, ToolFailure};
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
pub(super) struct Ground {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
}

impl Ground {
    pub(super) fn of(bay: &Bay, call: &JudgedCall) -> Self {
        let usable = |roots: &[PathBuf]| -> Vec<PathBuf> {
            let wanted = roots.iter().filter(|root| root.parent().is_some());
            wanted
                .filter(|root| bay.protected.refuses_read(root, roots).is_none())
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
pub(super) fn workspace(call: &JudgedCall) -> Result<PathBuf, ToolFailure> {
    let first = call.read_roots.first().cloned();
    first.ok_or_else(|| mendable("no_folder", "No folder is open for this agent."))
}

pub(super) async fn run_argv(
    bay: &Bay,
    call: &JudgedCall,
    progress: &ProgressSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunShell = arguments::parse(&call.arguments)?;
    let mut errand = errand(bay, call, asked.argv)?;
    errand.job.limits = bay.limits(asked.timeout_secs);
    let (finished, notes) = bay.finish(errand, progress).await?;
    output("run_shell", &finished, &longer(&finished, notes))
}

/// A command with what the call may touch, and with the protected places of what it may write
/// guarded.
pub(super) fn errand(
    bay: &Bay,
    call: &JudgedCall,
    argv: Vec<String>,
) -> Result<Errand, ToolFailure> {
    let desk = Desk::new()?;
    let job = job(bay, call, argv, folder(call)?, &desk);
    Ok(Errand {
        searched: job.read.clone(),
        guarded: job.write.clone(),
        job,
        desk,
    })
}

/// Where a command starts.
fn folder(call: &JudgedCall) -> Result<PathBuf, ToolFailure> {
    match call.targets.get("cwd") {
        Some(folder) => Ok(folder.clone()),
        None => workspace(call),
    }
}

pub(super) async fn run_script(
    bay: &Bay,
    call: &JudgedCall,
    progress: &ProgressSink,
) -> Result<ToolOutput, ToolFailure> {
    let asked: RunScript = arguments::parse(&call.arguments)?;
    let desk = Desk::new()?;
    let script = desk.folder.join(SCRIPT).to_string_lossy().into_owned();
    let argv = vec!["/bin/sh".to_owned(), script];
    let mut wanted = job(bay, call, argv, workspace(call)?, &desk);
    wanted.limits = bay.limits(asked.timeout_secs);
    if let Some(scratch) = &mut wanted.scratch {
        scratch
            .files
            .insert(PathBuf::from(SCRIPT), asked.text.into_bytes());
    }
    guarded(bay, wanted, desk, progress, "run_script").await
}

fn job(bay: &Bay, call: &JudgedCall, argv: Vec<String>, folder: PathBuf, desk: &Desk) -> Job {
    let ground = Ground::of(bay, call);
    Job {
        argv,
        folder,
        read: ground.read,
        write: ground.write,
        scratch: desk.with(BTreeMap::new()),
        frozen: Vec::new(),
        hidden: Vec::new(),
        environment: desk.environment(&[]),
        input: Vec::new(),
        network: Network::None,
        limits: limits(),
    }
}

/// Runs a job that may write, with the protected places of what it may write guarded.
pub(super) async fn guarded(
    bay: &Bay,
    job: Job,
    desk: Desk,
    progress: &ProgressSink,
    origin: &str,
) -> Result<ToolOutput, ToolFailure> {
    let errand = Errand {
        searched: job.read.clone(),
        guarded: job.write.clone(),
        job,
        desk,
    };
    let (finished, notes) = bay.finish(errand, progress).await?;
    output(origin, &finished, &longer(&finished, notes))
}

pub(super) fn preview_argv(bay: &Bay, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunShell = arguments::parse(&call.arguments)?;
    preview_command(bay, call, &asked.argv)
}

/// What a command would be and may touch.
pub(super) fn preview_command(
    bay: &Bay,
    call: &JudgedCall,
    argv: &[String],
) -> Result<String, ToolFailure> {
    let command = format!("$ {}\n", shown_argv(argv));
    Ok(preview(bay, call, &folder(call)?, &command))
}

pub(super) fn preview_script(bay: &Bay, call: &JudgedCall) -> Result<String, ToolFailure> {
    let asked: RunScript = arguments::parse(&call.arguments)?;
    let lines = asked.text.lines().map(|line| format!("| {line}\n"));
    let folder = workspace(call)?;
    Ok(preview(bay, call, &folder, &lines.collect::<String>()))
}

fn preview(bay: &Bay, call: &JudgedCall, folder: &Path, what: &str) -> String {
    let ground = Ground::of(bay, call);
    let list = |paths: &[PathBuf]| {
        let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        match names.is_empty() {
            true => "nothing".to_owned(),
            false => names.join(", "),
        }
    };
    format!(
        "{what}Runs in the sandbox, in {}: no network; reads {}; changes {}, which `undo` cannot take \
         back.\n",
        folder.display(),
        list(&ground.read),
        list(&ground.write),
    )
}
