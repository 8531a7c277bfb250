//! The tools that change files. Each shows the user the difference before it acts, and keeps what it
//! takes to be undone.

mod delete;
mod edit;
mod make;
mod patch;
mod rename;
mod shown;
mod undo;
mod write;
mod writing;

use self::shown::Shown;
use self::writing::behind_link;
use crate::beneath::LastLink;
use crate::contents::Contents;
use crate::job::Job;
use crate::table::Tool;
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use domain::tool::ToolOutput;

/// How a question warns of a link in a path.
const ATTENTION: &str = "ATTENTION: a link leads to another";

/// Runs a changing tool; a session's changes come one after another.
pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _lane = job.lane();
    // Nobody may wait for this change any more by the time that it has its turn.
    job.leash.check()?;
    match job.tool {
        Tool::WriteFile => write::run(job),
        Tool::EditFile => edit::run(job),
        Tool::ApplyPatch => patch::run(job),
        Tool::MakeDir => make::run(job),
        Tool::MoveFile => rename::run(job),
        Tool::DeleteFile => delete::run(job),
        _ => undo::run(job),
    }
}

/// What stands above the history of changes by the time that a step of a plan runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Above {
    /// Nothing: so many changes of the history are taken back by then.
    Undone(usize),
    /// Changes of the plan itself, which nobody has seen yet.
    Unmade,
}

/// The same, by the steps before it.
pub(crate) fn above(earlier: &[JudgedCall]) -> Above {
    let tools = earlier.iter().filter_map(|call| Tool::by_name(&call.tool));
    let tools: Vec<Tool> = tools.collect();
    let changes = [
        Tool::WriteFile,
        Tool::EditFile,
        Tool::ApplyPatch,
        Tool::MakeDir,
        Tool::MoveFile,
        Tool::DeleteFile,
    ];
    match tools.iter().any(|tool| changes.contains(tool)) {
        true => Above::Unmade,
        false => Above::Undone(tools.iter().filter(|tool| **tool == Tool::Undo).count()),
    }
}

/// What a call would change, safe to show, and what it would leave in files that are there.
pub(crate) fn preview(
    job: &Job<'_>,
    above: Above,
) -> Result<(Option<String>, Contents), ToolFailure> {
    let shown = match job.tool {
        Tool::WriteFile => Some(write::preview(job)?),
        Tool::EditFile => Some(edit::preview(job)?),
        Tool::ApplyPatch => Some(patch::preview(job)?),
        Tool::MoveFile => Some(Shown::from(rename::preview(job)?)),
        Tool::DeleteFile => Some(Shown::from(delete::preview(job)?)),
        Tool::Undo => match above {
            Above::Undone(before) => Some(Shown::from(undo::preview(job, before)?)),
            Above::Unmade => None,
        },
        _ => None,
    };
    let warnings = link_warnings(job);
    let Some(shown) = shown else {
        return Ok((
            (!warnings.is_empty()).then_some(warnings),
            Contents::default(),
        ));
    };
    let diff = text::escape::diff(&shown.text);
    Ok((Some(format!("{warnings}{diff}")), shown.leaves))
}

/// A line for each file that a call really changes, where links in its path lead to another place.
fn link_warnings(job: &Job<'_>) -> String {
    let (verb, last) = match job.tool {
        Tool::WriteFile | Tool::EditFile | Tool::ApplyPatch => ("changes", LastLink::Follow),
        Tool::MakeDir => ("makes", LastLink::Keep),
        Tool::DeleteFile => ("deletes", LastLink::Keep),
        Tool::MoveFile => ("moves", LastLink::Keep),
        _ => return String::new(),
    };
    let reals = job.call.targets.keys().filter_map(|argument| {
        let place = job.write_place(argument).ok()?;
        let real = behind_link(&place, last)?;
        let real = text::escape::visible_line(&real.to_string_lossy());
        Some(match (argument.as_str(), verb) {
            ("to", _) => format!("{ATTENTION} folder; this moves to {real}\n"),
            (_, "changes") => format!("{ATTENTION} file; this changes {real}\n"),
            _ => format!("{ATTENTION} folder; this {verb} {real}\n"),
        })
    });
    reals.collect()
}
