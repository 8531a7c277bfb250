//! Which characters hide: invisible, reordering, or smuggling others. Shared by [`crate::escape`]
//! (which shows them) and [`crate::defuse`] (which removes them).
//!
//! Source of the ranges: the Unicode property Default_Ignorable_Code_Point, with the exceptions
//! that real writing needs, each bound to its neighbours.

use unicode_normalization::char::is_combining_mark;

/// Whether `c` hides where it stands: after `before` (the last characters kept, most recent last)
/// and in front of `rest`.
pub(crate) fn hides(before: &str, c: char, rest: &str) -> bool {
    match c {
        '\n' | '\t' => false,
        _ if c.is_control() => true,
        '\u{200c}' | '\u{200d}' => !joins(before, c, rest),
        '\u{fe0e}' | '\u{fe0f}' => {
            let previous = before.chars().next_back();
            !previous.is_some_and(|previous| takes_presentation(previous, rest))
        }
        '\u{e0061}'..='\u{e007a}' | '\u{e007f}' => !in_flag(before, c, rest),
        _ => is_ignorable(c),
    }
}

/// A zero-width joiner or non-joiner that has a visible effect: between two pictographs, or
/// between two letters of a script that joins.
fn joins(before: &str, c: char, rest: &str) -> bool {
    // Enough for a selector and a skin tone; a longer run is no writing.
    let previous = before
        .chars()
        .rev()
        .take(3)
        .find(|p| !matches!(p, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
    let (Some(previous), Some(next)) = (previous, rest.chars().next()) else {
        return false;
    };
    let pictographs = c == '\u{200d}' && is_pictograph(previous) && is_pictograph(next);
    pictographs || (is_joining_script(previous) && is_joining_script(next))
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// A character that a presentation selector may follow once; one that can be typed only on a key,
/// which comes after it.
fn takes_presentation(c: char, rest: &str) -> bool {
    is_pictograph(c) || (matches!(c, '0'..='9' | '#' | '*') && rest.starts_with('\u{20e3}'))
}

/// Whether nobody would miss it where a text is only compared: what hides anywhere, marks on other
/// characters, and what most fonts have no picture for.
pub(crate) fn is_no_letter(c: char) -> bool {
    let is_private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}');
    let is_nobodys = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    is_ignorable(c) || is_private || is_nobodys || is_combining_mark(c)
}

/// Letters and marks of Arabic, Syriac, Indic, South-East Asian and Mongolian scripts.
fn is_joining_script(c: char) -> bool {
    let in_range = matches!(c,
        '\u{620}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18aa}'
        | '\u{1a20}'..='\u{1aad}' | '\u{1b00}'..='\u{1c4f}' | '\u{a8e0}'..='\u{a8ff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    in_range && !is_ignorable(c) && !c.is_ascii() && !c.is_whitespace()
}

/// The tag letters of the three flags that have them: England, Scotland, Wales.
fn in_flag(before: &str, c: char, rest: &str) -> bool {
    // A flag has at most five tags before the one in question.
    let start = before.char_indices().rev().take(6).last();
    let near = start.map_or("", |(at, _)| &before[at..]);
    let Some((_, behind)) = near.rsplit_once('\u{1f3f4}') else {
        return false;
    };
    ["gbeng", "gbsct", "gbwls"].iter().any(|flag| {
        let tags: String = flag
            .chars()
            .filter_map(|letter| char::from_u32(0xe0000 + u32::from(letter)))
            .chain(['\u{e007f}'])
            .collect();
        tags.strip_prefix(behind)
            .and_then(|left| left.strip_prefix(c))
            .is_some_and(|left| rest.starts_with(left))
    })
}

fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
