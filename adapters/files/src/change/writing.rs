//! What every change does: reads what is there, shows the difference, writes it down and acts.

use crate::atomic::{self, Expect, Written};
use crate::attributes::{self, Rights};
use crate::beneath::{Found, LastLink, Place, Spot};
use crate::failure::from_io;
use crate::job::Job;
use crate::journal::{Change, Closing, Kept};
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::hash::Digest;
use domain::limits::{FILE_READ_BYTES, FILE_WRITE_BYTES};
use domain::tool::ToolOutput;
use rustix::fs::{Access, AtFlags, FileType};
use std::io::Read;
use std::path::PathBuf;

/// A line that says that a file has other names, as a change is a fresh file that takes one: written
/// through, it would change what may lie where nothing may be changed.
pub(super) fn other_names(old: Option<&Found>) -> String {
    let names = old.map_or(0, |found| found.stat.st_nlink);
    match names > 1 {
        true => format!(
            "ATTENTION: the file has {names} names (hard links); only this one has the new text from \
             then on\n"
        ),
        false => String::new(),
    }
}

/// A file at a spot, if there is one: nothing else may be written over.
pub(super) fn regular_at(place: &Place<'_>, spot: &Spot) -> Result<Option<Found>, ToolFailure> {
    let Some(found) = spot.look(&place.shown)? else {
        return Ok(None);
    };
    match found.kind {
        FileType::RegularFile => Ok(Some(found)),
        FileType::Directory => Err(crate::failure::is_a_folder(&place.shown)),
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
pub(super) fn read_whole(
    job: &Job<'_>,
    place: &Place<'_>,
    found: &Found,
) -> Result<Vec<u8>, ToolFailure> {
    if let Some(foreseen) = job.foreseen(found) {
        return Ok(foreseen.to_vec());
    }
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

pub(super) fn too_large(place: &Place<'_>, bytes: u64, limit: u64) -> ToolFailure {
    mendable(
        "too_large",
        format!(
            "`{}` would be or is {bytes} bytes; the limit is {limit}.",
            place.shown
        ),
    )
}

pub(super) fn within_limit(place: &Place<'_>, content: &[u8]) -> Result<(), ToolFailure> {
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
pub(super) fn put(
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
        path: spot.real.clone(),
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

/// A rename replaces even what its mode forbids to write, so the mode is asked first.
pub(super) fn may_write(place: &Place<'_>, spot: &Spot) -> Result<(), ToolFailure> {
    let answer = rustix::fs::accessat(&spot.parent, &spot.name, Access::WRITE_OK, AtFlags::EACCESS);
    answer.map_err(|e| crate::failure::from_errno(e, &place.shown))
}

/// Keeps a copy of a file's content.
pub(super) fn keep(job: &Job<'_>, place: &Place<'_>, found: &Found) -> Result<Kept, ToolFailure> {
    let mut file = place.open(found)?;
    let rights = Rights {
        mode: attributes::mode_alone(&found.fd, found.stat.st_mode) & 0o7777,
        owner: Some((found.stat.st_uid, found.stat.st_gid)),
    };
    job.journal()
        .keep(&mut file, found.bytes(), rights, job.leash)
}

/// Writes the change down, makes it, and voids the record when it did not happen.
pub(super) fn recorded<T>(
    job: &Job<'_>,
    change: Change,
    act: impl FnOnce() -> Result<T, ToolFailure>,
) -> Result<T, ToolFailure> {
    let journal = job.journal();
    let number = journal.begin(job.tool.name(), job.call.call_id, change)?;
    act().inspect_err(|_| {
        // The first failure is the one to tell; undo recognises a change that never happened.
        let _ = journal.close(number, Closing::Void);
    })
}

/// What was changed, as a call's artifact: where a link led elsewhere, the real file alone.
pub(super) fn changed(place: &Place<'_>, real: Option<PathBuf>) -> String {
    let path = real.unwrap_or_else(|| place.target.to_path_buf());
    path.to_string_lossy().into_owned()
}

pub(super) fn with_artifact(
    mut output: ToolOutput,
    place: &Place<'_>,
    real: Option<PathBuf>,
) -> ToolOutput {
    output.artifacts = vec![changed(place, real)];
    output
}

/// The folders that a change makes or takes away, a line each.
pub(super) fn folder_lines(job: &Job<'_>, verb: &str, folders: &[PathBuf]) -> String {
    let line = |path: &PathBuf| format!("{verb} the folder {}\n", job.past_place(path).shown);
    folders.iter().map(line).collect()
}

/// Where a place really lies, if links in its path lead elsewhere than its name says.
pub(super) fn behind_link(place: &Place<'_>, last: LastLink) -> Option<PathBuf> {
    let real = place.real_spot(last).ok()?;
    elsewhere(place, real)
}

/// The real path, if it is not what the name says. A folder that was given may lie behind a link
/// itself: that one is the user's.
pub(super) fn elsewhere(place: &Place<'_>, real: PathBuf) -> Option<PathBuf> {
    // A name in another Unicode form is no link.
    let stored = place.stored();
    let mut below = place.roots.iter().filter_map(|root| {
        let rest = stored.strip_prefix(root).ok()?;
        Some(root.canonicalize().ok()?.join(rest))
    });
    let is_itself = real == stored || below.any(|path| path == real);
    (!is_itself).then_some(real)
}
