//! `run_shell` and `run_script`: a command or a script in the folders that the agent may read and
//! write, without a network.

use super::scratch::Desk;
use super::{Bay, Errand, limits, output, shown_argv};
use crate::arguments;
use crate::failure::mendable;
use api::authority::JudgedCall;
use api::executor::{ProgressSink, ToolFailure};
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use policy::protected::{Protected, Protection};
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
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunScript {
    text: String,
}

/// What a call may touch, without the whole root, which no view can be made of.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    pub(super) hidden: Vec<PathBuf>,
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
        let (read, write) = (usable(&call.read_roots), usable(&call.write_roots));
        let seen = read.iter().chain(&write);
        let hidden = hidden(bay, seen.map(PathBuf::as_path));
        Self {
            read,
            write,
            hidden,
        }
    }
}

/// What a program may not see of the folders it may: our own, and what the file tools refuse as
/// well, in the user's home, directly in each folder, and where a listed place lies deeper.
pub(super) fn hidden<'a>(bay: &'a Bay, seen: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let roots: Vec<PathBuf> = seen.map(Path::to_path_buf).collect();
    let mut view = View {
        protected: &bay.protected,
        roots: &roots,
        hidden: bay.own_folders.clone(),
    };
    for folder in roots.iter().chain([&bay.given.home]) {
        view.conceal(folder);
    }
    let mut hidden = view.hidden;
    hidden.sort();
    hidden.dedup();
    hidden
}

/// Looks for what is to be hidden in folders that a program will see.
struct View<'a> {
    protected: &'a Protected,
    roots: &'a [PathBuf],
    hidden: Vec<PathBuf>,
}

impl View<'_> {
    fn conceal(&mut self, folder: &Path) {
        // A folder that cannot be listed by us is closed to the program, which is the same user.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type().ok();
            let is_folder = kind.is_some_and(|kind| kind.is_dir());
            let is_link = kind.is_some_and(|kind| kind.is_symlink());
            match self.protected.refuses_read(&path, self.roots) {
                // What was opened beneath it stays to be seen, all else does not.
                Some(Protection::Closed) if self.protected.leads_to_opened(&path, self.roots) => {
                    self.conceal(&path);
                }
                // Where a closed link leads is open or closed by itself.
                Some(Protection::Closed) if is_link => {}
                // A link to keys hides what it leads to; what cannot be looked at is hidden by its
                // own name.
                Some(_) => match path.canonicalize() {
                    Ok(real) => self.hidden.push(real),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(_) => self.hidden.push(path),
                },
                None if is_folder && self.protected.may_hold_credentials(&path) => {
                    self.conceal(&path);
                }
                None => {}
            }
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
    let errand = errand(bay, call, asked.argv)?;
    let (finished, notes) = bay.finish(errand, progress).await?;
    output("run_shell", &finished, &notes)
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
        hidden: ground.hidden,
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
        guarded: job.write.clone(),
        job,
        desk,
    };
    let (finished, notes) = bay.finish(errand, progress).await?;
    output(origin, &finished, &notes)
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
