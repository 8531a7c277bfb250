//! One place of a file: its lines before, and after.

use crate::error::Error;

/// Whole lines that are replaced by others. Each side ends with a line end, or is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// As they stand in the file.
    pub old: String,
    /// What comes in their place.
    pub new: String,
}

impl Hunk {
    /// Takes in a line with its sign; `false` where it has none.
    fn push(&mut self, line: &str) -> bool {
        let (sign, rest) = match line.chars().next() {
            // An empty line of context, whose space was lost.
            None => (' ', ""),
            Some(sign) => (sign, &line[sign.len_utf8()..]),
        };
        let (in_old, in_new) = match sign {
            ' ' => (true, true),
            '-' => (true, false),
            '+' => (false, true),
            _ => return false,
        };
        for (side, is_in) in [(&mut self.old, in_old), (&mut self.new, in_new)] {
            if is_in {
                side.push_str(rest);
                side.push('\n');
            }
        }
        true
    }
}

/// What a part of a patch says of its file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    New(String),
    Hunks(Vec<Hunk>),
}

/// What one part of a patch says of a file.
pub(crate) struct Section<'a> {
    /// The line that names it, from 0.
    pub(crate) line: usize,
    pub(crate) path: &'a str,
    pub(crate) body: Body,
}

/// What was read of a patch.
pub(crate) struct Read<'a> {
    pub(crate) sections: Vec<Section<'a>>,
    /// Lines that belong to no part.
    pub(crate) rest: Vec<Rest>,
}

/// A line that belongs to no part of a patch.
pub(crate) struct Rest {
    pub(crate) line: usize,
    /// Whether it may be one of a change that was cut off there.
    pub(crate) may_be_signed: bool,
}

/// Begins a line that says of the one before it that it has no line end.
const NO_END: &str = "\\ ";

/// The hunks of signed lines: each begins at a line of `@@`. Lines are given with their number, from 0.
/// Whether a file's last line has an end is not for a patch to say: it stays as it is.
pub(crate) fn hunks<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Body, Error> {
    let mut hunks: Vec<(usize, Hunk)> = Vec::new();
    for (at, line) in lines {
        if line.starts_with("@@") {
            hunks.push((at, Hunk::default()));
            continue;
        }
        if line.starts_with(NO_END) {
            continue;
        }
        if hunks.is_empty() {
            if line.trim().is_empty() {
                continue;
            }
            hunks.push((at, Hunk::default()));
        }
        let is_signed = hunks.last_mut().is_some_and(|(_, hunk)| hunk.push(line));
        if !is_signed {
            return Err(Error::at(
                at,
                "a line of a change begins with a space (as it stands), `-` (removed) or `+` (added)",
            ));
        }
    }
    let mut found = Vec::new();
    for (at, hunk) in hunks {
        let hunk = without_blank_ends(hunk);
        if hunk.old == hunk.new {
            continue;
        }
        if hunk.old.trim().is_empty() {
            return Err(Error::at(
                at,
                "lines are added, and none says where: give a line of the file before or after them, \
                 with a space in front",
            ));
        }
        found.push(hunk);
    }
    Ok(Body::Hunks(found))
}

/// Blank lines between one file's part and the next are no part of the file.
fn without_blank_ends(mut hunk: Hunk) -> Hunk {
    while hunk.old.ends_with("\n\n") && hunk.new.ends_with("\n\n") {
        hunk.old.pop();
        hunk.new.pop();
    }
    hunk
}

/// The content of a new file, of lines with a plus in front.
pub(crate) fn added<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Body, Error> {
    let mut content = String::new();
    for (at, line) in lines {
        if line.starts_with(NO_END) {
            content.pop();
            continue;
        }
        match line.strip_prefix('+') {
            Some(rest) => {
                content.push_str(rest);
                content.push('\n');
            }
            None if line.starts_with("@@") || line.trim().is_empty() => {}
            None => {
                return Err(Error::at(at, "each line of a new file begins with `+`"));
            }
        }
    }
    Ok(Body::New(content))
}
