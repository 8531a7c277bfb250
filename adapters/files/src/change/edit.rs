//! `edit_file`.

use super::shown::Shown;
use super::writing::{
    elsewhere, other_names, put, read_whole, regular_at, too_large, with_artifact,
};
use crate::arguments;
use crate::beneath::{Found, LastLink, Place, Spot};
use crate::difference::diff;
use crate::encoding::{old_bytes, old_text, utf_16};
use crate::failure::not_found;
use crate::form::no_letter;
use crate::job::Job;
use crate::look::scan::closed_format_of;
use crate::matching::{self, Edited, Fit, Miss};
use crate::occurrences::PLACES;
use crate::record::EditFile;
use api::executor::ToolFailure;
use api::failure::{mendable, of_call};
use domain::limits::FILE_WRITE_BYTES;
use domain::tool::ToolOutput;

struct Plan {
    spot: Spot,
    old: Found,
    before: String,
    edited: Edited,
    /// The edited content in the file's own encoding.
    bytes: Vec<u8>,
}

/// Why a file that is no text is not edited, and what can be done.
fn not_text(shown: &str, content: &[u8]) -> ToolFailure {
    if let Some(failure) = utf_16(content, shown) {
        return failure;
    }
    let message = match closed_format_of(content).is_some() {
        true => format!(
            "`{shown}` is a document or an archive and no text: read_document reads it, and nothing here \
             edits it."
        ),
        false => format!(
            "`{shown}` is not a whole UTF-8 text, nor one in an older encoding: some of its bytes are \
             damaged or no text. Nothing here edits it."
        ),
    };
    mendable("not_utf8", message)
}

/// A file's content as text, and how it is stored.
pub(super) struct Text {
    pub(super) content: String,
    is_utf8: bool,
}

impl Text {
    /// Of a file that is one.
    pub(super) fn read(
        job: &Job<'_>,
        place: &Place<'_>,
        file: &Found,
    ) -> Result<Self, ToolFailure> {
        match String::from_utf8(read_whole(job, place, file)?) {
            Ok(content) => Ok(Self {
                content,
                is_utf8: true,
            }),
            Err(error) => {
                let bytes = error.as_bytes();
                let content = old_text(bytes).ok_or_else(|| not_text(&place.shown, bytes))?;
                Ok(Self {
                    content,
                    is_utf8: false,
                })
            }
        }
    }

    /// Another content in the same encoding.
    pub(super) fn stored(&self, content: &str, place: &Place<'_>) -> Result<Vec<u8>, ToolFailure> {
        match self.is_utf8 {
            true => Ok(content.as_bytes().to_vec()),
            false => old_bytes(content).map_err(|letter| no_letter(&place.shown, letter)),
        }
    }
}

fn plan(job: &Job<'_>, place: &Place<'_>) -> Result<Plan, ToolFailure> {
    let wanted: arguments::EditFile = job.call.parse_arguments()?;
    if wanted.old == wanted.new {
        // The call alone says so: nothing was looked at.
        return Err(mendable("no_change", of_call(no_change(&place.shown))));
    }
    let spot = place.spot(LastLink::Follow)?;
    let Some(old) = regular_at(place, &spot)? else {
        return Err(not_found(&place.shown));
    };
    let text = Text::read(job, place, &old)?;
    let edited = matching::edit(
        &text.content,
        &wanted.old,
        &wanted.new,
        wanted.all,
        job.leash,
    );
    let edited = edited.map_err(|miss| told(miss, place))?;
    let bytes = text.stored(&edited.content, place)?;
    let before = text.content;
    Ok(Plan {
        spot,
        old,
        before,
        edited,
        bytes,
    })
}

/// Why one of the hunks of a patch, given with how many there are, does not fit.
pub(super) fn told_of_hunk(
    miss: Miss,
    place: &Place<'_>,
    (number, of): (usize, usize),
) -> ToolFailure {
    let failure = match miss {
        Miss::Ambiguous { lines } => mendable(
            "ambiguous_match",
            format!(
                "The lines to replace occur more than once in `{}`, {} around them.",
                place.shown,
                places(&lines)
            ),
        ),
        miss => told(miss, place),
    };
    match of {
        1 => failure,
        _ => ToolFailure {
            message: format!("Change {number} of {of}: {}", failure.message),
            ..failure
        },
    }
}

fn told(miss: Miss, place: &Place<'_>) -> ToolFailure {
    let shown = &place.shown;
    match miss {
        Miss::TooLarge { bytes } => too_large(place, bytes as u64, FILE_WRITE_BYTES as u64),
        Miss::Stopped(failure) => failure,
        Miss::NotFound { nearest: None } => mendable(
            "no_match",
            format!(
                "The text is not in `{shown}`. It has to be as it stands in the file, letter by letter."
            ),
        ),
        Miss::NotFound {
            nearest: Some((line, text)),
        } => mendable(
            "no_match",
            format!(
                "The text is not in `{shown}`. It has to be as it stands in the file, letter by letter. \
                 The line most like its first one is line {line}: {text}"
            ),
        ),
        Miss::Ambiguous { lines } => mendable(
            "ambiguous_match",
            format!(
                "The text occurs more than once in `{shown}`, {} around it, or set all to true.",
                places(&lines)
            ),
        ),
        Miss::IndentUnclear { line, text } => mendable(
            "indent_unclear",
            format!(
                "The text is at line {line} of `{shown}`, but with another indentation. Copy it as \
                 it stands there.\n{text}"
            ),
        ),
        Miss::NoChange => mendable("no_change", no_change(shown)),
    }
}

fn no_change(shown: &str) -> String {
    format!("The edit would leave `{shown}` as it is: old and new are the same.")
}

/// Where a text is that occurs more than once, and what tells one place from the others.
fn places(lines: &[u64]) -> String {
    let or_more = if lines.len() < PLACES { "" } else { " or more" };
    match lines {
        [first, rest @ ..] if rest.iter().all(|line| line == first) => format!(
            "{} times{or_more} in line {first}. Give more of the words",
            lines.len()
        ),
        _ => {
            let mut lines = lines.to_vec();
            lines.dedup();
            format!("at lines {}{or_more}. Give more of the lines", list(&lines))
        }
    }
}

fn list(lines: &[u64]) -> String {
    let words: Vec<String> = lines.iter().map(u64::to_string).collect();
    words.join(", ")
}

pub(super) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let place = job.write_place("path")?;
    let plan = plan(job, &place)?;
    put(job, &place, &plan.spot, Some(&plan.old), &plan.bytes)?;
    let (how, typeset) = match plan.edited.fit {
        Fit::Exact => (String::new(), 0),
        Fit::Lines => {
            let how = " (white space at line ends differed from the text given)";
            (how.to_owned(), 0)
        }
        Fit::Typed { places } => {
            let how = format!(
                " (in {places} of them quotation marks, dashes or spaces differed from the text given; \
                 those of what stays are kept)"
            );
            (how, places as u64)
        }
    };
    let text = format!(
        "Edited {}: {} place(s), line {}{how}.",
        place.shown,
        plan.edited.lines.len(),
        list(&plan.edited.lines[..plan.edited.lines.len().min(20)]),
    );
    let typed = job.typed("path");
    let data = EditFile {
        path: typed.clone(),
        lines: plan.edited.lines,
        exact: plan.edited.fit == Fit::Exact,
        typeset,
    };
    let real = elsewhere(&place, plan.spot.real);
    Ok(with_artifact(
        job.output(&data, text, &typed)?,
        &place,
        real,
    ))
}

pub(super) fn preview(job: &Job<'_>) -> Result<Shown, ToolFailure> {
    let place = job.write_place("path")?;
    let plan = plan(job, &place)?;
    let change = diff(&place.shown, Some(&plan.before), Some(&plan.edited.content));
    let mut shown = Shown::from(format!("{change}{}", other_names(Some(&plan.old))));
    shown.leaves.put(&plan.old, plan.bytes);
    Ok(shown)
}
