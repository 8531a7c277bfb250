//! A text as it is compared: its letters and digits in one plain form, each with the place it has
//! in the text.

use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What a sign of a script without blanks between words counts: it says about as much as three.
const WIDE: usize = 3;
/// First character that counts as wide: where the East Asian scripts begin in Unicode.
const FIRST_WIDE: char = '\u{2E80}';
/// Shorter stretches count together when they are as long as this, signs.
pub(super) const PIECE: usize = 40;
/// Signs that are looked for at one time. Two of them one after the other fit into the shortest
/// stretch that counts, whatever the script and with a blank after each, so that one is always
/// found whole.
pub(super) const SEED: usize = PIECE / (WIDE + 1) / 2;
/// Most signs of a part of a word that a stretch gives up.
const WORD: usize = 20;

/// A text as it is compared.
pub(super) struct Folded {
    /// Its letters and digits, and nothing else.
    pub(super) signs: String,
    /// For each byte of `signs`, what is known of its sign.
    marks: Vec<Mark>,
}

#[derive(Clone)]
struct Mark {
    /// Where in the text, bytes.
    place: Range<usize>,
    /// Whether a word begins here.
    opens: bool,
    /// What it counts.
    size: usize,
}

impl Folded {
    /// Folds a text in which each of these words counts as one sign.
    pub(super) fn of(text: &str, single: &BTreeSet<&str>) -> Self {
        let mut folded = Self {
            signs: String::with_capacity(text.len()),
            marks: Vec::new(),
        };
        let mut singles = words(text).filter(|place| single.contains(&text[place.clone()]));
        let mut next = singles.next();
        let (mut opens, mut in_single) = (true, false);
        for (at, character) in text.char_indices() {
            while next.as_ref().is_some_and(|place| place.end <= at) {
                next = singles.next();
                in_single = false;
            }
            let is_single = next.as_ref().is_some_and(|place| place.start <= at);
            let mut is_sign = false;
            for sign in signs_of(character) {
                let size = match (is_single, in_single) {
                    (true, true) => 0,
                    (true, false) => 1,
                    (false, _) if sign >= FIRST_WIDE => WIDE,
                    (false, _) => 1,
                };
                folded.push(
                    sign,
                    Mark {
                        place: at..at + character.len_utf8(),
                        opens: opens && !in_single,
                        size,
                    },
                );
                (opens, in_single, is_sign) = (false, is_single, true);
            }
            opens = opens || !(is_sign || is_unseen(character));
        }
        folded
    }

    fn push(&mut self, sign: char, mark: Mark) {
        self.signs.push(sign);
        for _ in 1..sign.len_utf8() {
            self.marks.push(mark.clone());
        }
        self.marks.push(mark);
    }

    /// Where in the text a stretch of signs stands.
    pub(super) fn place_of(&self, stretch: &Range<usize>) -> Range<usize> {
        let marks = self.marks.get(stretch.clone()).unwrap_or_default();
        let start = marks.first().map_or(0, |mark| mark.place.start);
        start..marks.last().map_or(start, |mark| mark.place.end)
    }

    /// What a stretch counts, with one blank between words.
    pub(super) fn size_of(&self, stretch: &Range<usize>) -> usize {
        let mut size = 0;
        for (at, _) in self.signs[stretch.clone()].char_indices() {
            let Some(mark) = self.marks.get(stretch.start + at) else {
                continue;
            };
            size += mark.size + usize::from(mark.opens && at > 0);
        }
        size
    }

    /// A stretch without the parts of words at its ends, as far as there are words in it.
    pub(super) fn in_words(&self, stretch: Range<usize>) -> Range<usize> {
        let opens = |at: usize| self.marks.get(at).is_none_or(|mark| mark.opens);
        let Range { mut start, mut end } = stretch;
        if !opens(start) {
            let mut first = self.signs[start..end].char_indices().take(WORD);
            start += first
                .find(|(at, _)| opens(start + at))
                .map_or(0, |(at, _)| at);
        }
        if !opens(end) {
            let mut last = self.signs[start..end].char_indices().rev().take(WORD);
            let open = last.find(|(at, _)| opens(start + at));
            end = open.map_or(end, |(at, _)| start + at);
        }
        start..end
    }
}

/// The words of a text without what punctuation is around them, bytes.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let between = |c: char| c.is_whitespace() || "\"'`,;|()[]{}<>".contains(c);
    text.split(between).filter_map(move |word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (!word.is_empty()).then(|| start..start + word.len())
    })
}

/// The letters and digits that a character stands for: small, of one width, without accents. A tag
/// character stands for the one it hides.
fn signs_of(character: char) -> impl Iterator<Item = char> {
    let character = match character {
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(character) - 0xe0000),
        _ => None,
    }
    .unwrap_or(character);
    let plain = std::iter::once(character).nfkd();
    let plain = plain.filter(|c| c.is_alphanumeric() && !is_combining_mark(*c) && !is_unseen(*c));
    plain.flat_map(char::to_lowercase)
}

/// Whether a character leaves no picture of its own, and so parts no words.
fn is_unseen(character: char) -> bool {
    is_combining_mark(character)
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
