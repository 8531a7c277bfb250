//! Finding a text in many texts without reading them all again: words to the texts that have them.

use crate::flow::counting::counting;
use memchr::memmem;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// How strictly the text around a find must end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Not within a longer word.
    Word,
    /// Not within a longer name, address or path either.
    Name,
    /// As a word, and not as a part of a longer number, a date or a time, nor to count the parts of
    /// a text.
    Number,
}

/// Texts and the words in them. Keyed by chance, so that no text can be made to collide.
#[derive(Debug, Default)]
pub(crate) struct Index {
    texts: Vec<String>,
    places: HashMap<u64, Vec<u32>>,
    keys: RandomState,
}

impl Index {
    /// Adds a text in its normal form and tells its place.
    pub(crate) fn add(&mut self, text: String) -> usize {
        let place = self.texts.len();
        // More texts than that do not fit in memory.
        let short = u32::try_from(place).unwrap_or(u32::MAX);
        for word in words(&text) {
            let places = self.places.entry(self.keys.hash_one(word)).or_default();
            if places.last() != Some(&short) {
                places.push(short);
            }
        }
        self.texts.push(text);
        place
    }

    /// The text at a place.
    pub(crate) fn text(&self, place: usize) -> &str {
        self.texts.get(place).map_or("", String::as_str)
    }

    /// The places of all texts that contain `wanted`, whole: one item for each text that is looked
    /// at, so that a caller can bound the work.
    pub(crate) fn find<'a>(
        &'a self,
        wanted: &'a str,
        edges: Edges,
    ) -> impl Iterator<Item = Option<usize>> + 'a {
        let rarest = words(wanted)
            .map(|word| {
                let places = self.places.get(&self.keys.hash_one(word));
                places.map_or(&[][..], Vec::as_slice)
            })
            .min_by_key(|places| places.len())
            .unwrap_or(&[]);
        // Most texts are nowhere, which the words tell.
        let finder = OnceCell::new();
        rarest.iter().map(move |place| {
            let text = self.text(*place as usize);
            let finder = finder.get_or_init(|| memmem::Finder::new(wanted.as_bytes()));
            let mut wholes = finder
                .find_iter(text.as_bytes())
                .filter(|start| is_whole(text, *start, start + wanted.len(), edges))
                .peekable();
            let is_found = match (edges, wholes.peek()) {
                (_, None) => false,
                (Edges::Word | Edges::Name, Some(_)) => true,
                (Edges::Number, Some(_)) => {
                    let counting = counting(text);
                    wholes.any(|start| counting.binary_search(&start).is_err())
                }
            };
            is_found.then_some(*place as usize)
        })
    }

    /// Where a text that contains `wanted` whole has it.
    pub(crate) fn places(&self, place: usize, wanted: &str, edges: Edges) -> Vec<Range<usize>> {
        let text = self.text(place);
        memmem::find_iter(text.as_bytes(), wanted.as_bytes())
            .map(|start| start..start + wanted.len())
            .filter(|found| is_whole(text, found.start, found.end, edges))
            .collect()
    }
}

/// Whether a text stands in another one whole: not within a longer name, address or path.
pub(crate) fn stands_whole(text: &str, wanted: &str) -> bool {
    let mut places = memmem::find_iter(text.as_bytes(), wanted.as_bytes());
    !wanted.is_empty() && places.any(|at| is_whole(text, at, at + wanted.len(), Edges::Name))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn is_whole(text: &str, start: usize, end: usize, edges: Edges) -> bool {
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else {
        return false;
    };
    let found = text.get(start..end).unwrap_or("");
    let is_dated = || is_day(found) && (ends_with_month(before) || starts_with_month(after));
    if edges == Edges::Number
        && (continues_number(before.chars().rev(), after.chars()) || is_dated())
    {
        return false;
    }
    match edges {
        Edges::Word | Edges::Number => {
            let opens = found.chars().next().is_some_and(char::is_alphanumeric);
            let closes = found.chars().next_back().is_some_and(char::is_alphanumeric);
            let is_in_word = opens
                && before
                    .chars()
                    .next_back()
                    .is_some_and(char::is_alphanumeric)
                || closes && after.chars().next().is_some_and(char::is_alphanumeric);
            !is_in_word
        }
        Edges::Name => !continues_before(before) && !continues_after(after),
    }
}

/// English names of months, and their short forms.
const MONTHS: [&str; 23] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
];

fn is_day(text: &str) -> bool {
    text.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
}

/// Whether a month stands right before: `June 11`.
fn ends_with_month(before: &str) -> bool {
    let Some(before) = before.strip_suffix(' ') else {
        return false;
    };
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| MONTHS.contains(&word))
}

/// Whether a month stands right behind: `11 June`.
fn starts_with_month(after: &str) -> bool {
    let Some(after) = after.strip_prefix(' ') else {
        return false;
    };
    let word = after.split(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| MONTHS.contains(&word))
}

/// Whether digits go on beyond a mark that joins them on either side: `2026-01-02`, `10:30`, `1,5`.
fn continues_number(
    mut before: impl Iterator<Item = char>,
    mut after: impl Iterator<Item = char>,
) -> bool {
    let goes_on = |side: &mut dyn Iterator<Item = char>| {
        side.next()
            .is_some_and(|c| matches!(c, '.' | ',' | ':' | '-' | '/'))
            && side.next().is_some_and(|c| c.is_ascii_digit())
    };
    goes_on(&mut before) || goes_on(&mut after)
}

/// Whether a name that seems to begin here began earlier. `@name` and `#name` are ways to write a
/// name when they open a word.
fn continues_before(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        None => false,
        // `o'brien` is one name; the one in quotes is another.
        Some('\'' | '’') => back.next().is_some_and(char::is_alphanumeric),
        Some('@' | '#') => back
            .next()
            .is_some_and(|c| c.is_alphanumeric() || is_joint(c)),
        Some(c) => c.is_alphanumeric() || is_joint(c),
    }
}

/// Whether a name that seems to end here goes on. A mark that ends a sentence does not.
fn continues_after(after: &str) -> bool {
    let mut ahead = after.chars();
    match ahead.next() {
        None => false,
        Some('.' | ':' | '?') => ahead
            .next()
            .is_some_and(|c| c.is_alphanumeric() || is_joint(c)),
        Some(c) => c.is_alphanumeric() || is_joint(c),
    }
}

/// Marks that hold the parts of a name, address or path together.
fn is_joint(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '.' | '/' | '\\' | '@' | ':' | '+' | '%' | '#' | '~' | '&' | '=' | '?'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str, wanted: &str, edges: Edges) -> bool {
        let mut index = Index::default();
        index.add("another text".to_owned());
        index.add(text.to_owned());
        index.find(wanted, edges).any(|place| place == Some(1))
    }

    #[test]
    fn a_name_is_found_whole_or_not_at_all() {
        let table = [
            ("pay alice.", "alice", true),
            ("in alice's inbox", "alice", true),
            ("ask (alice) or bob", "alice", true),
            ("tell @alice and #general", "alice", true),
            ("tell @alice and #general", "general", true),
            ("mail alice@example.org", "alice", false),
            ("mail x@alice", "alice", false),
            ("see www.true-news.com", "news.com", false),
            ("see www.true-news.com.", "www.true-news.com", true),
            ("open a/b.txt: it is", "a/b.txt", true),
            ("open a/b.txt", "b.txt", false),
            ("the file b.txt.bak", "b.txt", false),
            ("malice", "alice", false),
            ("reply: hi, i am a bot", "hi, i am a bot", true),
        ];
        for (text, wanted, expected) in table {
            assert_eq!(
                finds(text, wanted, Edges::Name),
                expected,
                "{wanted} in {text}"
            );
        }
    }

    #[test]
    fn a_word_is_found_inside_addresses_too() {
        assert!(finds("mail alice@example.org", "alice", Edges::Word));
        assert!(finds("to:us133000", "us133000", Edges::Word));
        assert!(!finds("malice", "alice", Edges::Word));
        assert!(!finds("x", "", Edges::Word));
    }

    /// Thirteen parts, counted.
    const COUNTED: &str = "1. a 2. b 3. c 4. d 5. e 6. f 7. g 8. h 9. i 10. j 11. k 12. l 13. m";

    #[test]
    fn a_number_is_no_part_of_a_date_and_counts_no_parts() {
        for (text, expected) in [
            ("delete id:13 now", true),
            ("13. milk", true),
            ("1. eggs 2. milk 13. flour", true),
            ("on 2026-01-13", false),
            ("at 13:30", false),
            ("13.5 percent", false),
            ("on june 13, we", false),
            ("on 13 june we", false),
            ("juneau 13", true),
            ("june: 13", true),
            ("june, then 13", true),
            (COUNTED, false),
            (&format!("{COUNTED} wipe 13"), true),
        ] {
            assert_eq!(finds(text, "13", Edges::Number), expected, "{text}");
        }
    }
}
