//! The tools that change files. Each keeps what it takes to be undone before it acts.

mod delete;
mod edit;
mod make;
mod rename;
mod undo;
mod write;
mod writing;

use crate::beneath::LastLink;
use crate::job::Job;
use crate::table::Tool;
use api::executor::ToolFailure;
use domain::tool::{ToolName, ToolOutput};

/// Runs a changing tool; a session's changes come one after another.
pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _lane = job.lane();
    match job.tool {
        Tool::WriteFile => write::run(job),
        Tool::EditFile => edit::run(job),
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

/// The same, by the tools of the steps before it.
pub(crate) fn above(earlier: &[ToolName]) -> Above {
    let tools: Vec<Tool> = earlier.iter().filter_map(Tool::by_name).collect();
    let changes = [
        Tool::WriteFile,
        Tool::EditFile,
        Tool::MakeDir,
        Tool::MoveFile,
        Tool::DeleteFile,
    ];
    match tools.iter().any(|tool| changes.contains(tool)) {
        true => Above::Unmade,
        false => Above::Undone(tools.iter().filter(|tool| **tool == Tool::Undo).count()),
    }
}

/// What a call would change, safe to show.
pub(crate) fn preview(job: &Job<'_>, above: Above) -> Result<Option<String>, ToolFailure> {
    let diff = match job.tool {
        Tool::WriteFile => write::preview(job).map(Some),
        Tool::EditFile => edit::preview(job).map(Some),
        Tool::MoveFile => rename::preview(job).map(Some),
        Tool::DeleteFile => delete::preview(job).map(Some),
        Tool::Undo => match above {
            Above::Undone(before) => undo::preview(job, before).map(Some),
            Above::Unmade => Ok(None),
        },
        _ => Ok(None),
    }?;
    let diff = diff.map(|diff| text::escape::visible(&diff));
    Ok(match (diff, through_link(job)) {
        (Some(diff), Some(real)) => Some(format!("{real}{diff}")),
        (diff, _) => diff,
    })
}

/// The file that a call really changes, where links in its path lead to another place.
fn through_link(job: &Job<'_>) -> Option<String> {
    let place = match job.tool {
        Tool::WriteFile | Tool::EditFile => job.write_place("path").ok()?,
        _ => return None,
    };
    let spot = place.spot(LastLink::Follow).ok()?;
    // A folder that was given may lie behind a link itself.
    let mut below = place.roots.iter().filter_map(|root| {
        let rest = place.target.strip_prefix(root).ok()?;
        Some(root.canonicalize().ok()?.join(rest))
    });
    let is_itself = spot.real == place.target || below.any(|path| path == spot.real);
    (!is_itself).then(|| {
        format!(
            "ATTENTION: a link leads to another file; this changes {}\n",
            text::escape::visible_line(&spot.real.to_string_lossy())
        )
    })
}
