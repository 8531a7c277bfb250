//! `write_file`.

use super::make;
use super::shown::Shown;
use super::writing::{
    behind_link, elsewhere, folder_lines, other_names, put, read_whole, recorded, regular_at,
    with_artifact, within_limit,
};
use crate::arguments::{self, WriteMode};
use crate::atomic::{self, Expect, Written};
use crate::beneath::{Found, LastLink, Place, Spot};
use crate::difference::{as_text, as_written, diff};
use crate::encoding::utf_16;
use crate::form::{Form, Stored};
use crate::job::Job;
use crate::journal::Change;
use crate::look::scan;
use crate::record::WriteFile;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::hash::Digest;
use domain::limits::FILE_READ_BYTES;
use domain::tool::ToolOutput;
use rustix::fs::FileType;
use std::path::{Path, PathBuf};

/// Endings of documents that are archives or binary.
const DOCUMENTS: [&str; 14] = [
    "doc", "docx", "dotx", "odt", "ods", "odp", "xls", "xlsx", "ppt", "pptx", "pdf", "epub",
    "pages", "numbers",
];

struct Plan {
    room: Room,
    content: Vec<u8>,
    /// A letter for which the file does not keep its encoding.
    converted_for: Option<char>,
}

/// Where the content goes.
pub(super) enum Room {
    /// A folder that is there, and what holds the name now.
    Folder(Spot, Option<Found>),
    /// Folders that are made first, outermost first.
    NewFolders(Vec<PathBuf>),
}

impl Room {
    pub(super) fn old(&self) -> Option<&Found> {
        match self {
            Self::Folder(_, old) => old.as_ref(),
            Self::NewFolders(_) => None,
        }
    }
}

pub(super) fn room(place: &Place<'_>) -> Result<Room, ToolFailure> {
    match place.spot(LastLink::Follow) {
        Ok(spot) => {
            let old = regular_at(place, &spot)?;
            Ok(Room::Folder(spot, old))
        }
        Err(failure) if failure.rule == "not_found" => {
            Ok(Room::NewFolders(make::missing_above(place)?))
        }
        Err(failure) => Err(failure),
    }
}

fn plan(job: &Job<'_>, place: &Place<'_>) -> Result<Plan, ToolFailure> {
    let wanted: arguments::WriteFile = job.call.parse_arguments()?;
    let is_folder = place
        .reach()
        .is_ok_and(|found| found.kind == FileType::Directory);
    if is_folder {
        return Err(mendable(
            "is_a_folder",
            format!("`{}` is a folder; name a file in it.", place.shown),
        ));
    }
    let room = room(place)?;
    if room.old().is_none() && is_for_documents(place.target) {
        return Err(mendable(
            "not_text",
            format!(
                "`{}` would be no document: this tool writes plain text, which office programs and \
                 readers refuse under that name. Write .md or .txt, which they open as well.",
                place.shown
            ),
        ));
    }
    let stored = match (wanted.mode, room.old()) {
        (WriteMode::Create, Some(_)) => {
            return Err(mendable(
                "exists",
                format!(
                    "`{}` exists already. Edit a part of it, overwrite it as a whole, or append to it.",
                    place.shown
                ),
            ));
        }
        (_, Some(found)) if is_no_text(place, found)? => return Err(not_text(place, found)?),
        (WriteMode::Append, Some(found)) => {
            let mut whole = read_whole(job, place, found)?;
            let form = Form::of(&whole);
            if whole.last().is_some_and(|last| *last != b'\n') {
                whole.extend_from_slice(form.line_end().as_bytes());
            }
            whole.extend_from_slice(&form.added(&wanted.content, &place.shown)?);
            Stored::new_file(whole)
        }
        // Too large to be read is not too large to overwrite.
        (WriteMode::Overwrite, Some(found)) if job.bytes_of(found) <= FILE_READ_BYTES => {
            Form::of(&read_whole(job, place, found)?).whole(&wanted.content)
        }
        (WriteMode::Create | WriteMode::Append, None) | (WriteMode::Overwrite, _) => {
            Stored::new_file(wanted.content.into_bytes())
        }
    };
    Ok(Plan {
        room,
        content: stored.bytes,
        converted_for: stored.converted_for,
    })
}

/// Whether a name says that the file is a document of a format that plain text never is.
pub(super) fn is_for_documents(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    ending.is_some_and(|ending| {
        DOCUMENTS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&ending))
    })
}

fn not_text(place: &Place<'_>, found: &Found) -> Result<ToolFailure, ToolFailure> {
    let start = scan::start_of(&mut place.open(found)?, &place.shown)?;
    Ok(utf_16(&start, &place.shown).unwrap_or_else(|| {
        mendable(
            "not_text",
            format!(
                "`{}` is not a text file, and text in its place would destroy it. Write the text \
                 to a file of a new name.",
                place.shown
            ),
        )
    }))
}

/// Whether a file holds a document or other data that text cannot take the place of.
fn is_no_text(place: &Place<'_>, found: &Found) -> Result<bool, ToolFailure> {
    let mut file = place.open(found)?;
    Ok(scan::closed_format(&mut file, &place.shown)?.is_some()
        || scan::is_binary(&mut file, &place.shown)?)
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let place = job.write_place("path")?;
    let plan = plan(job, &place)?;
    let (written, made) = match &plan.room {
        Room::Folder(spot, old) => {
            let written = put(job, &place, spot, old.as_ref(), &plan.content)?;
            (written, String::new())
        }
        Room::NewFolders(folders) => {
            let written = put_in_new_folders(job, &place, folders, &plan.content)?;
            (written, folder_lines(job, "Made", folders))
        }
    };
    let created = plan.room.old().is_none();
    let verb = if created { "Created" } else { "Wrote" };
    let converted = converted(&plan);
    let text = format!(
        "{made}{verb} {}, now {} bytes.\n{converted}",
        place.shown, written.bytes
    );
    let text = text.trim_end();
    let typed = job.typed("path");
    let data = WriteFile {
        path: typed.clone(),
        created,
        bytes: written.bytes,
    };
    let real = match plan.room {
        Room::Folder(spot, _) => elsewhere(&place, spot.real),
        Room::NewFolders(_) => behind_link(&place, LastLink::Follow),
    };
    Ok(with_artifact(
        job.output(&data, text.to_owned(), &typed)?,
        &place,
        real,
    ))
}

pub(super) fn preview(job: &Job<'_>) -> Result<Shown, ToolFailure> {
    let place = job.write_place("path")?;
    let plan = plan(job, &place)?;
    let old = match plan.room.old() {
        // Too large to show as a diff is not too large to overwrite.
        Some(found) => match read_whole(job, &place, found) {
            Ok(bytes) => Some(as_text(bytes)),
            Err(failure) if failure.rule == "too_large" => {
                Some(format!("({} bytes, too large to show)\n", found.bytes()))
            }
            Err(failure) => return Err(failure),
        },
        None => None,
    };
    let converted = converted(&plan);
    let new = as_written(plan.content.clone());
    let made = match &plan.room {
        Room::Folder(..) => String::new(),
        Room::NewFolders(folders) => folder_lines(job, "make", folders),
    };
    let change = diff(&place.shown, old.as_deref(), Some(&new));
    let lost = plan.room.old().map_or(0, |old| job.bytes_of(old));
    let kept = new.len() as u64;
    let much_less = match kept < lost / 2 {
        true => format!("{lost} bytes become {kept}\n"),
        false => String::new(),
    };
    let others = other_names(plan.room.old());
    let mut shown = Shown::from(format!("{made}{change}{much_less}{converted}{others}"));
    if let Some(old) = plan.room.old() {
        shown.leaves.put(old, plan.content);
    }
    Ok(shown)
}

/// A line that says that a file becomes UTF-8: each of its other letters is stored anew as well.
fn converted(plan: &Plan) -> String {
    match plan.converted_for {
        Some(letter) => format!(
            "ATTENTION: the file was windows-1252, which has no `{letter}`; the whole of it is UTF-8 from \
             then on\n"
        ),
        None => String::new(),
    }
}

/// Writes a file whose folder does not exist yet, with the folders above it.
pub(super) fn put_in_new_folders(
    job: &Job<'_>,
    place: &Place<'_>,
    folders: &[PathBuf],
    content: &[u8],
) -> Result<Written, ToolFailure> {
    within_limit(place, content)?;
    let change = Change::Put {
        path: place.real_spot(LastLink::Follow)?,
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
