//! The envelope of `*** Begin Patch`.

use crate::error::{Error, NO_DELETION, NO_RENAME};
use crate::hunk::{Read, Rest, Section, added, hunks};

const UPDATE: &str = "*** Update File:";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
/// Says that a hunk stands at the end of its file: its lines tell that themselves.
const END_OF_FILE: &str = "*** End of File";

/// Whether a line belongs to this form alone.
pub(crate) fn is_mark(line: &str) -> bool {
    [BEGIN, UPDATE, ADD, DELETE]
        .iter()
        .any(|mark| line.starts_with(mark))
}

pub(crate) fn sections<'a>(lines: &[&'a str]) -> Result<Read<'a>, Error> {
    let ends = |line: &&str| line.starts_with(END) || line.starts_with("```");
    let begin = lines.iter().position(|line| is_mark(line)).unwrap_or(0);
    let end = lines.iter().skip(begin).position(ends);
    let end = end.map_or(lines.len(), |end| begin + end);
    let is_fence = lines.get(end).is_some_and(|line| line.starts_with("```"));
    let rest = (end + 1..lines.len()).map(|line| Rest {
        line,
        may_be_signed: is_fence,
    });
    let rest = rest.collect();
    let lines = &lines[..end];
    for (mark, why) in [(DELETE, NO_DELETION), (MOVE, NO_RENAME)] {
        if let Some(at) = lines.iter().position(|line| line.starts_with(mark)) {
            return Err(Error::at(at, why));
        }
    }
    let is_head = |line: &str| line.starts_with(UPDATE) || line.starts_with(ADD);
    let heads: Vec<usize> = (begin..end).filter(|at| is_head(lines[*at])).collect();
    if heads.is_empty() {
        return Err(Error::at(
            begin,
            "no file is named: write `*** Update File: PATH`",
        ));
    }
    let mut sections = Vec::with_capacity(heads.len());
    for (index, head) in heads.iter().enumerate() {
        let end = heads.get(index + 1).copied().unwrap_or(lines.len());
        let frames = |line: &str| line.starts_with(BEGIN) || line.starts_with(END_OF_FILE);
        let body = (*head + 1..end).map(|at| (at, lines[at]));
        let body = body.filter(|(_, line)| !frames(line));
        let line = lines[*head];
        let (path, body) = match line.strip_prefix(ADD) {
            Some(path) => (path, added(body)?),
            None => (&line[UPDATE.len()..], hunks(body)?),
        };
        sections.push(Section {
            line: *head,
            path: path.trim(),
            body,
        });
    }
    Ok(Read { sections, rest })
}
