//! Blocks of search and replace, each under the name of its file.

use crate::error::Error;
use crate::hunk::{Body, Hunk, Read, Rest, Section};

/// Fewest signs of a mark.
const SIGNS: usize = 5;

/// How many signs a mark has, if a line is one: signs, and behind them this word or nothing else.
fn signs(line: &str, sign: char, word: &str) -> Option<usize> {
    let rest = line.trim_start_matches(sign);
    let count = line.len() - rest.len();
    (count >= SIGNS && rest.trim() == word).then_some(count)
}

/// Whether a block begins at a line.
pub(crate) fn is_start(line: &str) -> bool {
    signs(line, '<', "SEARCH").is_some()
}

/// The lines of a block's marks.
struct Marks {
    start: usize,
    middle: usize,
    end: usize,
}

/// The marks of the block that starts at a line. They have as many signs as the first, so that what is
/// underlined in a text is no mark; where two lines could be the one in the middle, no one knows which.
fn marks(lines: &[&str], start: usize, count: usize) -> Result<Marks, Error> {
    let is = |at: usize, sign: char, word: &str| signs(lines[at], sign, word) == Some(count);
    let end = (start + 1..lines.len())
        .take_while(|at| !is_start(lines[*at]))
        .find(|at| is(*at, '>', "REPLACE"));
    let end = end.ok_or_else(|| {
        let mark = ">".repeat(count);
        Error::at(start, format!("the block has no line of `{mark} REPLACE`"))
    })?;
    let mut middles = (start + 1..end).filter(|at| is(*at, '=', ""));
    let mark = "=".repeat(count);
    match (middles.next(), middles.next()) {
        (Some(middle), None) => Ok(Marks { start, middle, end }),
        (None, _) => Err(Error::at(
            start,
            format!("the block has no line of `{mark}`"),
        )),
        (Some(_), Some(second)) => Err(Error::at(
            second,
            format!(
                "a second line of `{mark}` in one block: write this part as a unified diff, or with \
                 another number of signs in all three marks"
            ),
        )),
    }
}

pub(crate) fn sections<'a>(lines: &[&'a str]) -> Result<Read<'a>, Error> {
    let mut rest: Vec<Rest> = Vec::new();
    let mut sections: Vec<Section<'a>> = Vec::new();
    let (mut at, mut before) = (0, 0);
    while at < lines.len() {
        let Some(count) = signs(lines[at], '<', "SEARCH") else {
            rest.push(Rest {
                line: at,
                may_be_signed: false,
            });
            at += 1;
            continue;
        };
        let Marks { start, middle, end } = marks(lines, at, count)?;
        let named = lines[before..start]
            .iter()
            .rev()
            .find_map(|line| name(line));
        let path = named.or_else(|| sections.last().map(|section| section.path));
        let path = path.ok_or_else(|| {
            Error::at(
                start,
                "a file's name is missing on the line above the block",
            )
        })?;
        let is_new = lines[start + 1..middle]
            .iter()
            .all(|line| line.trim().is_empty());
        if is_new && path.contains(char::is_whitespace) && !path.contains(['.', '/']) {
            return Err(Error::at(
                start,
                "the line above the block is no name of a new file",
            ));
        }
        let hunk = Hunk {
            old: whole(&lines[start + 1..middle]),
            new: whole(&lines[middle + 1..end]),
        };
        let body = match (hunk.old.trim().is_empty(), hunk.old == hunk.new) {
            (true, _) => Body::New(hunk.new),
            (false, true) => Body::Hunks(Vec::new()),
            (false, false) => Body::Hunks(vec![hunk]),
        };
        sections.push(Section {
            line: start,
            path,
            body,
        });
        at = end + 1;
        before = at;
    }
    Ok(Read { sections, rest })
}

/// The name of a file on a line of its own, without what Markdown puts around it.
fn name(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_fence = line.starts_with("```");
    let name = line.trim_start_matches('#').trim();
    let name = name.trim_matches(['`', '*']).trim_end_matches(':');
    let name = name.trim_matches(['`', '*']);
    (!is_fence && !name.is_empty()).then_some(name)
}

fn whole(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}
