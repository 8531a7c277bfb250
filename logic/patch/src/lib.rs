//! Patches as models write them: which files they name, and what they say of each.
//!
//! What it is: a pure function from text to [`FilePatch`]es, for the three forms that models know: the
//! unified diff, blocks of search and replace, and the envelope of `*** Begin Patch`.
//! What it owns: the forms. Line numbers and counts of a unified diff are not believed, since models
//! miscount: a hunk is found by its lines.
//! What it never does: look at a file, or decide where a hunk fits (`adapters/files` does).
//! Where to start: [`parse`].

mod blocks;
mod envelope;
mod error;
mod hunk;
mod unified;

pub use error::Error;
pub use hunk::Hunk;

use hunk::{Body, Rest, Section};
use std::collections::BTreeMap;

/// What a patch says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch<'a> {
    /// The file, as the patch writes it.
    pub path: &'a str,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is made, with this content.
    New(String),
    /// These parts of it are replaced, in order.
    Edit(Vec<Hunk>),
}

/// What a patch does to which files, in the order in which it first names them.
///
/// # Errors
/// [`Error`] with the line, where the text is no patch or does what a patch may not: delete or rename.
pub fn parse(text: &str) -> Result<Vec<FilePatch<'_>>, Error> {
    let lines: Vec<&str> = text.lines().collect();
    // What comes first says the form: what a patch changes may hold the marks of the others.
    let first = (0..lines.len()).find_map(|at| form_at(&lines, at));
    let read = match first.ok_or(Error::Unknown)? {
        Form::Envelope => envelope::sections(&lines)?,
        Form::Blocks => blocks::sections(&lines)?,
        Form::Unified => unified::sections(&lines)?,
    };
    // What is not read is not done, and half a patch is none.
    let is_more = |rest: &&Rest| {
        is_mark(&lines, rest.line) || (rest.may_be_signed && is_signed(lines[rest.line]))
    };
    match read.rest.iter().find(is_more) {
        Some(rest) => Err(Error::at(
            rest.line,
            "this stands behind the end of the patch and would not be done: give one patch in one form, \
             with a space before each line that stays",
        )),
        None => joined(read.sections),
    }
}

/// Whether a line is a mark of any form.
fn is_mark(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    let is_git_alone = unified::is_of_git(line);
    let is_other = line.starts_with("@@") || line.starts_with("*** ");
    !is_git_alone && (form_at(lines, at).is_some() || is_other)
}

fn is_signed(line: &str) -> bool {
    line.starts_with(['+', '-'])
}

/// How a patch is written.
enum Form {
    Envelope,
    Blocks,
    Unified,
}

fn form_at(lines: &[&str], at: usize) -> Option<Form> {
    let line = lines[at];
    if envelope::is_mark(line) {
        Some(Form::Envelope)
    } else if blocks::is_start(line) {
        Some(Form::Blocks)
    } else if unified::is_of_git(line) || unified::is_header(lines, at) {
        Some(Form::Unified)
    } else {
        None
    }
}

/// The parts of one file together.
fn joined(sections: Vec<Section<'_>>) -> Result<Vec<FilePatch<'_>>, Error> {
    let mut files: Vec<FilePatch<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for Section { line, path, body } in sections {
        if path.is_empty() {
            return Err(Error::at(line, "the file's name is missing"));
        }
        if path.starts_with('"') {
            return Err(Error::at(
                line,
                "a file's name stands in quotes: write it as it is",
            ));
        }
        let place = *places.entry(path).or_insert(files.len());
        let known = files.get_mut(place);
        match (known.map(|file| &mut file.change), body) {
            (None, Body::New(content)) => files.push(FilePatch {
                path,
                change: Change::New(content),
            }),
            (None, Body::Hunks(hunks)) => files.push(FilePatch {
                path,
                change: Change::Edit(hunks),
            }),
            (Some(Change::Edit(known)), Body::Hunks(hunks)) => known.extend(hunks),
            (Some(_), _) => {
                return Err(Error::at(
                    line,
                    format!("`{path}` is made and changed by one patch; give its content once"),
                ));
            }
        }
    }
    let is_empty =
        |file: &&FilePatch<'_>| matches!(&file.change, Change::Edit(hunks) if hunks.is_empty());
    match files.iter().find(is_empty) {
        Some(file) => Err(Error::NoChange {
            path: file.path.to_owned(),
        }),
        None => Ok(files),
    }
}

#[cfg(test)]
mod tests;
