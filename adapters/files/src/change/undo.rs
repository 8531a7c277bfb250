//! `undo`: takes back the session's last change, if what it left is still there untouched.

use super::writing::{folder_lines, read_whole};
use super::{make, rename};
use crate::arguments;
use crate::atomic::{self, Expect, sync_folder};
use crate::beneath::{Found, LastLink, Place};
use crate::difference::{as_text, diff};
use crate::failure::{LINK, NOT_FOUND, OUTSIDE, from_errno, from_io};
use crate::job::Job;
use crate::journal::{Change, Closing, Kept, Open, skipping};
use crate::record::Undo;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::hash::Digest;
use domain::tool::ToolOutput;
use rustix::fs::{AtFlags, FileType, Mode};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// Whether a change stands as it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It can be taken back.
    Made,
    /// Somebody put it back already, or it never happened: a crash came between writing it down and
    /// making it.
    NeverMade,
    /// Someone changed the place since.
    Overtaken,
    /// A link that came since leads from the place to another one.
    Elsewhere,
}

/// What is at a path now.
enum Now {
    Nothing,
    There(Found),
    /// A folder above it is a link now: what that leads to was not changed then.
    Elsewhere,
}

/// What a file holds; `None` when it is not there.
type Content = Option<Kept>;

/// What earlier undos of a plan leave at a path; `None` when that is no file's content.
type Left = BTreeMap<PathBuf, Option<Content>>;

/// The change that an undo takes back.
struct Top {
    last: Open,
    /// Whether it happened, or somebody put it back already.
    is_made: bool,
    /// How many are left then.
    left: usize,
    /// What undos before it leave.
    content: Left,
}

/// The change that is taken back once so many before it are. An undo takes back the last change and
/// no older one, also where somebody has put that back already: nobody asked for the older one.
fn top(job: &Job<'_>, before: usize) -> Result<Top, ToolFailure> {
    let mut open = job.journal().open_changes()?;
    open.retain(|one| !one.is_passed);
    let mut content = Left::new();
    let mut taken = 0;
    while let Some(last) = open.pop() {
        let path = path_of(&last.change);
        // The disk says nothing of what lies below a change that is not taken back yet.
        let standing = match content.contains_key(path) {
            true => Standing::Made,
            false => standing(job, &last.change)?,
        };
        if matches!(standing, Standing::Overtaken | Standing::Elsewhere) {
            return Err(overtaken(job, &last, standing));
        }
        let is_made = standing == Standing::Made;
        if taken == before {
            let left = open.len();
            return Ok(Top {
                last,
                is_made,
                left,
                content,
            });
        }
        taken += 1;
        if is_made {
            if let Change::Moved { from, .. } = &last.change {
                content.insert(from.clone(), None);
            }
            content.insert(path.to_owned(), left_by(&last.change));
        }
    }
    Err(mendable(
        "nothing_to_undo",
        "There is no file change of this session left to undo. For a change of an earlier session, \
         the user can type `carl undo`, or `carl undo ID` with an id that `carl session list` shows.",
    ))
}

/// Why a change is not taken back whose file is no longer as it left it, and the ways on.
fn overtaken(job: &Job<'_>, last: &Open, standing: Standing) -> ToolFailure {
    let place = job.past_place(path_of(&last.change));
    let (shown, tool) = (&place.shown, &last.tool);
    let what = match (standing, found_at(&place)) {
        (Standing::Elsewhere, _) => format!(
            "`{shown}` leads through a link to another place than {tool} changed; undo follows none."
        ),
        (_, Ok(Now::Nothing)) => {
            format!("`{shown}` is not there any more, and {tool} had changed it.")
        }
        (_, Ok(Now::There(_))) if matches!(last.change, Change::Moved { .. }) => format!(
            "`{shown}` is not what {tool} put there, or its old place is taken; undo would move \
             something else."
        ),
        _ => format!(
            "`{shown}` has changed since {tool} changed it; undo would lose that newer change."
        ),
    };
    let text = match &last.change {
        Change::Put {
            before: Some(_), ..
        }
        | Change::DeletedFile { .. } => {
            format!("`carl undo --print` for the text before {tool}, or ")
        }
        _ => String::new(),
    };
    mendable(
        "changed_since",
        format!(
            "{what} Nothing was undone. The user can type {text}`{}` to leave it as it is \
             and take back the older change of another file.",
            skipping(shown)
        ),
    )
}

/// What is at a change's path once it is taken back.
fn left_by(change: &Change) -> Option<Content> {
    match change {
        Change::Put { before, .. } => Some(before.clone()),
        Change::DeletedFile { before, .. } => Some(Some(before.clone())),
        _ => None,
    }
}

fn path_of(change: &Change) -> &Path {
    match change {
        Change::Put { path, .. }
        | Change::DeletedFile { path, .. }
        | Change::DeletedFolder { path, .. }
        | Change::DeletedLink { path, .. } => path,
        Change::Moved { to, .. } => to,
        Change::Made { paths } => paths.last().map_or(Path::new("/"), PathBuf::as_path),
    }
}

/// What is at a path now, a link itself and not where it leads.
fn found_at(place: &Place<'_>) -> Result<Now, ToolFailure> {
    let spot = place.spot(LastLink::Keep);
    match spot.and_then(|spot| spot.look(&place.shown)) {
        Ok(Some(found)) => Ok(Now::There(found)),
        Ok(None) => Ok(Now::Nothing),
        Err(failure) if failure.rule == NOT_FOUND => Ok(Now::Nothing),
        Err(failure) if failure.rule == LINK => Ok(Now::Elsewhere),
        Err(failure) => Err(failure),
    }
}

/// What is said of a change in a folder that was renamed or removed: opening it for the call helps no
/// one.
fn in_no_folder(place: &Place<'_>, failure: ToolFailure) -> ToolFailure {
    let is_there = place.target.parent().is_some_and(Path::exists);
    if failure.rule != OUTSIDE || is_there {
        return failure;
    }
    mendable(
        "folder_gone",
        format!(
            "`{}` lay in a folder that is not there any more, and undo puts files back where they were. \
             Nothing was undone. The user can give the folder its name again, or type `carl undo ID \
             --print`, with the id of this session, for the text before the last change.",
            place.shown
        ),
    )
}

fn standing(job: &Job<'_>, change: &Change) -> Result<Standing, ToolFailure> {
    let place = job.past_place(path_of(change));
    let found = match found_at(&place).map_err(|failure| in_no_folder(&place, failure))? {
        Now::There(found) => Some(found),
        Now::Nothing => None,
        Now::Elsewhere => return Ok(Standing::Elsewhere),
    };
    Ok(match (change, found) {
        (Change::Put { before, after, .. }, found) => {
            let now = match found {
                Some(found) if found.kind == FileType::RegularFile => {
                    Some(digest(job, &place, &found)?)
                }
                Some(found) if found.kind == FileType::Symlink => return Ok(Standing::Elsewhere),
                Some(_) => return Ok(Standing::Overtaken),
                None => None,
            };
            let was = before.as_ref().map(|kept| kept.digest);
            if now == Some(*after) {
                Standing::Made
            } else if now == was {
                Standing::NeverMade
            } else {
                Standing::Overtaken
            }
        }
        (Change::Made { .. }, Some(found)) if found.kind == FileType::Directory => Standing::Made,
        (Change::Made { .. }, None) => Standing::NeverMade,
        (Change::Moved { from, what, .. }, found) => {
            let old = job.past_place(from);
            let is_it = |place: &Place<'_>, found: &Found| {
                let mut known = what.iter();
                known.all(|what| what.is(place, found, job.leash))
            };
            match (found, found_at(&old)?) {
                (Some(found), Now::Nothing) if is_it(&place, &found) => Standing::Made,
                (None, Now::There(found)) if is_it(&old, &found) => Standing::NeverMade,
                (_, Now::Elsewhere) => Standing::Elsewhere,
                _ => Standing::Overtaken,
            }
        }
        (
            Change::DeletedFile { .. } | Change::DeletedFolder { .. } | Change::DeletedLink { .. },
            None,
        ) => Standing::Made,
        (Change::DeletedFile { before, .. }, Some(found))
            if found.kind == FileType::RegularFile
                && digest(job, &place, &found)? == before.digest =>
        {
            Standing::NeverMade
        }
        (_, Some(_)) => Standing::Overtaken,
    })
}

fn digest(job: &Job<'_>, place: &Place<'_>, found: &Found) -> Result<Digest, ToolFailure> {
    let mut file = place.open(found)?;
    Ok(atomic::copy(&mut file, &mut io::sink(), job.leash, &place.shown)?.digest)
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::Nothing = job.call.parse_arguments()?;
    let Top {
        last,
        is_made,
        left,
        ..
    } = top(job, 0)?;
    let place = job.past_place(path_of(&last.change));
    let path = place.target.to_string_lossy().into_owned();
    let mut data = Undo {
        tool: last.tool.clone(),
        path: path.clone(),
        left,
        was_back: !is_made,
        stays: Vec::new(),
    };
    if !is_made {
        job.journal().close(last.number, Closing::Void)?;
        let text = format!(
            "`{}` is as it was before {} already; nothing was changed. {left} more can be undone.",
            place.shown, last.tool
        );
        return job.output(&data, text, &path);
    }
    let stays = take_back(job, &last.change)?;
    data.stays = stays
        .iter()
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    job.journal().close(last.number, Closing::Undone)?;
    let said = |folder: &String| {
        let shown = visible_line(folder);
        format!("The folder {shown} stays: it is not empty. ")
    };
    let said: String = data.stays.iter().map(said).collect();
    let text = format!(
        "Undid {} of {}. {said}{left} more can be undone.",
        last.tool, place.shown
    );
    let mut output = job.output(&data, text, &path)?;
    output.artifacts = match &last.change {
        // Where the file is again comes last.
        Change::Moved { from, .. } => {
            let back = job.past_place(from).target.to_string_lossy().into_owned();
            vec![path, back]
        }
        _ => vec![path],
    };
    Ok(output)
}

/// Takes a change back. Returns the folders made for it that stay, since others put something into
/// them.
fn take_back<'c>(job: &Job<'_>, change: &'c Change) -> Result<Vec<&'c PathBuf>, ToolFailure> {
    let place = job.past_place(path_of(change));
    let fault = |errno| from_errno(errno, &place.shown);
    match change {
        Change::Put { before, made, .. } => {
            put_back(job, &place, before.as_ref())?;
            Ok(remove_made(job, made))
        }
        Change::DeletedFile { before, .. } => {
            let spot = place.spot(LastLink::Keep)?;
            let mut copy = job.journal().read(before, &place.shown)?;
            let expect = Expect::Absent(Some(before.rights));
            let written = atomic::put(&spot, &mut copy, expect, job.leash, &place.shown);
            written.map(|_written| Vec::new())
        }
        Change::DeletedFolder { mode, .. } => {
            let spot = place.spot(LastLink::Keep)?;
            rustix::fs::mkdirat(&spot.parent, &spot.name, Mode::from_raw_mode(*mode))
                .map_err(fault)?;
            let synced = sync_folder(&spot.parent).map_err(fault);
            synced.map(|()| Vec::new())
        }
        Change::DeletedLink { link, .. } => {
            let spot = place.spot(LastLink::Keep)?;
            rustix::fs::symlinkat(link, &spot.parent, &spot.name).map_err(fault)?;
            let synced = sync_folder(&spot.parent).map_err(fault);
            synced.map(|()| Vec::new())
        }
        Change::Moved { from, made, .. } => {
            let old = job.past_place(from);
            let plan = rename::plan(job, &place, &old)?;
            rename::rename(&plan.from, &plan.to, &old)?;
            Ok(remove_made(job, made))
        }
        Change::Made { paths } => {
            let spot = place.spot(LastLink::Keep)?;
            rustix::fs::unlinkat(&spot.parent, &spot.name, AtFlags::REMOVEDIR)
                .map_err(|errno| not_empty(errno, &place.shown))?;
            let above = paths
                .split_last()
                .map_or(&[][..], |(_innermost, above)| above);
            Ok(remove_made(job, above))
        }
    }
}

/// Takes folders away that were made for a change, outermost first. Returns those that stay.
fn remove_made<'p>(job: &Job<'_>, made: &'p [PathBuf]) -> Vec<&'p PathBuf> {
    let gone = make::remove_empty(job, made).len();
    made.iter().take(made.len() - gone).collect()
}

/// A folder that was made holds what was not: nobody is told to delete that.
fn not_empty(errno: Errno, shown: &str) -> ToolFailure {
    if errno != Errno::NOTEMPTY {
        return from_errno(errno, shown);
    }
    mendable(
        "not_empty",
        format!(
            "The folder `{shown}` is not empty, so it stays. The user can type \
             `{}` to leave it and take back what is older.",
            skipping(shown)
        ),
    )
}

fn put_back(job: &Job<'_>, place: &Place<'_>, before: Option<&Kept>) -> Result<(), ToolFailure> {
    let spot = place.spot(LastLink::Keep)?;
    let found = spot.look(&place.shown)?;
    let Some(found) = found.filter(|found| found.kind == FileType::RegularFile) else {
        return Err(atomic::changed_meanwhile(&place.shown));
    };
    match before {
        None => super::delete::remove(place, &spot, &found),
        Some(kept) => {
            let mut copy = job.journal().read(kept, &place.shown)?;
            atomic::put(
                &spot,
                &mut copy,
                Expect::Same(&found),
                job.leash,
                &place.shown,
            )
            .map(drop)
        }
    }
}

/// What an undo would change, after so many others.
pub(super) fn preview(job: &Job<'_>, before: usize) -> Result<String, ToolFailure> {
    let _lane = job.lane();
    let Top {
        last,
        is_made,
        content: left,
        ..
    } = top(job, before)?;
    let place = job.past_place(path_of(&last.change));
    if !is_made {
        return Ok(format!(
            "take back what {} did to {}: it is as it was before already, nothing changes\n",
            last.tool, place.shown
        ));
    }
    let kept_text = |kept: &Kept| -> Result<String, ToolFailure> {
        let mut bytes = Vec::new();
        let copy = job.journal().read(kept, &place.shown)?;
        copy.take(domain::limits::FILE_READ_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|e| from_io(&e, &place.shown))?;
        Ok(as_text(bytes))
    };
    let change = match &last.change {
        Change::Put { before, made, .. } => {
            let now = match left.get(place.target) {
                Some(None) => {
                    return Ok(format!(
                        "take back what {} did to {}\n",
                        last.tool, place.shown
                    ));
                }
                Some(Some(content)) => content.as_ref().map(kept_text).transpose()?,
                None => match found_at(&place)? {
                    Now::There(found) => Some(as_text(read_whole(job, &place, &found)?)),
                    Now::Nothing | Now::Elsewhere => None,
                },
            };
            let then = before.as_ref().map(kept_text).transpose()?;
            let file = diff(&place.shown, now.as_deref(), then.as_deref());
            let folders = folder_lines(job, "delete, if it is empty then,", made);
            format!("{file}{folders}")
        }
        Change::DeletedFile { before, .. } => diff(&place.shown, None, Some(&kept_text(before)?)),
        Change::DeletedFolder { .. } => format!("make the folder {}\n", place.shown),
        Change::DeletedLink { .. } => format!("make the link {}\n", place.shown),
        Change::Made { paths } => {
            let above = paths
                .split_last()
                .map_or(&[][..], |(_innermost, above)| above);
            let above = folder_lines(job, "delete, if it is empty then,", above);
            format!("delete the empty folder {}\n{above}", place.shown)
        }
        Change::Moved { from, made, .. } => {
            let folders = folder_lines(job, "delete, if it is empty then,", made);
            format!(
                "rename from {}\nrename to {}\n{folders}",
                place.shown,
                job.past_place(from).shown
            )
        }
    };
    Ok(format!(
        "take back what {} did to {}\n{change}",
        last.tool, place.shown
    ))
}
