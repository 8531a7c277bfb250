//! What an undo would change, before it does.

use super::{Left, Now, Part, Top, path_of, seen_at, top};
use crate::change::writing::{folder_lines, read_whole};
use crate::changes::{Change, Kept, Open};
use crate::difference::{as_text, diff};
use crate::failure::from_io;
use crate::job::Job;
use api::executor::ToolFailure;
use std::io::Read;

/// What an undo would change, after so many others.
pub(in crate::change) fn preview(job: &Job<'_>, before: usize) -> Result<String, ToolFailure> {
    let _lane = job.lane();
    let Top { parts, content, .. } = top(job, before)?;
    let shown = |part: &Part| job.past_place(path_of(&part.change.change)).shown;
    // Of a patch, its files in its own order; all of them stand in the first line, which is told alone
    // where a question is short.
    let parts: Vec<&Part> = parts.iter().rev().collect();
    let names: Vec<String> = parts.iter().map(|part| shown(part)).collect();
    let head = format!(
        "take back what {} did to {}",
        parts[0].change.tool,
        names.join(", ")
    );
    if parts.iter().all(|part| !part.is_made) {
        return Ok(format!(
            "{head}: it is as it was before already, nothing changes\n"
        ));
    }
    let mut out = format!("{head}\n");
    for part in parts {
        match part.is_made {
            true => out.push_str(&change_back(job, &part.change, &content)?),
            false => out.push_str(&format!("{} is as it was before already\n", shown(part))),
        }
    }
    Ok(out)
}

/// What taking a change back changes; nothing where that cannot be told yet.
fn change_back(job: &Job<'_>, last: &Open, left: &Left) -> Result<String, ToolFailure> {
    let place = job.past_place(path_of(&last.change));
    let kept_text = |kept: &Kept| -> Result<String, ToolFailure> {
        let mut bytes = Vec::new();
        let copy = job.journal().read(kept, &place.shown)?;
        copy.take(domain::limits::FILE_READ_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|e| from_io(&e, &place.shown))?;
        Ok(as_text(bytes))
    };
    Ok(match &last.change {
        Change::Put { before, made, .. } => {
            let now = match left.get(place.target) {
                Some(None) => return Ok(String::new()),
                Some(Some(content)) => content.as_ref().map(kept_text).transpose()?,
                None => match seen_at(&place)? {
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
        Change::MadeLink { made, .. } => {
            let folders = folder_lines(job, "delete, if it is empty then,", made);
            format!("delete the link {}\n{folders}", place.shown)
        }
        Change::Rights { before, after, .. } => format!(
            "set the permissions of {} to {before:o}, which are {after:o}\n",
            place.shown
        ),
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
    })
}
