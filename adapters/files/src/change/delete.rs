//! `delete_file`.

use super::writing::{elsewhere, keep, read_whole, recorded, with_artifact};
use crate::arguments;
use crate::atomic::{changed_meanwhile, is_same, sync_folder};
use crate::beneath::{Found, LastLink, Place, Spot};
use crate::difference::as_text;
use crate::failure::{from_errno, not_found};
use crate::job::Job;
use crate::journal::Change;
use crate::look::entry_kind;
use crate::record::{DeleteFile, EntryKind};
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::hash::Digest;
use domain::tool::ToolOutput;
use rustix::fs::{AtFlags, FileType};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Lines of a deleted file that its preview shows.
const SHOWN_LINES: usize = 40;

fn plan(job: &Job<'_>, place: &Place<'_>) -> Result<(Spot, Found), ToolFailure> {
    let _: arguments::OnlyPath = job.call.parse_arguments()?;
    let spot = place.spot(LastLink::Keep)?;
    let Some(found) = spot.look(&place.shown)? else {
        return Err(not_found(&place.shown));
    };
    match entry_kind(found.kind) {
        EntryKind::File | EntryKind::Link => Ok((spot, found)),
        EntryKind::Folder if is_empty(place, &found)? => Ok((spot, found)),
        EntryKind::Folder => Err(mendable(
            "not_empty",
            format!(
                "The folder `{}` is not empty. Delete what is in it first.",
                place.shown
            ),
        )),
        EntryKind::Other => Err(mendable(
            "not_a_file",
            format!("`{}` is a pipe, socket or device; it stays.", place.shown),
        )),
    }
}

fn is_empty(place: &Place<'_>, found: &Found) -> Result<bool, ToolFailure> {
    let fault = |errno| from_errno(errno, &place.shown);
    place.ground.is_empty(&found.fd).map_err(fault)
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let place = job.write_place("path")?;
    let (spot, found) = plan(job, &place)?;
    let path = spot.real.clone();
    let change = match found.kind {
        FileType::Directory => Change::DeletedFolder {
            path,
            mode: found.stat.st_mode & 0o7777,
        },
        FileType::Symlink => {
            let link = rustix::fs::readlinkat(&spot.parent, &spot.name, Vec::new())
                .map_err(|e| from_errno(e, &place.shown))?;
            let link = PathBuf::from(OsString::from_vec(link.into_bytes()));
            Change::DeletedLink { path, link }
        }
        _ => Change::DeletedFile {
            path,
            before: keep(job, &place, &found)?,
        },
    };
    // How a name is stored is seen while it is there.
    let real = elsewhere(&place, spot.real.clone());
    recorded(job, change, || remove(&place, &spot, &found))?;
    let text = format!("Deleted {}.", place.shown);
    let typed = job.typed("path");
    let data = DeleteFile {
        path: typed.clone(),
        kind: entry_kind(found.kind),
    };
    Ok(with_artifact(
        job.output(&data, text, &typed)?,
        &place,
        real,
    ))
}

/// Removes what was looked at, if it is still that.
pub(super) fn remove(place: &Place<'_>, spot: &Spot, found: &Found) -> Result<(), ToolFailure> {
    let fault = |errno| from_errno(errno, &place.shown);
    let now =
        rustix::fs::statat(&spot.parent, &spot.name, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)?;
    if !is_same(&now, &found.stat) {
        return Err(changed_meanwhile(&place.shown));
    }
    let flags = match found.kind {
        FileType::Directory => AtFlags::REMOVEDIR,
        _ => AtFlags::empty(),
    };
    rustix::fs::unlinkat(&spot.parent, &spot.name, flags).map_err(fault)?;
    sync_folder(&spot.parent).map_err(fault)
}

pub(super) fn preview(job: &Job<'_>) -> Result<String, ToolFailure> {
    let place = job.write_place("path")?;
    let (_, found) = plan(job, &place)?;
    let shown = &place.shown;
    let extract = match found.kind {
        FileType::Directory => return Ok(format!("delete the empty folder {shown}\n")),
        FileType::Symlink => return Ok(format!("delete the link {shown}\n")),
        _ => match read_whole(job, &place, &found) {
            Ok(bytes) => extract(bytes),
            Err(failure) if failure.rule == "too_large" => format!(
                "(too large to show; last changed at {}.{:09} s)\n",
                found.stat.st_ctime, found.stat.st_ctime_nsec
            ),
            Err(failure) => return Err(failure),
        },
    };
    Ok(format!(
        "delete {shown} ({} bytes)\n--- a/{}\n+++ /dev/null\n{extract}",
        found.bytes(),
        shown.trim_start_matches('/')
    ))
}

/// What is shown of a file that goes. A yes is held to what was shown, so that a digest stands for what
/// is not.
fn extract(bytes: Vec<u8>) -> String {
    let digest = Digest::of(&bytes);
    let is_text = as_text(bytes.clone()).as_bytes() == bytes;
    let text = as_text(bytes);
    let lines = text.lines().take(SHOWN_LINES);
    let mut out: String = lines.map(|line| format!("-{line}\n")).collect();
    let more = text.lines().count().saturating_sub(SHOWN_LINES);
    if more > 0 {
        out.push_str(&format!("({more} more lines)\n"));
    }
    if more > 0 || !is_text {
        out.push_str(&format!("(digest of the whole: {digest})\n"));
    }
    out
}
