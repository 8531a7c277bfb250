//! `move_file`.

use super::make;
use super::writing::{changed, elsewhere, folder_lines, recorded};
use crate::arguments;
use crate::atomic::{rename_to_free, sync_folder};
use crate::beneath::{self, Found, LastLink, Place, Spot};
use crate::failure::{NOT_FOUND, from_errno, from_io, not_found};
use crate::ground::Carriage;
use crate::identity::Identity;
use crate::job::Job;
use crate::journal::Change;
use crate::record::MoveFile;
use api::executor::ToolFailure;
use api::failure::{broken, mendable, refused};
use domain::limits::GUARD_ENTRIES;
use domain::tool::ToolOutput;
use protected::Moving;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::path::PathBuf;

pub(super) struct Plan {
    pub(super) from: Spot,
    pub(super) to: Spot,
    /// No program begins until a folder is where it goes.
    _moving: Option<Moving>,
}

/// What is moved where, once nothing speaks against it. Taking a move back is one as well.
pub(super) fn plan(job: &Job<'_>, from: &Place<'_>, to: &Place<'_>) -> Result<Plan, ToolFailure> {
    let (from_spot, found) = source(job, from)?;
    let to_spot = to.spot(LastLink::Keep)?;
    if to_spot.look(&to.shown)?.is_some() {
        return Err(taken(to));
    }
    if found.kind == FileType::Symlink {
        let changes = from.ground.changes(from.roots);
        if changes.link_is_trusted(&from_spot.real, &to_spot.real) {
            return Err(refused("protected", trusted_link(from)));
        }
        if was_of_another(job, from, &found, &to_spot)? {
            return Err(refused("protected", takes_a_trusted_name(from, to)));
        }
    }
    let mut moving = None;
    if found.kind == FileType::Directory {
        let carries = refuse_protected_inside(job, from, &found, (&from_spot, &to_spot))?;
        if carries && was_of_another(job, from, &found, &to_spot)? {
            return Err(refused("protected", takes_a_trusted_name(from, to)));
        }
        let at_work = job.workshop.protected.at_work();
        moving = at_work.moves(&from_spot.real, &to_spot.real, carries);
        if moving.is_none() {
            return Err(mendable("program_at_work", in_use(from)));
        }
    }
    Ok(Plan {
        from: from_spot,
        to: to_spot,
        _moving: moving,
    })
}

/// What is moved.
fn source(job: &Job<'_>, from: &Place<'_>) -> Result<(Spot, Found), ToolFailure> {
    let spot = from.spot(LastLink::Keep)?;
    let found = spot.look(&from.shown)?;
    let found = found.ok_or_else(|| not_found(&from.shown))?;
    let mut opened = job.call.read_roots.iter().chain(&job.call.write_roots);
    match opened.any(|root| root.starts_with(&spot.real)) {
        true => Err(beneath::is_opened(&from.shown)),
        false => Ok((spot, found)),
    }
}

/// The folders that the new path needs and that do not exist, outermost first.
fn folders_to_make(to: &Place<'_>) -> Result<Vec<PathBuf>, ToolFailure> {
    match to.spot(LastLink::Keep) {
        Err(failure) if failure.rule == NOT_FOUND => make::missing_above(to),
        _ => Ok(Vec::new()),
    }
}

fn make_folders(to: &Place<'_>, made: &[PathBuf]) -> Result<(), ToolFailure> {
    match made {
        [] => Ok(()),
        _ => make::make_above(to),
    }
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
/// it lies; and keys and passwords do not leave the place that they are known by. Whether it holds
/// anything that other programs run or trust.
fn refuse_protected_inside(
    job: &Job<'_>,
    place: &Place<'_>,
    found: &Found,
    (from, to): (&Spot, &Spot),
) -> Result<bool, ToolFailure> {
    let fault = |errno| from_errno(errno, &place.shown);
    let top = found
        .fd
        .try_clone()
        .map_err(|e| from_io(&e, &place.shown))?;
    let mut waiting = vec![(top, PathBuf::new())];
    let mut left = GUARD_ENTRIES;
    let mut carries = false;
    let changes = place.ground.changes(place.roots);
    while let Some((folder, path)) = waiting.pop() {
        for (name, kind) in place.ground.unseen(&folder).map_err(fault)? {
            job.leash.check()?;
            left = left.checked_sub(1).ok_or_else(|| too_many(place))?;
            let path = path.join(&name);
            let (old, new) = (from.real.join(&path), to.real.join(&path));
            let carriage = changes.carriage(&old, &new);
            carries |= carriage == Carriage::RunsLater;
            if carriage == Carriage::Refused {
                return Err(refused(
                    "protected",
                    format!(
                        "`{}` holds keys or passwords, or moving it there would put files where \
                         other programs run or trust them.",
                        place.shown
                    ),
                ));
            }
            if kind == FileType::Symlink && changes.link_is_trusted(&old, &new) {
                return Err(refused("protected", trusted_link(place)));
            }
            if changes.leads_out(&old, &from.real) {
                return Err(refused("protected", leads_elsewhere(place)));
            }
            if kind == FileType::Directory {
                let inner = beneath::step_into(&folder, &name).map_err(fault)?;
                waiting.push((inner, path));
            }
        }
    }
    Ok(carries)
}

/// Whether the new name, or a folder above it, was that of something else in this session, which an
/// agent moved or deleted.
fn was_of_another(
    job: &Job<'_>,
    place: &Place<'_>,
    found: &Found,
    to: &Spot,
) -> Result<bool, ToolFailure> {
    let mut open = job.journal().open_changes()?.into_iter();
    Ok(open.any(|open| match &open.change {
        Change::Moved { from, what, .. } => {
            let is_it = || {
                what.as_ref()
                    .is_some_and(|what| what.is(place, found, job.leash))
            };
            to.real.starts_with(from) && !(to.real == *from && is_it())
        }
        Change::DeletedFolder { path, .. } | Change::DeletedLink { path, .. } => {
            to.real.starts_with(path)
        }
        Change::Put { .. }
        | Change::Made { .. }
        | Change::MadeLink { .. }
        | Change::Rights { .. }
        | Change::DeletedFile { .. } => false,
    }))
}

fn in_use(from: &Place<'_>) -> String {
    format!(
        "`{}` may be changed by a program that still runs, or would come to its folders, and holds a \
         repository or settings or would leave the folders of that program. Wait until it has ended, \
         or stop it.",
        from.shown
    )
}

fn trusted_link(from: &Place<'_>) -> String {
    format!(
        "`{}` is or holds a link, and its new name would lead other programs to settings that they run or \
         trust. Ask the user to move it.",
        from.shown
    )
}

fn takes_a_trusted_name(from: &Place<'_>, to: &Place<'_>) -> String {
    format!(
        "`{}` holds settings that other programs run or trust, and `{}` was the name of another \
         folder in this session, which they may trust by its name. Give it a new name, or ask the \
         user to move it.",
        from.shown, to.shown
    )
}

fn leads_elsewhere(place: &Place<'_>) -> String {
    format!(
        "`{}` holds a repository or settings that name files outside of it by relative paths: moved, \
         they would name others, which programs would run. Ask the user to move it.",
        place.shown
    )
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
    let _: arguments::MoveFile = job.call.parse_arguments()?;
    let (from, to) = (job.write_place("from")?, job.write_place("to")?);
    let made = folders_to_make(&to)?;
    if made.is_empty() {
        plan(job, &from, &to)?;
    }
    let (spot, found) = source(job, &from)?;
    let change = Change::Moved {
        from: spot.real,
        to: to.real_spot(LastLink::Keep)?,
        what: Some(Identity::of(&from, &found, job.leash)?),
        made: made.clone(),
    };
    let artifacts = recorded(job, change, || {
        let moved = make_folders(&to, &made)
            .and_then(|()| plan(job, &from, &to))
            .and_then(|plan| {
                // How the old name is stored can be seen only while it is there.
                let moved = changed(&from, elsewhere(&from, plan.from.real.clone()));
                rename(&plan.from, &plan.to, &to)?;
                Ok(vec![moved, changed(&to, elsewhere(&to, plan.to.real))])
            });
        if moved.is_err() {
            make::remove_empty(job, &made);
        }
        moved
    })?;
    let folders = folder_lines(job, "Made", &made);
    let text = format!("{folders}Moved {} to {}.", from.shown, to.shown);
    let data = MoveFile {
        from: job.typed("from"),
        to: job.typed("to"),
    };
    let mut output = job.output(&data, text, &job.typed("from"))?;
    output.artifacts = artifacts;
    Ok(output)
}

pub(super) fn preview(job: &Job<'_>) -> Result<String, ToolFailure> {
    let _: arguments::MoveFile = job.call.parse_arguments()?;
    let (from, to) = (job.write_place("from")?, job.write_place("to")?);
    let made = folders_to_make(&to)?;
    if made.is_empty() {
        plan(job, &from, &to)?;
    } else {
        source(job, &from)?;
    }
    let folders = folder_lines(job, "make", &made);
    Ok(format!(
        "{folders}rename from {}\nrename to {}\n",
        from.shown, to.shown
    ))
}
