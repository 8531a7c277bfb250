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
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::time::Duration;

    /// With a leash that nobody pulls.
    fn edit(content: &str, old: &str, new: &str, all: bool) -> Result<Edited, Miss> {
        let leash = Leash::new(StopFlag::default(), Duration::from_secs(600), None);
        super::edit(content, old, new, all, &leash)
    }

    fn edited(content: &str, old: &str, new: &str, all: bool) -> (String, bool) {
        let edited = edit(content, old, new, all).unwrap();
        (edited.content, edited.fit == Fit::Exact)
    }

    #[test]
    fn exact_text_is_replaced_once_or_everywhere() {
        assert_eq!(edited("a b c", "b", "x", false), ("a x c".to_owned(), true));
        assert_eq!(edited("b b", "b", "x", true), ("x x".to_owned(), true));
        assert_eq!(edited("aaa", "aa", "b", true), ("ba".to_owned(), true));
        assert_eq!(
            edited("x = 1\ny\n", "x = 1\n", "", false),
            ("y\n".to_owned(), true)
        );
        let lines = edit("b\n\nb", "b", "x", true).unwrap().lines;
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn two_places_are_a_doubt_even_when_they_overlap() {
        let lines = |content, old| match edit(content, old, "x", false) {
            Err(Miss::Ambiguous { lines }) => lines,
            other => panic!("{other:?}"),
        };
        assert_eq!(lines("b\na\nb", "b"), [1, 3]);
        assert_eq!(lines("aaa", "aa"), [1, 1]);
        assert_eq!(lines("  b\na\n\tb", "b "), [1, 3]);
    }

    #[test]
    fn white_space_at_line_ends_does_not_matter_and_indentation_is_kept() {
        let content = "fn f() {\n    if x {\n        go();\n    }\n}\n";
        let (new, exact) = edited(
            content,
            "if x {\n    go();\n}",
            "if y {\n    stop();\n    if z {\n        go();\n    }\n}",
            false,
        );
        assert!(!exact);
        assert_eq!(
            new,
            "fn f() {\n    if y {\n        stop();\n        if z {\n            go();\n        \
             }\n    }\n}\n"
        );
        let (new, _) = edited(
            "  if x:\n    a()\n    b()\n",
            "if x:\na()\nb()",
            "if x:\nb()",
            true,
        );
        assert_eq!(new, "  if x:\n    b()\n");
        let tabs = "\tif x:  \n\t\tgo()\n";
        let (new, _) = edited(
            tabs,
            "if x:\n    go()",
            "if y:\n    go()\n    stop()",
            false,
        );
        assert_eq!(new, "\tif y:\n\t\tgo()\n\t\tstop()\n");
        let (new, _) = edited(
            "    a\n    b\n",
            "        a\n        b",
            "    z\n        a",
            false,
        );
        assert_eq!(new, "z\n    a\n");
        let (new, _) = edited("x\n  a  \n  b\ny\n", "\na\nb\n\n", "c", false);
        assert_eq!(new, "x\n  c\ny\n");
        let (new, _) = edited("x\n  a  \ny", "\ta", "", false);
        assert_eq!(new, "x\ny");
    }

    #[test]
    fn line_ends_of_the_file_are_kept() {
        assert_eq!(
            edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny", false).0,
            "x\r\ny\r\nc\r\n"
        );
        assert_eq!(
            edited("a\r\nb\r\n", "a", "x\ny", false).0,
            "x\r\ny\r\nb\r\n"
        );
        assert_eq!(edited("a\r\nb\n", "a", "x\ny", false).0, "x\ny\r\nb\n");
        assert_eq!(edited("a\nb", "a\r\nb", "x\r\ny", false).0, "x\ny");
        let within = edited("one a\r\nb two\r\n", "a\nb", "x\ny", false);
        assert_eq!(within, ("one x\r\ny two\r\n".to_owned(), true));
        let mixed = edited("one a\r\nb two\nc\n", "a\nb", "x", false).0;
        assert_eq!(mixed, "one x two\nc\n");
    }

    #[test]
    fn typeset_text_is_found_as_it_is_typed() {
        let content = "It\u{2019}s\u{a0}5 \u{2013} no, don\u{2019}t.\n";
        let edited = edit(content, "5 - no, don't", "6 - no, don't", false).unwrap();
        assert_eq!(edited.fit, Fit::Typed { places: 1 });
        assert_eq!(
            edited.content,
            "It\u{2019}s\u{a0}6 \u{2013} no, don\u{2019}t.\n"
        );
        // To the letter comes first, and a doubt stays one.
        let mixed = "don't don\u{2019}t\n";
        assert_eq!(edit(mixed, "don't", "do", false).unwrap().fit, Fit::Exact);
        let doubt = edit("a\u{2019}b a\u{2018}b", "a'b", "c", false);
        assert_eq!(doubt, Err(Miss::Ambiguous { lines: vec![1, 1] }));
        let all = edit("a\u{2019}b a\u{2018}b", "a'b", "c", true).unwrap();
        assert_eq!(all.content, "c c");
        let every = edit(mixed, "don't", "do", true).unwrap();
        assert_eq!(
            (every.content.as_str(), every.fit),
            ("do do\n", Fit::Typed { places: 1 })
        );
        // A mark alone is that mark.
        let marks = edit(mixed, "'", "\u{2019}", true).unwrap();
        assert_eq!((marks.lines.len(), marks.fit), (1, Fit::Exact));
        let soft = edit("Leucht\u{ad}turm\n", "Leuchtturm", "Turm", false).unwrap();
        assert_eq!(soft.content, "Turm\n");
    }

    #[test]
    fn an_edit_parts_no_letter_from_its_accent() {
        let is_missed = |content: &str, old: &str| {
            let missed = edit(content, old, "Bar", false);
            matches!(missed, Err(Miss::NotFound { .. }))
        };
        assert!(is_missed("Cafe\u{301}", "Cafe") && is_missed("e\u{301}", "\u{301}"));
        assert_eq!(
            edit("Cafe\u{301} Cafe", "Cafe", "Bar", true)
                .unwrap()
                .content,
            "Cafe\u{301} Bar"
        );
        assert!(is_missed("a\u{2019}e\u{301}", "a'e"));
    }

    #[test]
    fn what_is_unclear_is_not_guessed() {
        let left = edit("\ta\n", "    a  ", "  b", false);
        assert!(
            matches!(left, Err(Miss::IndentUnclear { line: 1, .. })),
            "{left:?}"
        );
        let content = "def f():\n    if x:\n        go()\n";
        let flat = edit(content, "if x:\ngo()", "if x:\ngo()\nstop()", false);
        assert!(
            matches!(flat, Err(Miss::IndentUnclear { line: 2, .. })),
            "{flat:?}"
        );
        let miss = edit("let value = 1;\n", "let valeu = 1;", "x", false);
        let nearest = Some((1, "let value = 1;".to_owned()));
        assert_eq!(miss, Err(Miss::NotFound { nearest }));
        assert_eq!(
            edit("abc", "zzz", "x", false),
            Err(Miss::NotFound { nearest: None })
        );
        assert_eq!(edit("abc", "b", "b", false), Err(Miss::NoChange));
        assert_eq!(
            edit("abc", " \n", "b", false),
            Err(Miss::NotFound { nearest: None })
        );
        assert_eq!(
            edit("a", "", "b", false),
            Err(Miss::NotFound { nearest: None })
        );
    }

    #[test]
    fn of_a_long_line_the_place_is_told_where_it_differs() {
        let long = "one two three ".repeat(40);
        let line = format!("{long}four {long}");
        let miss = edit(&line, &format!("{long}five"), "x", false);
        let Err(Miss::NotFound {
            nearest: Some((1, told)),
        }) = miss
        else {
            panic!("{miss:?}");
        };
        assert!(told.starts_with("… ") && told.ends_with('…'), "{told}");
        assert!(told.contains("three four one"), "{told}");
        assert!(told.chars().count() <= NEAREST_CHARS + 3, "{told}");
    }

    #[test]
    fn a_search_ends_when_it_is_stopped_or_grows_too_large() {
        let stopped = Leash::new(StopFlag::default(), Duration::ZERO, None);
        for (content, old) in [("a", "a"), ("\u{e9}", "\u{e9}"), (" a \n b", "a\nb")] {
            let miss = super::edit(content, old, "x", true, &stopped);
            assert!(matches!(miss, Err(Miss::Stopped(_))), "{miss:?}");
        }
        let new = "x".repeat(1 << 20);
        let miss = edit(&"a".repeat(100), "a", &new, true);
        assert!(matches!(miss, Err(Miss::TooLarge { .. })), "{miss:?}");
        let miss = edit(&"a \n".repeat(100), " a", &format!(" {new}"), true);
        assert!(matches!(miss, Err(Miss::TooLarge { .. })), "{miss:?}");
    }
}
