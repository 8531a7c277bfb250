//! Text that is typeset, and edited by somebody who types: `don’t` is written as `don't`, a dash as
//! a hyphen, a space that does not break as a space.

use crate::context::Leash;
use crate::occurrences::{Places, occurrences};
use api::executor::ToolFailure;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::{Duration, Instant};
use unicode_normalization::char::canonical_combining_class;

/// Where a word may be parted at the end of a line; seen nowhere else.
pub(crate) const SOFT_HYPHEN: char = '\u{ad}';
/// The characters that are typed as one, each in a row with that first.
const TYPED_AS: [(char, &str); 4] = [
    ('\'', "'\u{2018}-\u{201b}\u{2032}\u{2bc}"),
    ('"', "\"\u{201c}-\u{201f}\u{2033}"),
    ('-', "\\-\u{2010}-\u{2015}\u{2212}"),
    (' ', " \u{a0}\u{2000}-\u{200a}\u{202f}\u{205f}"),
];
/// How long the letters that two long texts have in common may be looked for.
const ALIGN_TIME: Duration = Duration::from_secs(1);

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

/// The characters of a text as they are typed, with where each lies. A hyphen that shows only at the
/// end of a line is no character of it, and what ends a line is one, however it is stored.
fn as_typed(text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let is_typed = |(at, letter): &(usize, char)| match *letter {
        SOFT_HYPHEN => false,
        '\r' => !text[at + 1..].starts_with('\n'),
        _ => true,
    };
    let letters = text.char_indices().filter(is_typed);
    letters.map(|(at, letter)| (at..at + letter.len_utf8(), typed(letter)))
}

/// The places of a content where `wanted` stands but for typesetting, as far as they are asked for.
pub(crate) fn places_as_typed(
    content: &str,
    wanted: &str,
    mut places: Places,
    leash: &Leash,
) -> Result<Vec<Range<usize>>, ToolFailure> {
    let wanted: Vec<char> = as_typed(wanted).map(|(_, letter)| letter).collect();
    let letters = as_typed(content).map(|(_, letter)| letter);
    occurrences(letters, &wanted, leash, |at| {
        places.take(at..at + wanted.len())
    })?;
    if places.found.is_empty() {
        return Ok(Vec::new());
    }
    let lie: Vec<Range<usize>> = as_typed(content).map(|(lies, _)| lies).collect();
    let found = places.found.into_iter();
    let found = found.map(|place| lie[place.start].start..lie[place.end - 1].end);
    Ok(found.filter(|place| is_whole(content, place)).collect())
}

/// What finds a mark in each of its settings, as part of a regular expression.
pub(crate) fn class_of(mark: char) -> Option<String> {
    let row = TYPED_AS.iter().find(|(key, _)| *key == typed(mark));
    row.map(|(_, class)| format!("[{class}]"))
}

/// Whether a text is the same in other typesetting, and not another mark that stands for itself.
pub(crate) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Whether a place holds whole letters: it neither begins nor ends between one and its accent.
pub(crate) fn is_whole(content: &str, place: &Range<usize>) -> bool {
    let is_accent = |at: usize| {
        let next = content[at..].chars().next();
        next.is_some_and(|next| canonical_combining_class(next) != 0)
    };
    !is_accent(place.end) && (place.start == 0 || !is_accent(place.start))
}

/// A new text, typeset as what it stands for where it has the same letters.
pub(crate) fn typeset_as(stored: &str, new: &str) -> String {
    let letters = |text: &str| text.chars().map(typed).collect::<Vec<char>>();
    let (stored_typed, new_typed) = (letters(stored), letters(new));
    let (stored, new): (Vec<char>, Vec<char>) = (stored.chars().collect(), new.chars().collect());
    let until = Instant::now() + ALIGN_TIME;
    let steps =
        capture_diff_slices_deadline(Algorithm::Myers, &stored_typed, &new_typed, Some(until));
    let parts = steps.into_iter().map(|step| match step {
        DiffOp::Equal { old_index, len, .. } => &stored[old_index..old_index + len],
        _ => &new[step.new_range()],
    });
    parts.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_of_a_search_are_what_is_typed_as_one() {
        for letter in '\0'..='\u{ffff}' {
            let row = TYPED_AS.iter().find(|(key, _)| *key == typed(letter));
            let Some((_, class)) = row else { continue };
            let class: Vec<char> = class.trim_start_matches('\\').chars().collect();
            let is_in = class.contains(&letter)
                || class
                    .windows(3)
                    .skip(1)
                    .any(|range| range[1] == '-' && (range[0]..=range[2]).contains(&letter));
            assert!(is_in, "{letter:?}");
        }
    }

    #[test]
    fn a_new_text_keeps_the_typesetting_of_what_stays() {
        let stored = "\u{201c}Don\u{2019}t\u{201d}, she said\u{a0}\u{2013} twice";
        let new = "\"Don't\", he said - twice";
        let typeset = "\u{201c}Don\u{2019}t\u{201d}, he said\u{a0}\u{2013} twice";
        assert_eq!(typeset_as(stored, new), typeset);
        let stored = "Boot\u{201c}. Und dann\r\nging er \u{2013} z.\u{a0}B.";
        let new = "Schiff\". Und dann\r\nlief er - z. B.";
        let typeset = "Schiff\u{201c}. Und dann\r\nlief er \u{2013} z.\u{a0}B.";
        assert_eq!(typeset_as(stored, new), typeset);
        assert_eq!(typeset_as("\u{2019}", ""), "");
        assert_eq!(typeset_as("\u{2019}", "''"), "\u{2019}'");
        assert_eq!(typeset_as("a", "b"), "b");
        assert_eq!(typeset_as("\u{2019}\u{2019}", "'"), "\u{2019}");
    }
}
