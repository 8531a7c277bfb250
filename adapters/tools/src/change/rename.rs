//! `move_file`.

use super::recorded;
use crate::arguments;
use crate::atomic::{rename_to_free, sync_folder};
use crate::beneath::{self, Found, LastLink, Place, Spot};
use crate::failure::{broken, from_errno, mendable, not_found, refused};
use crate::journal::Change;
use crate::record::MoveFile;
use crate::service::Job;
use api::executor::ToolFailure;
use domain::limits::GUARD_ENTRIES;
use domain::tool::ToolOutput;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::path::PathBuf;

pub(super) struct Plan {
    pub(super) from: Spot,
    pub(super) to: Spot,
}

/// What is moved where, once nothing speaks against it. Taking a move back is one as well.
pub(super) fn plan(job: &Job<'_>, from: &Place<'_>, to: &Place<'_>) -> Result<Plan, ToolFailure> {
    let from_spot = from.spot(LastLink::Keep)?;
    let Some(found) = from_spot.look(&from.shown)? else {
        return Err(not_found(&from.shown));
    };
    let to_spot = to
        .spot(LastLink::Keep)
        .map_err(|failure| match failure.rule {
            "not_found" => mendable(
                "no_folder",
                format!(
                    "The folder of `{}` does not exist. Make it with make_dir first.",
                    to.shown
                ),
            ),
            _ => failure,
        })?;
    if to_spot.look(&to.shown)?.is_some() {
        return Err(taken(to));
    }
    if found.kind == FileType::Directory {
        refuse_protected_inside(job, from, found, (&from_spot, &to_spot))?;
    }
    Ok(Plan {
        from: from_spot,
        to: to_spot,
    })
}

fn taken(to: &Place<'_>) -> ToolFailure {
    mendable(
        "exists",
        format!(
            "`{}` exists already; give the full new path of something that does not.",
            to.shown
        ),
    )
}

/// What lies in a folder must not become a protected place by the folder's new name, however deep
/// it lies; and keys and passwords do not leave the place that they are known by.
fn refuse_protected_inside(
    job: &Job<'_>,
    place: &Place<'_>,
    found: Found,
    (from, to): (&Spot, &Spot),
) -> Result<(), ToolFailure> {
    let fault = |errno| from_errno(errno, &place.shown);
    let mut waiting = vec![(found.fd, PathBuf::new())];
    let mut left = GUARD_ENTRIES;
    let changes = place.ground.changes(place.roots);
    while let Some((folder, path)) = waiting.pop() {
        for (name, kind) in place.ground.unseen(&folder).map_err(fault)? {
            job.leash.check()?;
            left = left.checked_sub(1).ok_or_else(|| too_many(place))?;
            let path = path.join(&name);
            let (old, new) = (from.real.join(&path), to.real.join(&path));
            if !changes.may_carry(&old, &new) {
                return Err(refused(
                    "protected",
                    format!(
                        "`{}` holds keys or passwords, or moving it there would put files where \
                         other programs run or trust them.",
                        place.shown
                    ),
                ));
            }
            if kind == FileType::Directory {
                let inner = beneath::step_into(&folder, &name).map_err(fault)?;
                waiting.push((inner, path));
            }
        }
    }
    Ok(())
}

fn too_many(place: &Place<'_>) -> ToolFailure {
    mendable(
        "too_many_files",
        format!(
            "There are more than {GUARD_ENTRIES} files in `{}`: it cannot be seen whether some are \
             protected. Move parts of it.",
            place.shown
        ),
    )
}

/// Renames, and makes both folders durable.
pub(super) fn rename(from: &Spot, to: &Spot, place: &Place<'_>) -> Result<(), ToolFailure> {
    rename_to_free(&from.parent, &from.name, to).map_err(|errno| match errno {
        Errno::EXIST => taken(place),
        Errno::XDEV => mendable(
            "other_disk",
            "Both paths must lie on the same file system. Copy the content instead.".to_owned(),
        ),
        Errno::INVAL => mendable(
            "into_itself",
            "A folder cannot be moved into itself.".to_owned(),
        ),
        other => from_errno(other, &place.shown),
    })?;
    let synced = sync_folder(&to.parent).and_then(|()| sync_folder(&from.parent));
    synced.map_err(|e| broken("io_error", format!("The move is not on disk yet: {e}.")))
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::MoveFile = arguments::parse(&job.call.arguments)?;
    let (from, to) = (job.write_place("from")?, job.write_place("to")?);
    let plan = plan(job, &from, &to)?;
    let change = Change::Moved {
        from: from.target.to_path_buf(),
        to: to.target.to_path_buf(),
    };
    recorded(job, change, || rename(&plan.from, &plan.to, &to))?;
    let text = format!("Moved {} to {}.", from.shown, to.shown);
    let data = MoveFile {
        from: job.typed("from"),
        to: job.typed("to"),
    };
    let mut output = job.output(&data, text, &job.typed("from"))?;
    output.artifacts = [&from, &to]
        .map(|p| p.target.to_string_lossy().into_owned())
        .to_vec();
    Ok(output)
}

pub(super) fn preview(job: &Job<'_>) -> Result<String, ToolFailure> {
    let _: arguments::MoveFile = arguments::parse(&job.call.arguments)?;
    let (from, to) = (job.write_place("from")?, job.write_place("to")?);
    plan(job, &from, &to)?;
    Ok(format!(
        "rename from {}\nrename to {}\n",
        from.shown, to.shown
    ))
}
