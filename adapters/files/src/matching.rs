//! Finding the text an edit names: to the letter, in whichever Unicode form it is stored, else
//! whole lines that differ only in white space at their ends, else as it is typed where the file is
//! typeset. Where that leaves a doubt, nothing is replaced.

use crate::context::Leash;
use crate::form::with_line_ends_of;
use crate::occurrences::{Places, occurrences};
use crate::reindent::Indentation;
use crate::spelling::{in_form_of, places_that_read_as, reading_of};
use crate::typography::{has_words, is_whole, places_as_typed, typeset_as};
use api::executor::ToolFailure;
use domain::limits::FILE_WRITE_BYTES;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use text::cap::first_words;

/// A file's content after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) content: String,
    /// Numbers of the lines where replaced text began, before the edit, from 1.
    pub(crate) lines: Vec<u64>,
    pub(crate) fit: Fit,
}

/// How the text that an edit names is like the one in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// To the letter.
    Exact,
    /// But for white space at the ends of its lines.
    Lines,
    /// But for typesetting, in so many places: quotation marks, dashes, kinds of spaces.
    Typed { places: usize },
}

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The text is not there; the line most like its first one, if any is.
    NotFound { nearest: Option<(u64, String)> },
    /// It is there more than once, beginning at these lines.
    Ambiguous { lines: Vec<u64> },
    /// It is there, but so differently indented that the new text has no clear indentation. The
    /// lines as they stand in the file.
    IndentUnclear { line: u64, text: String },
    /// Nothing would change.
    NoChange,
    /// The file would have more than these bytes.
    TooLarge { bytes: usize },
    /// The search was stopped.
    Stopped(ToolFailure),
}

impl From<ToolFailure> for Miss {
    fn from(failure: ToolFailure) -> Self {
        Self::Stopped(failure)
    }
}

/// Lines compared for the nearest one, and characters of each.
const NEAREST_LINES: usize = 20_000;
const NEAREST_CHARS: usize = 200;
/// Least likeness of a line worth showing, of 1.
const NEAREST_LIKENESS: f64 = 0.5;

/// Replaces `old` by `new`: its one occurrence, or with `all` every one. Takes a time that grows with
/// the texts and no faster, and none once the leash is pulled.
pub(crate) fn edit(
    content: &str,
    old: &str,
    new: &str,
    all: bool,
    leash: &Leash,
) -> Result<Edited, Miss> {
    if old.is_empty() {
        return Err(Miss::NotFound { nearest: None });
    }
    // A text has a place in a file of either line ends.
    let old = &with_line_ends_of(content, old);
    let exact = exact_places(content, old, all, leash)?;
    let edited = match exact.is_empty() {
        true => loosely(content, old, new, all, leash)?,
        false => {
            // Everywhere is also where it is set in other marks.
            let places = match all && has_words(old) {
                true => with_typeset(content, old, &exact, leash)?,
                false => exact.clone(),
            };
            let (places, exact) = (&places, &exact);
            replaced(content, new, all, Found { places, exact }, leash)?
        }
    };
    if edited.content == content {
        return Err(Miss::NoChange);
    }
    Ok(edited)
}

fn exact_places(
    content: &str,
    old: &str,
    all: bool,
    leash: &Leash,
) -> Result<Vec<Range<usize>>, ToolFailure> {
    if !old.is_ascii() {
        let places = places_that_read_as(content, old, Places::new(all), leash)?;
        if !places.is_empty() {
            return Ok(places);
        }
    }
    let mut places = Places::new(all);
    occurrences(content.bytes(), old.as_bytes(), leash, |at| {
        let place = at..at + old.len();
        match is_whole(content, &place) {
            true => places.take(place),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(places.found)
}

/// These places, and those where a text is set in other marks.
fn with_typeset(
    content: &str,
    old: &str,
    exact: &[Range<usize>],
    leash: &Leash,
) -> Result<Vec<Range<usize>>, ToolFailure> {
    let mut typeset = places_as_typed(content, old, Places::new(true), leash)?;
    typeset.retain(|place| {
        let next = exact.partition_point(|exact| exact.end <= place.start);
        exact.get(next).is_none_or(|exact| exact.start >= place.end)
    });
    typeset.extend_from_slice(exact);
    typeset.sort_by_key(|place| place.start);
    Ok(typeset)
}

/// By lines, else as it is typed.
fn loosely(content: &str, old: &str, new: &str, all: bool, leash: &Leash) -> Result<Edited, Miss> {
    let missed = match by_lines(content, old, new, all, leash) {
        Err(missed @ Miss::NotFound { .. }) => missed,
        found => return found,
    };
    let places = places_as_typed(content, old, Places::new(all), leash)?;
    match places.is_empty() {
        true => Err(missed),
        false => {
            let places = Found {
                places: &places,
                exact: &[],
            };
            replaced(content, new, all, places, leash)
        }
    }
}

/// Where a text was found.
struct Found<'a> {
    places: &'a [Range<usize>],
    /// Those where it stands to the letter.
    exact: &'a [Range<usize>],
}

fn replaced(
    content: &str,
    new: &str,
    all: bool,
    found: Found<'_>,
    leash: &Leash,
) -> Result<Edited, Miss> {
    let Found { places, exact } = found;
    let newlines: Vec<usize> = content.match_indices('\n').map(|(at, _)| at).collect();
    let line_of = |at: usize| newlines.partition_point(|newline| *newline < at) as u64 + 1;
    if places.len() > 1 && !all {
        let lines = places.iter().map(|place| line_of(place.start)).collect();
        return Err(Miss::Ambiguous { lines });
    }
    let new = with_line_ends_of(content, new);
    let mut out = String::with_capacity(content.len());
    let (mut copied, mut lines) = (0, Vec::new());
    for place in places {
        leash.check()?;
        out.push_str(&content[copied..place.start]);
        let stored = &content[place.clone()];
        out.push_str(
            &match exact.binary_search_by_key(&place.start, |exact| exact.start) {
                Ok(_) => in_form_of(stored, &new),
                Err(_) => typeset_as(stored, &new),
            },
        );
        within_limit(&out)?;
        copied = place.end;
        lines.push(line_of(place.start));
    }
    out.push_str(&content[copied..]);
    let fit = match places.len() - exact.len() {
        0 => Fit::Exact,
        places => Fit::Typed { places },
    };
    Ok(Edited {
        content: out,
        lines,
        fit,
    })
}

/// Text that grows with every place comes to an end.
const fn within_limit(out: &str) -> Result<(), Miss> {
    match out.len() > FILE_WRITE_BYTES {
        true => Err(Miss::TooLarge { bytes: out.len() }),
        false => Ok(()),
    }
}

/// A line of the file: its text without the line end, and where it lies.
struct Line<'a> {
    text: &'a str,
    start: usize,
    /// After its line end.
    end: usize,
}

fn lines_of(content: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let pieces = content.split_inclusive('\n').map(|piece| {
        let line = Line {
            text: piece.trim_end_matches(['\n', '\r']),
            start,
            end: start + piece.len(),
        };
        start = line.end;
        line
    });
    pieces.collect()
}

/// The lines of a text without the blank ones around it.
fn inner_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end_matches('\r'))
        .collect();
    let first = lines.iter().position(|line| !line.trim().is_empty());
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    match (first, last) {
        (Some(first), Some(last)) => lines[first..=last].to_vec(),
        _ => Vec::new(),
    }
}

/// Where the wanted lines are in the file, by the numbers of their first lines from 0.
fn line_places(
    file: &[Line<'_>],
    wanted: &[&str],
    all: bool,
    leash: &Leash,
) -> Result<Vec<usize>, ToolFailure> {
    let mut known = HashMap::new();
    let wanted: Vec<Option<usize>> = wanted
        .iter()
        .map(|line| {
            let next = known.len();
            Some(*known.entry(reading_of(line.trim())).or_insert(next))
        })
        .collect();
    let lines = file.iter().map(|line| {
        let known = known.get(&reading_of(line.text.trim()));
        known.copied()
    });
    let mut places = Places::new(all);
    occurrences(lines, &wanted, leash, |at| {
        places.take(at..at + wanted.len())
    })?;
    Ok(places.found.into_iter().map(|place| place.start).collect())
}

/// Replaces whole lines that differ at most in white space at their ends, without the blank ones around
/// them.
pub(crate) fn by_lines(
    content: &str,
    old: &str,
    new: &str,
    all: bool,
    leash: &Leash,
) -> Result<Edited, Miss> {
    let file = lines_of(content);
    let wanted = inner_lines(old);
    let Some(first) = wanted.first() else {
        return Err(Miss::NotFound { nearest: None });
    };
    let places = line_places(&file, &wanted, all, leash)?;
    if places.is_empty() {
        let nearest = nearest(&file, first);
        return Err(Miss::NotFound { nearest });
    }
    if places.len() > 1 && !all {
        let lines = places.iter().map(|at| *at as u64 + 1).collect();
        return Err(Miss::Ambiguous { lines });
    }
    let replacement = inner_lines(new);
    let indentation = Indentation::new(&wanted);
    let end_of_line = if content.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let (mut out, mut copied, mut lines) = (String::new(), 0, Vec::new());
    for at in places {
        let window = &file[at..at + wanted.len()];
        let (start, end) = (window[0].start, window[window.len() - 1].end);
        let real: Vec<&str> = window.iter().map(|line| line.text).collect();
        let Some(indented) = indentation.of(&real, &replacement, leash)? else {
            let text = content[start..end]
                .trim_end_matches(['\n', '\r'])
                .to_owned();
            return Err(Miss::IndentUnclear {
                line: at as u64 + 1,
                text,
            });
        };
        out.push_str(&content[copied..start]);
        out.push_str(&indented.join(end_of_line));
        if !indented.is_empty() && content[start..end].ends_with('\n') {
            out.push_str(end_of_line);
        }
        within_limit(&out)?;
        copied = end;
        lines.push(at as u64 + 1);
    }
    out.push_str(&content[copied..]);
    Ok(Edited {
        content: out,
        lines,
        fit: Fit::Lines,
    })
}

fn nearest(file: &[Line<'_>], text: &str) -> Option<(u64, String)> {
    let wanted = pairs_of(text);
    let mut best: Option<(f64, usize)> = None;
    for (at, line) in file.iter().enumerate().take(NEAREST_LINES) {
        let likeness = likeness(&wanted, &pairs_of(line.text));
        if likeness >= NEAREST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, at));
        }
    }
    best.map(|(_, at)| (at as u64 + 1, where_it_differs(file[at].text, text)))
}

/// A line, or of a long one the words around the first place where it is not as it was given.
fn where_it_differs(line: &str, given: &str) -> String {
    let count = line.chars().count();
    if count <= NEAREST_CHARS {
        return line.to_owned();
    }
    let letters = line.chars().zip(given.chars());
    let same = letters.take_while(|(ours, theirs)| ours == theirs).count();
    let from = same.saturating_sub(NEAREST_CHARS / 2);
    let from = from.min(count - NEAREST_CHARS);
    let rest: String = line.chars().skip(from).collect();
    match rest.split_once(' ').filter(|_| from > 0) {
        Some((_, words)) => format!("… {}", first_words(words, NEAREST_CHARS)),
        None => first_words(&rest, NEAREST_CHARS),
    }
}

/// Neighbouring letters of a line, sorted.
fn pairs_of(line: &str) -> Vec<(char, char)> {
    let letters: Vec<char> = line.trim().chars().take(NEAREST_CHARS).collect();
    let mut pairs: Vec<(char, char)> = letters.windows(2).map(|w| (w[0], w[1])).collect();
    pairs.sort_unstable();
    pairs
}

/// Twice the pairs in common over all pairs (the Sørensen–Dice coefficient), 0 to 1.
fn likeness(one: &[(char, char)], two: &[(char, char)]) -> f64 {
    let (mut left, mut right, mut common) = (0, 0, 0_usize);
    while left < one.len() && right < two.len() {
        match one[left].cmp(&two[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                (left, right, common) = (left + 1, right + 1, common + 1);
            }
        }
    }
    match one.len() + two.len() {
        0 => 0.0,
        all => 2.0 * common as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests;
