//! The tools that change files. Each keeps what it takes to be undone before it acts.

mod delete;
mod edit;
mod make;
mod rename;
mod undo;
mod write;

use crate::atomic::{self, Expect, Written};
use crate::beneath::{Found, LastLink, Place, Spot};
use crate::failure::{from_io, mendable};
use crate::journal::{Change, Closing, Kept};
use crate::look::scan;
use crate::service::Job;
use crate::table::Tool;
use api::executor::ToolFailure;
use domain::hash::Digest;
use domain::limits::{FILE_READ_BYTES, FILE_WRITE_BYTES};
use domain::tool::{ToolName, ToolOutput};
use rustix::fs::{Access, AtFlags, FileType};
use similar::TextDiff;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

/// How long a diff may be looked for before a coarser one is shown.
const DIFF_TIME: Duration = Duration::from_secs(2);
/// How a question warns of a link in a path.
const ATTENTION: &str = "ATTENTION: a link leads to another";
/// Lines around a change that a diff shows.
const DIFF_CONTEXT: usize = 3;

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
    let warnings = link_warnings(job);
    Ok(match diff {
        None if warnings.is_empty() => None,
        diff => Some(format!("{warnings}{}", diff.unwrap_or_default())),
    })
}

/// A line for each file that a call really changes, where links in its path lead to another place.
fn link_warnings(job: &Job<'_>) -> String {
    let (verb, arguments, last): (_, &[&str], _) = match job.tool {
        Tool::WriteFile | Tool::EditFile => ("changes", &["path"], LastLink::Follow),
        Tool::MakeDir => ("makes", &["path"], LastLink::Keep),
        Tool::DeleteFile => ("deletes", &["path"], LastLink::Keep),
        Tool::MoveFile => ("moves", &["from", "to"], LastLink::Keep),
        _ => return String::new(),
    };
    let reals = arguments.iter().filter_map(|argument| {
        let place = job.write_place(argument).ok()?;
        let real = behind_link(&place, last)?;
        let real = text::escape::visible_line(&real.to_string_lossy());
        Some(match (*argument, verb) {
            ("to", _) => format!("{ATTENTION} folder; this moves to {real}\n"),
            (_, "changes") => format!("{ATTENTION} file; this changes {real}\n"),
            _ => format!("{ATTENTION} folder; this {verb} {real}\n"),
        })
    });
    reals.collect()
}

/// Where a place really lies, if links in its path lead elsewhere than its name says.
fn behind_link(place: &Place<'_>, last: LastLink) -> Option<PathBuf> {
    let real = place.real_spot(last).ok()?;
    elsewhere(place, real)
}

/// The real path, if it is not what the name says. A folder that was given may lie behind a link
/// itself: that one is the user's.
fn elsewhere(place: &Place<'_>, real: PathBuf) -> Option<PathBuf> {
    let mut below = place.roots.iter().filter_map(|root| {
        let rest = place.target.strip_prefix(root).ok()?;
        Some(root.canonicalize().ok()?.join(rest))
    });
    let is_itself = real == place.target || below.any(|path| path == real);
    (!is_itself).then_some(real)
}

/// A unified diff between two contents; `None` for a side that does not exist.
pub(crate) fn diff(shown: &str, old: Option<&str>, new: Option<&str>) -> String {
    let both_crlf = [old, new]
        .iter()
        .flatten()
        .all(|t| t.is_empty() || t.contains("\r\n"));
    let plain = |text: Option<&str>| match (text, both_crlf) {
        (Some(text), true) => text.replace("\r\n", "\n"),
        (Some(text), false) => text.to_owned(),
        (None, _) => String::new(),
    };
    let header = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{}", shown.trim_start_matches('/')),
        None => "/dev/null".to_owned(),
    };
    let (old_text, new_text) = (plain(old), plain(new));
    TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(&old_text, &new_text)
        .unified_diff()
        .context_radius(DIFF_CONTEXT)
        .header(&header("a", old), &header("b", new))
        .to_string()
}

/// A file at a spot, if there is one: nothing else may be written over.
fn regular_at(place: &Place<'_>, spot: &Spot) -> Result<Option<Found>, ToolFailure> {
    let Some(found) = spot.look(&place.shown)? else {
        return Ok(None);
    };
    match found.kind {
        FileType::RegularFile => Ok(Some(found)),
        FileType::Directory => Err(mendable(
            "is_a_folder",
            format!("`{}` is a folder, not a file.", place.shown),
        )),
        _ => Err(mendable(
            "not_a_file",
            format!(
                "`{}` is not a regular file; it cannot be changed.",
                place.shown
            ),
        )),
    }
}

/// A file's content, whole.
fn read_whole(job: &Job<'_>, place: &Place<'_>, found: &Found) -> Result<Vec<u8>, ToolFailure> {
    if found.bytes() > FILE_READ_BYTES {
        return Err(too_large(place, found.bytes(), FILE_READ_BYTES));
    }
    let file = place.open(found)?;
    let mut bytes = Vec::new();
    file.take(FILE_READ_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| from_io(&e, &place.shown))?;
    job.leash.check()?;
    if bytes.len() as u64 > FILE_READ_BYTES {
        return Err(atomic::changed_meanwhile(&place.shown));
    }
    Ok(bytes)
}

fn too_large(place: &Place<'_>, bytes: u64, limit: u64) -> ToolFailure {
    mendable(
        "too_large",
        format!(
            "`{}` would be or is {bytes} bytes; the limit is {limit}.",
            place.shown
        ),
    )
}

/// The content as text for a diff; a sentence for what is not text.
fn as_text(bytes: Vec<u8>) -> String {
    if bytes.contains(&0) {
        return format!("(not text, {} bytes)\n", bytes.len());
    }
    scan::to_text(bytes, false).0
}

fn within_limit(place: &Place<'_>, content: &[u8]) -> Result<(), ToolFailure> {
    match content.len() > FILE_WRITE_BYTES {
        true => Err(too_large(
            place,
            content.len() as u64,
            FILE_WRITE_BYTES as u64,
        )),
        false => Ok(()),
    }
}

/// Writes new content and remembers the old.
fn put(
    job: &Job<'_>,
    place: &Place<'_>,
    spot: &Spot,
    old: Option<&Found>,
    content: &[u8],
) -> Result<Written, ToolFailure> {
    within_limit(place, content)?;
    let before = match old {
        Some(found) => {
            may_write(place, spot)?;
            Some(keep(job, place, found)?)
        }
        None => None,
    };
    let change = Change::Put {
        path: place.target.to_path_buf(),
        before,
        after: Digest::of(content),
        made: Vec::new(),
    };
    let expect = match old {
        Some(found) => Expect::Same(found),
        None => Expect::Absent(None),
    };
    recorded(job, change, || {
        atomic::put(spot, &mut &*content, expect, job.leash, &place.shown)
    })
}

/// Writes a file whose folder does not exist yet, with the folders above it.
fn put_in_new_folders(
    job: &Job<'_>,
    place: &Place<'_>,
    folders: &[PathBuf],
    content: &[u8],
) -> Result<Written, ToolFailure> {
    within_limit(place, content)?;
    let change = Change::Put {
        path: place.target.to_path_buf(),
        before: None,
        after: Digest::of(content),
        made: folders.to_vec(),
    };
    recorded(job, change, || {
        let written = make::make_above(place).and_then(|()| {
            let spot = place.spot(LastLink::Follow)?;
            let expect = Expect::Absent(None);
            atomic::put(&spot, &mut &*content, expect, job.leash, &place.shown)
        });
        if written.is_err() {
            make::remove_empty(job, folders);
        }
        written
    })
}

/// A rename replaces even what its mode forbids to write, so the mode is asked first.
fn may_write(place: &Place<'_>, spot: &Spot) -> Result<(), ToolFailure> {
    let answer = rustix::fs::accessat(&spot.parent, &spot.name, Access::WRITE_OK, AtFlags::EACCESS);
    answer.map_err(|e| crate::failure::from_errno(e, &place.shown))
}

/// Keeps a copy of a file's content.
fn keep(job: &Job<'_>, place: &Place<'_>, found: &Found) -> Result<Kept, ToolFailure> {
    let mut file = place.open(found)?;
    job.journal()
        .keep(&mut file, found.bytes(), found.stat.st_mode, job.leash)
}

/// Writes the change down, makes it, and voids the record when it did not happen.
fn recorded<T>(
    job: &Job<'_>,
    change: Change,
    act: impl FnOnce() -> Result<T, ToolFailure>,
) -> Result<T, ToolFailure> {
    let journal = job.journal();
    let number = journal.begin(job.tool.name(), change)?;
    act().inspect_err(|_| {
        // The first failure is the one to tell; undo recognises a change that never happened.
        let _ = journal.close(number, Closing::Void);
    })
}

/// What was changed, as a call's artifacts: where a link led elsewhere, the real file first.
fn changed(place: &Place<'_>, real: Option<PathBuf>) -> Vec<String> {
    let paths = real.into_iter().chain([place.target.to_path_buf()]);
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

fn with_artifact(mut output: ToolOutput, place: &Place<'_>, real: Option<PathBuf>) -> ToolOutput {
    output.artifacts = changed(place, real);
    output
}

/// The folders that a change makes or takes away, a line each.
fn folder_lines(job: &Job<'_>, verb: &str, folders: &[PathBuf]) -> String {
    let line = |path: &PathBuf| format!("{verb} the folder {}\n", job.past_place(path).shown);
    folders.iter().map(line).collect()
}
