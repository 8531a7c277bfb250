//! The unified diff.

use crate::error::{Error, NO_DELETION, NO_RENAME};
use crate::hunk::{Read, Rest, Section, added, hunks};

/// What stands between the parts of a diff of git and changes nothing by itself.
const NOTES: [&str; 3] = ["diff --git ", "index ", "new file mode 100644"];
/// What else may stand there, and why it is refused.
const REFUSED: [(&str, &str); 9] = [
    ("deleted file mode ", NO_DELETION),
    ("similarity index ", NO_RENAME),
    ("rename from ", NO_RENAME),
    ("rename to ", NO_RENAME),
    ("copy from ", "a patch copies no file; write the new one"),
    ("new file mode ", NO_MODE),
    ("old mode ", NO_MODE),
    ("new mode ", NO_MODE),
    ("Binary files ", "a patch changes text alone"),
];
const NO_MODE: &str = "a patch changes no file modes";
/// No file.
const NOTHING: &str = "/dev/null";

/// Whether a file's part begins at this line.
pub(crate) fn is_header(lines: &[&str], at: usize) -> bool {
    let starts = |at: usize, sign: &str| lines.get(at).is_some_and(|line| line.starts_with(sign));
    starts(at, "--- ") && starts(at + 1, "+++ ") && starts(at + 2, "@@")
}

/// Whether a file's part of git begins at this line, which may have no header: that of a rename.
pub(crate) fn is_of_git(line: &str) -> bool {
    line.starts_with(NOTES[0])
}

pub(crate) fn sections<'a>(lines: &[&'a str]) -> Result<Read<'a>, Error> {
    let heads: Vec<usize> = (0..lines.len())
        .filter(|at| is_header(lines, *at))
        .collect();
    let before = heads.first().copied().unwrap_or(lines.len());
    let of_git = (0..before).skip_while(|at| !is_of_git(lines[*at]));
    for at in of_git {
        refuse(at, lines[at])?;
    }
    let mut rest = Vec::new();
    let mut sections = Vec::with_capacity(heads.len());
    for (index, head) in heads.iter().enumerate() {
        let (old, new) = (name(lines[*head]), name(lines[*head + 1]));
        if new == NOTHING {
            return Err(Error::at(*head, NO_DELETION));
        }
        let end = heads.get(index + 1).copied().unwrap_or(lines.len());
        let is_fence = |line: &str| line.trim_end().starts_with("```");
        let body = (*head + 2..end).map(|at| (at, lines[at]));
        let body: Vec<_> = body.take_while(|(_, line)| !is_fence(line)).collect();
        let behind = head + 2 + body.len();
        rest.extend((behind..end).map(|line| Rest {
            line,
            may_be_signed: true,
        }));
        for (at, line) in lines.iter().enumerate().take(end).skip(head + 2) {
            refuse(at, line)?;
        }
        let is_note = |line: &str| NOTES.iter().any(|note| line.starts_with(note));
        let body = body.into_iter().filter(|(_, line)| !is_note(line));
        let has_sides = old == NOTHING || old.starts_with("a/");
        sections.push(Section {
            line: *head,
            path: match has_sides {
                true => new.strip_prefix("b/").unwrap_or(new),
                false => new,
            },
            body: match old == NOTHING {
                true => added(body)?,
                false => hunks(body)?,
            },
        });
    }
    match sections.is_empty() {
        true => Err(Error::Unknown),
        false => {
            has_parts(lines, &heads)?;
            Ok(Read { sections, rest })
        }
    }
}

/// Refuses a part of git that has no lines: that of an empty file, or of what a patch does not do.
fn has_parts(lines: &[&str], heads: &[usize]) -> Result<(), Error> {
    let of_git: Vec<usize> = (0..lines.len())
        .filter(|at| is_of_git(lines[*at]))
        .collect();
    for (index, at) in of_git.iter().enumerate() {
        let next = of_git.get(index + 1).copied().unwrap_or(lines.len());
        if !heads.iter().any(|head| (*at..next).contains(head)) {
            return Err(Error::at(
                *at,
                "this part changes no lines: an empty file is made by write_file",
            ));
        }
    }
    Ok(())
}

/// Refuses a line that would do what a patch may not. Every line of a hunk has a sign in front of it, so
/// none of a file's own is taken for one.
fn refuse(at: usize, line: &str) -> Result<(), Error> {
    let is_note = NOTES.iter().any(|note| line.starts_with(note));
    let mut refused = REFUSED.iter().filter(|_| !is_note);
    match refused.find(|(mark, _)| line.starts_with(mark)) {
        Some((_, why)) => Err(Error::at(at, *why)),
        None => Ok(()),
    }
}

/// A file's name behind its sign, without the time that some programs put there.
fn name(line: &str) -> &str {
    let rest = line[4..].split('\t').next().unwrap_or_default();
    rest.trim()
}
