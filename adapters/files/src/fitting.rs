//! Where the lines of a patch fit in a text: whole lines, to the letter, else but for white space at
//! their ends. In doubt nothing fits.

use crate::context::Leash;
use crate::form::with_line_ends_of;
use crate::matching::{self, Miss};
use crate::occurrences::{Places, occurrences};
use patch::Hunk;

/// Stands before the first line of some files, and is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text after the hunks of a patch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fitted {
    pub(crate) content: String,
    /// How many of them fitted but for white space alone.
    pub(crate) loose: usize,
}

/// A text after the hunks of a patch, one after the other; else the number of the hunk that does not fit,
/// from 1, and why.
pub(crate) fn apply(content: &str, hunks: &[Hunk], leash: &Leash) -> Result<Fitted, (usize, Miss)> {
    let body = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
    let mark = &content[..content.len() - body.len()];
    // A last line without an end is a line like the others, and stays without.
    let is_open = !body.is_empty() && !body.ends_with('\n');
    let mut text = match is_open {
        true => format!("{body}{}", with_line_ends_of(body, "\n")),
        false => body.to_owned(),
    };
    let mut loose = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let (after, is_loose) = one(&text, hunk, leash).map_err(|miss| (index + 1, miss))?;
        text = after;
        loose += usize::from(is_loose);
    }
    if is_open {
        let without = text
            .strip_suffix("\r\n")
            .or_else(|| text.strip_suffix('\n'));
        let end = without.map_or(text.len(), str::len);
        text.truncate(end);
    }
    let content = format!("{mark}{text}");
    Ok(Fitted { content, loose })
}

/// A text after one hunk, and whether it fitted but for white space.
fn one(text: &str, hunk: &Hunk, leash: &Leash) -> Result<(String, bool), Miss> {
    let old = with_line_ends_of(text, &hunk.old);
    let new = with_line_ends_of(text, &hunk.new);
    match line_places(text, &old, leash)?.as_slice() {
        [at] => {
            let (before, rest) = text.split_at(*at);
            Ok((format!("{before}{new}{}", &rest[old.len()..]), false))
        }
        // Blank lines around it are no part of a loose fit, so a change of those would be lost.
        [] if blank_ends(&hunk.old) != blank_ends(&hunk.new) => {
            Err(Miss::NotFound { nearest: None })
        }
        [] => {
            let edited = matching::by_lines(text, &old, &new, false, leash)?;
            match edited.content == text {
                true => Err(Miss::NoChange),
                false => Ok((edited.content, true)),
            }
        }
        many => Err(Miss::Ambiguous {
            lines: many.iter().map(|at| line_of(text, *at)).collect(),
        }),
    }
}

/// Where these lines stand, each time that they begin at a line, also where two of them overlap.
fn line_places(text: &str, lines: &str, leash: &Leash) -> Result<Vec<usize>, Miss> {
    let mut places = Places::new(false);
    // A line begins after the end of the one before it, and the first after nothing.
    let wanted: Vec<u8> = std::iter::once(b'\n').chain(lines.bytes()).collect();
    let text = std::iter::once(b'\n').chain(text.bytes());
    occurrences(text, &wanted, leash, |at| places.take(at..at + lines.len()))?;
    Ok(places.found.into_iter().map(|place| place.start).collect())
}

/// How many blank lines a text begins and ends with.
fn blank_ends(text: &str) -> (usize, usize) {
    let is_blank = |line: &&str| line.trim().is_empty();
    let first = text.lines().take_while(is_blank).count();
    let last = text.lines().rev().take_while(is_blank).count();
    (first, last)
}

fn line_of(text: &str, at: usize) -> u64 {
    text[..at].matches('\n').count() as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StopFlag;
    use std::time::Duration;

    fn leash(time: Duration) -> Leash {
        Leash::new(StopFlag::default(), time, None)
    }

    fn fit(content: &str, hunks: &[(&str, &str)]) -> Result<Fitted, (usize, Miss)> {
        let hunks: Vec<Hunk> = hunks
            .iter()
            .map(|(old, new)| Hunk {
                old: (*old).to_owned(),
                new: (*new).to_owned(),
            })
            .collect();
        apply(content, &hunks, &leash(Duration::from_secs(600)))
    }

    fn fitted(content: &str, hunks: &[(&str, &str)]) -> (String, usize) {
        let Fitted { content, loose } = fit(content, hunks).unwrap();
        (content, loose)
    }

    #[test]
    fn whole_lines_are_replaced_to_the_letter() {
        for (content, old, new, wanted) in [
            ("a\nb\nc\n", "b\n", "x\ny\n", "a\nx\ny\nc\n"),
            ("a\nb\n", "a\n", "", "b\n"),
            ("ab\nb\n", "b\n", "x\n", "ab\nx\n"),
            ("a\nb", "b\n", "x\n", "a\nx"),
            ("a\nb", "b\n", "", "a"),
            ("a\r\nb\r\n", "b\n", "x\ny\n", "a\r\nx\r\ny\r\n"),
            ("a\r\nb", "b\n", "x\n", "a\r\nx"),
            ("\u{feff}a\nb\n", "a\n", "x\n", "\u{feff}x\nb\n"),
            ("a  \nb\n", "a  \n", "a\n", "a\nb\n"),
        ] {
            let found = fitted(content, &[(old, new)]);
            assert_eq!(found, (wanted.to_owned(), 0), "{content:?} {old:?}");
        }
    }

    #[test]
    fn hunks_build_on_one_another() {
        let two = [("a\n", "b\nb2\n"), ("b2\nc\n", "d\n")];
        assert_eq!(fitted("a\nc\n", &two), ("b\nd\n".to_owned(), 0));
    }

    #[test]
    fn white_space_at_the_ends_of_lines_may_differ() {
        let content = "fn f() {\n    if x {\n        go();\n    }\n}\n";
        let (new, loose) = fitted(content, &[("if x {\n    go();\n", "if y {\n    go();\n")]);
        assert_eq!(new, content.replace("if x", "if y"));
        assert_eq!(loose, 1);
        let mixed = fitted("a\r\nb\nc\r\n", &[("a\nb\n", "x\n")]);
        assert_eq!(mixed, ("x\r\nc\r\n".to_owned(), 1));
    }

    #[test]
    fn in_doubt_nothing_fits() {
        let lines = |content, old| match fit(content, &[(old, "x\n")]) {
            Err((1, Miss::Ambiguous { lines })) => lines,
            other => panic!("{other:?}"),
        };
        assert_eq!(lines("b\na\nb\n", "b\n"), [1, 3]);
        assert_eq!(lines("a\na\na\n", "a\na\n"), [1, 2]);
        assert_eq!(lines(" b\na\n\tb\n", "b\n"), [1, 3]);
        for (content, old, new) in [
            // Within a line, and a blank line that a loose fit would not take away.
            ("xb\n", "b\n", "c\n"),
            ("a  \n\nb\n", "a\n\n", "a\n"),
            ("a\n", "b\n", "c\n"),
        ] {
            let miss = fit(content, &[(old, new)]);
            assert!(
                matches!(miss, Err((1, Miss::NotFound { .. }))),
                "{content:?} {miss:?}"
            );
        }
        let second = fit("a\nb\n", &[("a\n", "x\n"), ("q\n", "r\n")]);
        assert!(matches!(second, Err((2, Miss::NotFound { .. }))));
    }

    #[test]
    fn a_search_ends_when_it_is_stopped() {
        let hunk = Hunk {
            old: "a\n".to_owned(),
            new: String::new(),
        };
        let miss = apply("a\n", &[hunk], &leash(Duration::ZERO));
        assert!(matches!(miss, Err((1, Miss::Stopped(_)))), "{miss:?}");
    }
}
