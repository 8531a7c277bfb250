//! What of a block that is not whole yet can leave ahead of its end: rows of a paragraph and items of a
//! list that nothing more will change. What is drawn below stays a few rows, so that a terminal that is
//! made narrower moves none of it into its scrollback, where nothing takes it back.

use crate::markdown::{blocks, first_block};
use pulldown_cmark::Tag;
use std::ops::Range;

/// Rows of a block that stay below.
const KEPT: usize = 2;
/// How many rows are given back in search of a place where no emphasis or link is open.
const TRIES: usize = 4;

/// What a text goes on with that left before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GoesOn {
    /// Nothing: it begins a block.
    #[default]
    Nothing,
    /// A paragraph, in the midst of it.
    Paragraph,
    /// A list, with another item.
    List,
}

/// What stands before a text that goes on with a paragraph, while it is read: nothing that it begins with
/// is the mark of another block then.
pub const AMID: &str = "x ";

/// Where each block of a text stands that goes on with what left before.
pub fn blocks_after(text: &str, before: GoesOn) -> Vec<Range<usize>> {
    if before != GoesOn::Paragraph {
        return blocks(text);
    }
    let rest = text.trim_start();
    let blanks = text.len() - rest.len();
    let found = blocks(&format!("{AMID}{rest}")).into_iter();
    let place = |at: usize| (at + blanks).saturating_sub(AMID.len());
    found
        .map(|block| place(block.start)..place(block.end))
        .collect()
}

/// Where a text that is one block can be cut, and what the rest goes on with. `rows`: what a text comes
/// to on the screen.
pub fn cut(
    text: &str,
    before: GoesOn,
    rows: impl Fn(&str, GoesOn) -> Vec<String>,
) -> Option<(usize, GoesOn)> {
    if blocks_after(text, before).len() != 1 {
        return None;
    }
    let is_amid = before == GoesOn::Paragraph;
    if !is_amid && may_be_table(text) {
        return None;
    }
    let whole = rows(text, before);
    if whole.len() <= KEPT + 1 {
        return None;
    }
    let begins = first_block(text);
    if is_amid || matches!(begins, Some(Tag::Paragraph)) {
        let first = whole.len().saturating_sub(KEPT);
        let tried = (1..=first).rev().take(TRIES);
        let found = tried
            .filter_map(|count| in_paragraph(text, &whole[..count], |part| rows(part, before)))
            .next();
        return found.map(|at| (at, GoesOn::Paragraph));
    }
    if !matches!(begins, Some(Tag::List(_))) {
        return None;
    }
    let at = last_item(text)?;
    let mut parts = rows(&text[..at], before);
    parts.extend(rows(&text[at..], GoesOn::List));
    (parts == whole).then_some((at, GoesOn::List))
}

/// Whether a text may turn out to be a table: that is said by its second line, which is not whole yet.
fn may_be_table(text: &str) -> bool {
    text.trim_start().starts_with('|') && text.trim_start().matches('\n').count() < 2
}

/// Where these rows of a paragraph end, if nothing is open there.
fn in_paragraph(
    text: &str,
    wanted: &[String],
    rows: impl Fn(&str) -> Vec<String>,
) -> Option<usize> {
    let size = |rows: &[String]| -> usize {
        let letters = rows.iter().flat_map(|row| row.chars());
        letters.filter(|one| !one.is_whitespace()).count()
    };
    let spaces = text.char_indices().filter(|(_, one)| one.is_whitespace());
    let places: Vec<usize> = spaces.map(|(at, one)| at + one.len_utf8()).collect();
    let most = size(wanted);
    let at = places.partition_point(|at| size(&rows(&text[..*at])) < most);
    let at = *places.get(at)?;
    let part = &text[..at];
    (is_closed(part) && rows(part) == wanted).then_some(at)
}

/// Whether no emphasis, code or link is open at the end of a text. One that has such marks for something
/// else counts as open: it leaves when it is whole.
fn is_closed(text: &str) -> bool {
    let count = |sign: char| text.matches(sign).count();
    let letters: Vec<char> = text.chars().collect();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| letters.get(at))
            .is_some_and(|one| one.is_alphanumeric())
    };
    let bars = letters.iter().enumerate().filter(|(at, one)| {
        **one == '_' && !(is_letter(at.checked_sub(1)) && is_letter(at.checked_add(1)))
    });
    let is_link_open = text.rfind("](").is_some_and(|at| !text[at..].contains(')'));
    ['*', '`', '~'].iter().all(|sign| count(*sign) % 2 == 0)
        && bars.count() % 2 == 0
        && count('[') == count(']')
        && !is_link_open
}

/// Where the last item of the outermost list begins, if another stands before it.
fn last_item(text: &str) -> Option<usize> {
    let begins = |line: &str| {
        let rest = line.trim_start_matches(|one: char| one.is_ascii_digit());
        let signs: &[char] = match rest.len() == line.len() {
            true => &['-', '*', '+'],
            false => &['.', ')'],
        };
        rest.strip_prefix(signs)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    let mut starts = text.match_indices('\n').map(|(at, _)| at + 1);
    starts.rfind(|at| begins(&text[*at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_are_open_hold_a_row_back() {
        for (text, closed) in [
            ("plain words ", true),
            ("a *word ", false),
            ("a *word* ", true),
            ("snake_case and _more ", false),
            ("snake_case ", true),
            ("see [here](https://x.example \"a ", false),
            ("`code ", false),
        ] {
            assert_eq!(is_closed(text), closed, "{text}");
        }
    }

    #[test]
    fn an_item_begins_at_the_margin_alone() {
        assert_eq!(last_item("- a\n- b\n  - c\n"), Some(4));
        assert_eq!(last_item("1. a\n2. b"), Some(5));
        assert_eq!(last_item("- a\n  b\n-c\n"), None);
    }
}
