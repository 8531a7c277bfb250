//! `make_dir`.

use super::writing::{behind_link, recorded, with_artifact};
use crate::arguments;
use crate::atomic::sync_folder;
use crate::beneath::{self, LastLink, Place};
use crate::failure::from_errno;
use crate::job::Job;
use crate::journal::Change;
use crate::record::MakeDir;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::tool::ToolOutput;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Mode of a new folder, less what the umask takes.
const NEW_FOLDER: u32 = 0o755;

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::OnlyPath = job.call.parse_arguments()?;
    let place = job.write_place("path")?;
    let (folder, real, missing) = nearest(&place)?;
    if !missing.is_empty() {
        let paths = below(&real, &missing);
        recorded(job, Change::Made { paths }, || {
            make(&place, folder, &missing)
        })?;
    }
    let created = !missing.is_empty();
    let text = match created {
        true => format!("Made the folder {}.", place.shown),
        false => format!("The folder {} exists already.", place.shown),
    };
    let typed = job.typed("path");
    let data = MakeDir {
        path: typed.clone(),
        created,
    };
    let output = job.output(&data, text, &typed)?;
    Ok(if created {
        with_artifact(output, &place, behind_link(&place, LastLink::Keep))
    } else {
        output
    })
}

/// The folders above the place that do not exist, outermost first.
pub(super) fn missing_above(place: &Place<'_>) -> Result<Vec<PathBuf>, ToolFailure> {
    let (_, real, missing) = nearest(place)?;
    let mut paths = below(&real, &missing);
    paths.pop();
    Ok(paths)
}

/// Makes the folders above the place that do not exist.
pub(super) fn make_above(place: &Place<'_>) -> Result<(), ToolFailure> {
    let (folder, _, mut missing) = nearest(place)?;
    missing.pop();
    make(place, folder, &missing)
}

/// Takes folders away again, the innermost first, as far as nothing is in them. Returns those that
/// are gone.
pub(super) fn remove_empty<'p>(job: &Job<'_>, paths: &'p [PathBuf]) -> Vec<&'p PathBuf> {
    let is_removed = |path: &&PathBuf| {
        let place = job.past_place(path);
        place.spot(LastLink::Keep).is_ok_and(|spot| {
            rustix::fs::unlinkat(&spot.parent, &spot.name, AtFlags::REMOVEDIR).is_ok()
                && sync_folder(&spot.parent).is_ok()
        })
    };
    paths.iter().rev().take_while(is_removed).collect()
}

fn nearest(place: &Place<'_>) -> Result<(OwnedFd, PathBuf, Vec<OsString>), ToolFailure> {
    let is_taken = place
        .reach()
        .is_ok_and(|found| found.kind != FileType::Directory);
    if is_taken {
        return Err(mendable(
            "exists",
            format!("`{}` exists already and is not a folder.", place.shown),
        ));
    }
    place.nearest()
}

/// What is missing below a folder, outermost first, by the paths that it will have.
fn below(folder: &Path, missing: &[OsString]) -> Vec<PathBuf> {
    let parts = (1..=missing.len()).map(|count| missing[..count].iter().collect::<PathBuf>());
    parts.map(|rest| folder.join(rest)).collect()
}

fn make(place: &Place<'_>, folder: OwnedFd, missing: &[OsString]) -> Result<(), ToolFailure> {
    let fault = |errno| from_errno(errno, &place.shown);
    let mut here = folder;
    for name in missing {
        rustix::fs::mkdirat(&here, name, Mode::from_raw_mode(NEW_FOLDER)).map_err(fault)?;
        let inner = beneath::step_into(&here, name).map_err(fault)?;
        sync_folder(&here).map_err(fault)?;
        here = inner;
    }
    Ok(())
}
