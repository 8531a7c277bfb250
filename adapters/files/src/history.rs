//! What commands of the user's ask of a session's undo history, by its folder: what the next undo
//! takes back, and what it passes over.

use crate::changes::{Step, steps};
use crate::journal::{Change, Closing, Folded, Journal, Open, Record, fault};
use api::executor::ToolFailure;
use domain::hash::Digest;
use domain::id::CallId;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// When the last change of a session was made that can be taken back, by the folder of its undo
/// history; `None` where there is none, or it cannot be read.
#[must_use]
pub fn last_changed(history: &Path) -> Option<jiff::Timestamp> {
    let open = Journal::new(history.to_owned(), 0).open_changes().ok()?;
    let mut newest = open.iter().rev();
    newest.find(|one| !one.is_passed).map(|one| one.time)
}

/// Forgets a session's undo history, with the copies that it keeps, by its folder. One that is not
/// there is no error.
///
/// # Errors
/// Whatever else the file system says.
pub fn forget(history: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(history) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// How the changes that some calls made stand in a session's undo history, as steps: what one undo takes
/// back is one, also where it is of many files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallChanges {
    /// All that were written down.
    pub recorded: usize,
    /// Those that so many undos take back, and nothing else.
    pub next: usize,
    /// Those that lie below a change of another call, or became part of one.
    pub beyond: usize,
    /// Those that undo passes over, as the user said.
    pub passed: usize,
    /// Those that were taken back.
    pub undone: usize,
}

/// How the changes of these calls stand, by the folder of the session's undo history.
///
/// # Errors
/// What stands in the way of reading the history.
pub fn of_calls(history: &Path, calls: &BTreeSet<CallId>) -> Result<CallChanges, ToolFailure> {
    let Folded { mut open, closed } = Journal::new(history.to_owned(), 0).folded()?;
    let is_theirs = |one: &&Open| one.call.is_some_and(|call| calls.contains(&call));
    let ended = |end: Closing| {
        let ended = closed.iter().filter(|(_, why)| *why == end);
        counted(ended.map(|(one, _)| one).filter(is_theirs))
    };
    let (undone, merged) = (ended(Closing::Undone), ended(Closing::Dropped));
    let void = ended(Closing::Void);
    let passed = counted(open.iter().filter(|one| one.is_passed).filter(is_theirs));
    open.retain(|one| !one.is_passed);
    let next = counted(open.iter().rev().take_while(is_theirs));
    let all = counted(open.iter().filter(is_theirs));
    Ok(CallChanges {
        recorded: all + passed + undone + merged + void,
        next,
        beyond: all - next + merged,
        passed,
        undone,
    })
}

fn counted<'a>(changes: impl Iterator<Item = &'a Open>) -> usize {
    changes.map(Open::step).collect::<BTreeSet<Step>>().len()
}

/// Whether a change of a session left a file so and was not taken back, by the folder of the session's
/// undo history. A history that cannot be read says no.
#[must_use]
pub fn left_so(history: &Path, file: &Path, now: Digest) -> bool {
    let open = Journal::new(history.to_owned(), 0).open_changes();
    let mut of_file = open.into_iter().flatten().rev();
    let last = of_file.find(|one| one.change.touches(file));
    last.is_some_and(|one| matches!(one.change, Change::Put { after, .. } if after == now))
}

/// A file as a change left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftFile {
    /// Where it was.
    pub path: PathBuf,
    /// The tool that changed it.
    pub tool: String,
    /// What it held before; `None` when it was not there.
    pub before: Option<Digest>,
    /// What it was then.
    pub after: Left,
}

/// What a change left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// A file with this content.
    File(Digest),
    /// An empty folder.
    Folder,
}

/// What one undo takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoStep {
    /// The call that made it; the histories of early versions do not say.
    pub call: Option<CallId>,
    /// The files that it puts back, and the folder that it removes, the last one first; none where it is
    /// another kind of change.
    pub files: Vec<LeftFile>,
    /// All files and folders that it is of.
    pub paths: Vec<PathBuf>,
}

/// What undos of a session would take back, the next one first, by the folder of its undo history.
///
/// # Errors
/// What stands in the way of reading the history.
pub fn undo_steps(history: &Path) -> Result<Vec<UndoStep>, ToolFailure> {
    let mut open = Journal::new(history.to_owned(), 0).open_changes()?;
    open.retain(|one| !one.is_passed);
    let steps = steps(&open).into_iter().rev();
    let steps = steps.map(|step| UndoStep {
        call: step.first().and_then(|one| one.call),
        files: step.iter().rev().filter_map(left_file).collect(),
        paths: step
            .iter()
            .flat_map(|one| one.change.paths())
            .map(Path::to_owned)
            .collect(),
    });
    Ok(steps.collect())
}

/// The files of the next one of [`undo_steps`]; none where there is none.
///
/// # Errors
/// As [`undo_steps`].
pub fn next_undone(history: &Path) -> Result<Vec<LeftFile>, ToolFailure> {
    let next = undo_steps(history)?.into_iter().next();
    Ok(next.map(|step| step.files).unwrap_or_default())
}

fn left_file(one: &Open) -> Option<LeftFile> {
    let tool = one.tool.clone();
    match &one.change {
        Change::Put {
            path,
            before,
            after,
            ..
        } => Some(LeftFile {
            path: path.clone(),
            tool,
            before: before.as_ref().map(|kept| kept.digest),
            after: Left::File(*after),
        }),
        Change::Made { paths } => paths.last().map(|path| LeftFile {
            path: path.clone(),
            tool,
            before: None,
            after: Left::Folder,
        }),
        _ => None,
    }
}

/// Whether a session has a change to take back that is of none of these files, by the folder of its
/// undo history.
///
/// # Errors
/// What stands in the way of reading the history.
pub fn has_change_beside(history: &Path, files: &[PathBuf]) -> Result<bool, ToolFailure> {
    let open = Journal::new(history.to_owned(), 0).open_changes()?;
    let is_beside = |one: &Open| !files.iter().any(|file| one.change.touches(file));
    Ok(open.iter().any(|one| !one.is_passed && is_beside(one)))
}

/// Has later undos of a session pass over every change of a file, by the folder of its undo history:
/// the file stays as it is, and what was kept of it too. How many changes those are, with those that
/// are passed over already.
///
/// # Errors
/// What stands in the way of reading or writing the history.
pub fn pass_over(history: &Path, file: &Path) -> Result<usize, ToolFailure> {
    let journal = Journal::new(history.to_owned(), 0);
    let open = journal.open_changes()?;
    let of_file = open.iter().filter(|one| one.change.touches(file));
    for one in of_file.clone().filter(|one| !one.is_passed) {
        journal.append(&Record::PassedOver { number: one.number })?;
    }
    Ok(of_file.count())
}

/// Has later undos of a session pass over the next changes of these calls whose files something else
/// changed since, by the folder of its undo history. The files, the last change first.
///
/// # Errors
/// What stands in the way of reading or writing the history.
pub fn pass_over_changed(
    history: &Path,
    calls: &BTreeSet<CallId>,
) -> Result<Vec<PathBuf>, ToolFailure> {
    let mut open = Journal::new(history.to_owned(), 0).open_changes()?;
    open.retain(|one| !one.is_passed);
    let is_theirs = |one: &&Open| one.call.is_some_and(|call| calls.contains(&call));
    let mut seen = BTreeSet::new();
    let mut changed = Vec::new();
    for one in open.iter().rev().take_while(is_theirs) {
        let paths = one.change.paths();
        // What lies below the newest change of a file is not on the disk.
        let is_newest = paths.iter().all(|path| !seen.contains(*path));
        if is_newest && is_overtaken(&one.change) {
            changed.extend(paths.first().map(|path| (*path).to_owned()));
        }
        seen.extend(paths.into_iter().map(Path::to_owned));
    }
    for path in &changed {
        pass_over(history, path)?;
    }
    Ok(changed)
}

/// Whether a place is neither as a change left it nor as it was before it.
fn is_overtaken(change: &Change) -> bool {
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let held = |path: &Path| {
        let file = path.symlink_metadata().is_ok_and(|now| now.is_file());
        file.then(|| std::fs::read(path).ok().map(|bytes| Digest::of(&bytes)))
            .flatten()
    };
    match change {
        Change::Put {
            path,
            before,
            after,
            ..
        } => match is_there(path) {
            true => {
                let now = held(path);
                now != Some(*after) && (now.is_none() || now != before.as_ref().map(|b| b.digest))
            }
            false => before.is_some(),
        },
        Change::DeletedFile { path, before } => is_there(path) && held(path) != Some(before.digest),
        Change::DeletedFolder { path, .. } | Change::DeletedLink { path, .. } => is_there(path),
        Change::Moved { from, to, .. } => is_there(from) == is_there(to),
        Change::Made { paths } => paths.last().is_some_and(|path| {
            let mut entries = path.read_dir().into_iter().flatten();
            is_there(path) && (!path.is_dir() || entries.next().is_some())
        }),
        Change::MadeLink { path, link, .. } => {
            is_there(path) && path.read_link().ok().as_ref() != Some(link)
        }
        Change::Rights {
            path,
            before,
            after,
        } => path.symlink_metadata().is_ok_and(|now| {
            let mode = now.permissions().mode() & 0o777;
            mode != *before && mode != *after
        }),
    }
}

/// What the file of a session's last change held before it, by the folder of its undo history, with
/// where the file was; `None` where the last change replaced or deleted no file. The last change is
/// the one that the next undo takes back, else the last that is passed over; of a patch, its last file
/// that was there before.
///
/// # Errors
/// What stands in the way of reading the history.
pub fn before_last_change(history: &Path) -> Result<Option<(PathBuf, Vec<u8>)>, ToolFailure> {
    let journal = Journal::new(history.to_owned(), 0);
    let mut open = journal.open_changes()?;
    if open.iter().any(|one| !one.is_passed) {
        open.retain(|one| !one.is_passed);
    }
    let last = steps(&open).pop().unwrap_or_default();
    let Some((path, kept)) = last.iter().rev().find_map(|one| match &one.change {
        Change::Put {
            path,
            before: Some(kept),
            ..
        }
        | Change::DeletedFile { path, before: kept } => Some((path, kept)),
        _ => None,
    }) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    journal
        .read(kept, &path.to_string_lossy())?
        .read_to_end(&mut bytes)
        .map_err(fault)?;
    Ok(Some((path.clone(), bytes)))
}
