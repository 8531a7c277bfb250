//! `run_command`: a program with its arguments, or a line or script for the shell, in the folders that
//! the agent may read and write, with the programming languages of the machine and without a network.

use crate::jobs::Reach;
use crate::long;
use crate::output::{command_lines, longer, output};
use crate::runner::{Launch, Runner, limits};
use crate::scratch::ScratchFolder;
use crate::session_scope::{self, Line};
use crate::toolchain::project::Toolchains;
use api::authority::JudgedCall;
use api::executor::{ReportSink, SessionScope, ToolFailure};
use api::failure::{mendable, of_call};
use api::sandbox::{Job, Network};
use domain::tool::ToolOutput;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// How a script is started: its text is a file in the scratch folder.
const SCRIPT: &str = "script.sh";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunCommand {
    argv: Option<Vec<String>>,
    command: Option<String>,
    #[serde(default, rename = "cwd")]
    _cwd: Option<String>,
    timeout_secs: Option<u64>,
}

/// What is run.
#[derive(Debug)]
pub(crate) enum Command {
    /// A program and its arguments; no shell reads them.
    Argv(Vec<String>),
    /// A line or a script for the shell.
    Script(String),
}

impl Command {
    /// From the two arguments that a call may give it by.
    pub(crate) fn of(
        argv: Option<Vec<String>>,
        command: Option<String>,
    ) -> Result<Self, ToolFailure> {
        match (argv, command) {
            (Some(argv), None) => Ok(Self::Argv(argv)),
            (None, Some(script)) => Ok(Self::Script(script)),
            (given, _) => Err(mendable(
                "one_command",
                of_call(format!(
                    "{}. Give either `command`, a line for the shell, or `argv`, the program and each \
                     argument by itself.",
                    match given {
                        Some(_) => "Both `argv` and `command` are given",
                        None => "There is no command",
                    }
                )),
            )),
        }
    }

    /// As the lines of a question.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Argv(argv) => command_lines(argv),
            Self::Script(script) if script.trim().lines().count() == 1 => {
                format!("$ {}\n", script.trim())
            }
            Self::Script(script) => script.lines().map(|line| format!("| {line}\n")).collect(),
        }
    }

    /// In one line, for lists.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Argv(argv) => text::escape::quoted_argv(argv),
            Self::Script(script) => script.clone(),
        }
    }

    /// The program that it begins, where it does no more.
    fn one_program(&self) -> Option<Line> {
        match self {
            Self::Argv(argv) => Some(Line::of_words(argv.clone())),
            Self::Script(script) => Line::read(script),
        }
    }
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

/// What a call may reach.
pub(crate) fn reach(runner: &Runner, call: &JudgedCall) -> Reach {
    let Ground { read, write } = Ground::of(runner, call);
    Reach { read, write }
}

/// The working folder: the first place an agent may read is the one `carl` was started in.
pub(crate) fn workspace(call: &JudgedCall) -> Result<PathBuf, ToolFailure> {
    let first = call.read_roots.first().cloned();
    first.ok_or_else(|| mendable("no_folder", "No folder is open for this agent."))
}

fn asked(call: &JudgedCall) -> Result<(Command, Option<u64>), ToolFailure> {
    let asked: RunCommand = call.parse_arguments()?;
    let command = Command::of(asked.argv, asked.command)?;
    Ok((command, asked.timeout_secs))
}

pub(crate) async fn run(
    runner: &Runner,
    call: &JudgedCall,
    progress: &ReportSink,
) -> Result<ToolOutput, ToolFailure> {
    let (command, time) = asked(call)?;
    let line = command.line();
    let mut launch = launch(runner, call, command)?;
    launch.job.limits = runner.limits(time);
    let checkpoints = runner.config.checkpoints.clone();
    launch.checkpoints = checkpoints.map(|checkpoints| (checkpoints, call.clone()));
    let (finished, notes) = runner
        .finish_shown((call, line.clone()), launch, progress)
        .await?;
    let notes = longer(&finished, notes);
    let mut told = output("run_command", &finished, &notes)?;
    if long::is_long(&told.text) {
        // To read it again takes what reading what the command could read takes.
        let reach = reach(runner, call).for_reading();
        let kept = Ok((finished, notes));
        let name = runner.jobs.keep(call.session_id, line, reach, kept);
        told.text = long::shortened(&told.text, &name).unwrap_or(told.text);
    }
    Ok(told)
}

/// A command with what the call may touch, the toolchains of the machine, and the protected places of
/// what it may write guarded.
pub(crate) fn launch(
    runner: &Runner,
    call: &JudgedCall,
    command: Command,
) -> Result<Launch, ToolFailure> {
    let scratch = ScratchFolder::new()?;
    let (folder, ground) = (folder(call)?, Ground::of(runner, call));
    let mut chains = Toolchains::of(&runner.config.home, &folder, &scratch.folder);
    let argv = match command {
        Command::Argv(argv) => argv,
        Command::Script(script) => {
            chains.files.insert(SCRIPT.into(), script.into_bytes());
            let script = scratch.folder.join(SCRIPT).to_string_lossy().into_owned();
            vec!["/bin/sh".to_owned(), script]
        }
    };
    let mut environment = scratch.environment(&chains.programs);
    environment.extend(chains.environment);
    let (searched, guarded) = (ground.read.clone(), ground.write.clone());
    let job = Job {
        argv,
        folder,
        // Toolchains are not looked through: what may hold passwords there is known.
        read: ground.read.into_iter().chain(chains.read).collect(),
        write: ground.write,
        scratch: scratch.with_links(chains.files, chains.links),
        links: Vec::new(),
        held: Vec::new(),
        frozen: Vec::new(),
        hidden: chains.hidden,
        expendable: Vec::new(),
        environment,
        input: Vec::new(),
        network: Network::None,
        limits: limits(),
    };
    Ok(Launch {
        searched,
        guarded,
        session_id: Some(call.session_id),
        checkpoints: None,
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

pub(crate) fn preview(runner: &Runner, call: &JudgedCall) -> Result<String, ToolFailure> {
    let (command, _) = asked(call)?;
    let is_kept = runner.config.checkpoints.is_some();
    preview_command(runner, call, (&command, is_kept))
}

/// What a yes for the session to the call covers besides it.
pub(crate) fn scope(call: &JudgedCall, command: &Command) -> Option<SessionScope> {
    let (line, folder) = (command.one_program()?, folder(call).ok()?);
    session_scope::of(call.tool.as_str(), &line, &folder)
}

/// The same of a call of `run_command`.
pub(crate) fn scope_of_call(call: &JudgedCall) -> Option<SessionScope> {
    let (command, _) = asked(call).ok()?;
    scope(call, &command)
}

/// What a command would be and may touch. `is_kept`: undo takes back what it changes.
pub(crate) fn preview_command(
    runner: &Runner,
    call: &JudgedCall,
    (command, is_kept): (&Command, bool),
) -> Result<String, ToolFailure> {
    let chains = Toolchains::of(&runner.config.home, &folder(call)?, Path::new("/"));
    Ok(told(runner, call, (&command.shown(), &chains, is_kept)))
}

/// A folder on the line of a question: its name may have lines of its own.
fn name_of(folder: &Path) -> String {
    visible_line(&folder.to_string_lossy())
}

fn told(
    runner: &Runner,
    call: &JudgedCall,
    (what, chains, is_kept): (&str, &Toolchains, bool),
) -> String {
    let folder = folder(call).unwrap_or_default();
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
    let may_change = ground.write.iter().any(|path| path.exists());
    let workspace = workspace(call).unwrap_or_default();
    let is_kept = is_kept && ground.write.iter().any(|open| workspace.starts_with(open));
    let undo = match (may_change, is_kept) {
        (true, true) => {
            " `undo` takes back what it changes in the working folder, but for what git ignores."
        }
        (true, false) => " `undo` cannot take back what it changes.",
        (false, _) => "",
    };
    format!(
        "{what}Runs in the sandbox, in {}: no network; reads {}{}; changes {}.{undo}\n",
        name_of(&folder),
        list(&read),
        chains.told(),
        list(&ground.write),
    )
}
