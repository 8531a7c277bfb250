//! `undo`: takes back the session's last change, if what it left is still there untouched.

mod preview;

pub(super) use preview::preview;

use super::{make, rename};
use crate::arguments;
use crate::atomic::{self, Expect, sync_folder};
use crate::attributes;
use crate::beneath::{Found, LastLink, Place};
use crate::changes::steps;
use crate::failure::{LINK, NOT_FOUND, OUTSIDE, from_errno};
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
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// The bits of a mode that say who may do what.
const PERMISSIONS: u32 = 0o777;

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

/// One file's part of what an undo takes back.
struct Part {
    change: Open,
    /// Whether it happened, or somebody put it back already.
    is_made: bool,
}

/// The step that an undo takes back: a change, or all that a patch changed.
struct Top {
    /// The newest first; at least one.
    parts: Vec<Part>,
    /// How many steps are left then.
    left: usize,
    /// What undos before it leave.
    content: Left,
}

/// The step that is taken back once so many before it are. An undo takes back the last step and
/// no older one, also where somebody has put that back already: nobody asked for the older one.
fn top(job: &Job<'_>, before: usize) -> Result<Top, ToolFailure> {
    let mut open = job.journal().open_changes()?;
    open.retain(|one| !one.is_passed);
    let steps = steps(&open);
    let mut content = Left::new();
    for (taken, step) in steps.iter().rev().take(before + 1).enumerate() {
        // What is taken back before it is asked about by itself.
        let look = if taken == before { found_at } else { seen_at };
        let parts = step
            .iter()
            .rev()
            .map(|one| part(job, one, (&content, look)));
        let parts = parts.collect::<Result<Vec<Part>, ToolFailure>>()?;
        if taken == before {
            let left = steps.len() - taken - 1;
            return Ok(Top {
                parts,
                left,
                content,
            });
        }
        for Part { change, .. } in parts.into_iter().filter(|part| part.is_made) {
            if let Change::Moved { from, .. } = &change.change {
                content.insert(from.clone(), None);
            }
            if !matches!(change.change, Change::Rights { .. }) {
                content.insert(path_of(&change.change).to_owned(), left_by(&change.change));
            }
        }
    }
    Err(mendable(
        "nothing_to_undo",
        "There is no file change of this session left to undo. For a change of an earlier session, \
         the user can type `carl undo`, or `carl undo ID` with an id that `carl session list` shows.",
    ))
}

/// A part of a step that can be taken back, after undos that leave this.
fn part(job: &Job<'_>, one: &Open, (content, look): (&Left, Looks)) -> Result<Part, ToolFailure> {
    // The disk says nothing of what lies below a change that is not taken back yet.
    let standing = match content.contains_key(path_of(&one.change)) {
        true => Standing::Made,
        false => standing(job, &one.change, look)?,
    };
    if matches!(standing, Standing::Overtaken | Standing::Elsewhere) {
        return Err(overtaken(job, one, standing));
    }
    Ok(Part {
        change: one.clone(),
        is_made: standing == Standing::Made,
    })
}

/// Why a change is not taken back whose file is no longer as it left it, and the ways on.
fn overtaken(job: &Job<'_>, last: &Open, standing: Standing) -> ToolFailure {
    let place = job.past_place(path_of(&last.change));
    let (shown, tool) = (&place.shown, &last.tool);
    let what = match (standing, seen_at(&place)) {
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
        | Change::DeletedLink { path, .. }
        | Change::MadeLink { path, .. }
        | Change::Rights { path, .. } => path,
        Change::Moved { to, .. } => to,
        Change::Made { paths } => paths.last().map_or(Path::new("/"), PathBuf::as_path),
    }
}

/// How it is looked what is at a path.
type Looks = fn(&Place<'_>) -> Result<Now, ToolFailure>;

/// What is at a path now that is to be changed, a link itself and not where it leads.
fn found_at(place: &Place<'_>) -> Result<Now, ToolFailure> {
    let spot = place.spot(LastLink::Keep);
    now_at(spot.and_then(|spot| spot.look(&place.shown)))
}

/// The same of one that is not changed.
fn seen_at(place: &Place<'_>) -> Result<Now, ToolFailure> {
    now_at(place.peek())
}

fn now_at(found: Result<Option<Found>, ToolFailure>) -> Result<Now, ToolFailure> {
    match found {
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

fn standing(job: &Job<'_>, change: &Change, look: Looks) -> Result<Standing, ToolFailure> {
    let place = job.past_place(path_of(change));
    let found = match look(&place).map_err(|failure| in_no_folder(&place, failure))? {
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
        (Change::Made { .. } | Change::MadeLink { .. } | Change::Rights { .. }, None) => {
            Standing::NeverMade
        }
        (Change::MadeLink { link, .. }, Some(found)) if leads_to(&found, link) => Standing::Made,
        (Change::Rights { before, after, .. }, Some(found)) if !is_link(&found) => {
            match found.stat.st_mode & PERMISSIONS {
                now if now == *after => Standing::Made,
                now if now == *before => Standing::NeverMade,
                _ => Standing::Overtaken,
            }
        }
        (Change::Moved { from, what, .. }, found) => {
            let old = job.past_place(from);
            let is_it = |place: &Place<'_>, found: &Found| {
                let mut known = what.iter();
                known.all(|what| what.is(place, found, job.leash))
            };
            match (found, look(&old)?) {
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

fn is_link(found: &Found) -> bool {
    found.kind == FileType::Symlink
}

/// Whether it is a link that leads there.
fn leads_to(found: &Found, link: &Path) -> bool {
    let target = rustix::fs::readlinkat(&found.fd, "", Vec::new());
    is_link(found) && target.is_ok_and(|target| target.as_bytes() == link.as_os_str().as_bytes())
}

fn digest(job: &Job<'_>, place: &Place<'_>, found: &Found) -> Result<Digest, ToolFailure> {
    let mut file = place.open(found)?;
    Ok(atomic::copy(&mut file, &mut io::sink(), job.leash, &place.shown)?.digest)
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let _: arguments::Nothing = job.call.parse_arguments()?;
    let Top { parts, left, .. } = top(job, 0)?;
    let mut paths: Vec<String> = parts
        .iter()
        .rev()
        .map(|part| path_of(&part.change.change).to_string_lossy().into_owned())
        .collect();
    let was_back = parts.iter().all(|part| !part.is_made);
    let stays = take_back_parts(job, &parts)?;
    let tool = parts[0].change.tool.clone();
    let shown: Vec<String> = paths.iter().map(|path| visible_line(path)).collect();
    let text = match was_back {
        true => {
            let shown: Vec<String> = shown.iter().map(|path| format!("`{path}`")).collect();
            let are = match shown.len() {
                1 => "is as it was",
                _ => "are as they were",
            };
            format!(
                "{} {are} before {tool} already; nothing was changed. {left} more can be undone.",
                shown.join(", ")
            )
        }
        false => {
            let said = stays.iter().map(|folder| {
                let shown = visible_line(folder);
                format!("The folder {shown} stays: it is not empty. ")
            });
            format!(
                "Undid {tool} of {}. {}{left} more can be undone.",
                shown.join(", "),
                said.collect::<String>()
            )
        }
    };
    let artifacts = match (&parts[0].change.change, was_back) {
        (_, true) => Vec::new(),
        // Where the file is again comes last.
        (Change::Moved { from, .. }, _) => {
            let back = job.past_place(from).target.to_string_lossy().into_owned();
            vec![paths[0].clone(), back]
        }
        _ => paths.clone(),
    };
    let path = paths.remove(0);
    let origin = path.clone();
    let data = Undo {
        tool,
        path,
        others: paths,
        left,
        was_back,
        stays,
    };
    let mut output = job.output(&data, text, &origin)?;
    output.artifacts = artifacts;
    Ok(output)
}

/// Takes the parts of a step back that are there yet, the newest first, once it is certain that what
/// was kept of each can be read. Returns the folders that stay.
fn take_back_parts(job: &Job<'_>, parts: &[Part]) -> Result<Vec<String>, ToolFailure> {
    for Part { change, .. } in parts.iter().filter(|part| part.is_made) {
        if let Some(kept) = change.change.kept() {
            let place = job.past_place(path_of(&change.change));
            let _readable = job.journal().read(kept, &place.shown)?;
        }
    }
    let mut stays = Vec::new();
    for (done, Part { change, is_made }) in parts.iter().enumerate() {
        let how = match is_made {
            true => {
                let folders = take_back(job, &change.change)
                    .map_err(|failure| partly(failure, done, parts.len()))?;
                stays.extend(folders.iter().map(|one| one.to_string_lossy().into_owned()));
                Closing::Undone
            }
            false => Closing::Void,
        };
        job.journal().close(change.number, how)?;
    }
    Ok(stays)
}

/// Why the files of a patch are back in part.
fn partly(failure: ToolFailure, done: usize, all: usize) -> ToolFailure {
    match done {
        0 => failure,
        _ => {
            let message = format!(
                "{} {done} of the {all} files of this change are as they were before; another undo takes \
                 back the rest.",
                failure.message
            );
            ToolFailure { message, ..failure }
        }
    }
}

/// Takes back what a call has done since a number of the history: it comes to nothing.
pub(super) fn take_back_since(job: &Job<'_>, number: u64) -> Result<(), ToolFailure> {
    let open = job.journal().open_changes()?;
    let own = open.iter().rev().take_while(|one| one.number >= number);
    for one in own.filter(|one| one.call == Some(job.call.call_id)) {
        let Part { is_made, .. } = part(job, one, (&Left::new(), found_at))?;
        if is_made {
            take_back(job, &one.change)?;
        }
        job.journal().close(one.number, Closing::Void)?;
    }
    Ok(())
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
        Change::MadeLink { link, made, .. } => {
            let spot = place.spot(LastLink::Keep)?;
            let found = spot.look(&place.shown)?;
            if !found.is_some_and(|found| leads_to(&found, link)) {
                return Err(atomic::changed_meanwhile(&place.shown));
            }
            rustix::fs::unlinkat(&spot.parent, &spot.name, AtFlags::empty()).map_err(fault)?;
            sync_folder(&spot.parent).map_err(fault)?;
            Ok(remove_made(job, made))
        }
        Change::Rights { before, after, .. } => {
            let found = place.spot(LastLink::Keep)?.look(&place.shown)?;
            let is_it = |found: &Found| found.stat.st_mode & PERMISSIONS == *after;
            let found = found.filter(|found| !is_link(found) && is_it(found));
            let found = found.ok_or_else(|| atomic::changed_meanwhile(&place.shown))?;
            let special = found.stat.st_mode & 0o7000;
            attributes::set_mode(&found.fd, special | before).map_err(fault)?;
            Ok(Vec::new())
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
