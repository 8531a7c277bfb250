//! Text that is typeset, and edited by somebody who types: `don’t` is written as `don't`, a dash as
//! a hyphen, a space that does not break as a space. One character stands for one, so that places
//! in the one are places in the other.

use crate::context::Leash;
use crate::occurrences::{Places, occurrences};
use api::executor::ToolFailure;
use std::ops::Range;
use unicode_normalization::char::canonical_combining_class;

/// The character of a keyboard that people and models type for one of typesetting: the quotation
/// marks, apostrophes, hyphens, dashes and spaces of Unicode's block of general punctuation, the
/// letter apostrophe, the minus sign and the space that does not break.
const fn typed(letter: char) -> char {
    match letter {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => ' ',
        other => other,
    }
}

/// The places of a content where `wanted` stands but for typesetting, as far as they are asked for.
pub(crate) fn places_as_typed(
    content: &str,
    wanted: &str,
    mut places: Places,
    leash: &Leash,
) -> Result<Vec<Range<usize>>, ToolFailure> {
    let wanted: Vec<char> = wanted.chars().map(typed).collect();
    occurrences(content.chars().map(typed), &wanted, leash, |at| {
        places.take(at..at + wanted.len())
    })?;
    if places.found.is_empty() {
        return Ok(Vec::new());
    }
    let ends = content.char_indices().map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([content.len()]).collect();
    let found = places.found.into_iter();
    let found = found.map(|place| ends[place.start]..ends[place.end]);
    Ok(found.filter(|place| is_whole(content, place)).collect())
}

/// Whether a place holds whole letters: it neither begins nor ends between one and its accent.
pub(crate) fn is_whole(content: &str, place: &Range<usize>) -> bool {
    let is_accent = |at: usize| {
        let next = content[at..].chars().next();
        next.is_some_and(|next| canonical_combining_class(next) != 0)
    };
    !is_accent(place.end) && (place.start == 0 || !is_accent(place.start))
}

/// A new text, typeset as what it stands for where both begin and end alike.
pub(crate) fn typeset_as(stored: &str, new: &str) -> String {
    let same = |(one, other): &(char, char)| typed(*one) == typed(*other);
    let begin = stored.chars().zip(new.chars()).take_while(same).count();
    let (begin_stored, begin_new) = (bytes_of(stored, begin), bytes_of(new, begin));
    let (rest, rest_new) = (&stored[begin_stored..], &new[begin_new..]);
    let backwards = rest.chars().rev().zip(rest_new.chars().rev());
    let end = backwards.take_while(same).count();
    let end_stored: usize = rest.chars().rev().take(end).map(char::len_utf8).sum();
    let end_new: usize = rest_new.chars().rev().take(end).map(char::len_utf8).sum();
    [
        &stored[..begin_stored],
        &rest_new[..rest_new.len() - end_new],
        &rest[rest.len() - end_stored..],
    ]
    .concat()
}

fn bytes_of(text: &str, letters: usize) -> usize {
    text.chars().take(letters).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_text_keeps_the_typesetting_of_what_stays() {
        let stored = "\u{201c}Don\u{2019}t\u{201d}, she said\u{a0}\u{2013} twice";
        let new = "\"Don't\", he said - twice";
        let typeset = "\u{201c}Don\u{2019}t\u{201d}, he said\u{a0}\u{2013} twice";
        assert_eq!(typeset_as(stored, new), typeset);
        assert_eq!(typeset_as("\u{2019}", ""), "");
        assert_eq!(typeset_as("\u{2019}", "''"), "\u{2019}'");
        assert_eq!(typeset_as("a", "b"), "b");
        assert_eq!(typeset_as("\u{2019}\u{2019}", "'"), "\u{2019}");
    }
}
