//! Words as they are compared: lower case, without endings, and which of them say something.

use crate::phrases::{FUNCTION_WORDS, has};
use frostem::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that say nothing about what a text is about. Closed classes of English: articles, pronouns,
/// prepositions, conjunctions, auxiliaries, question words. Those of other languages are beside them.
pub const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "all",
    "am",
    "an",
    "and",
    "any",
    "are",
    "aren",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "couldn",
    "d",
    "did",
    "didn",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "down",
    "during",
    "each",
    "few",
    "for",
    "from",
    "further",
    "had",
    "hadn",
    "has",
    "hasn",
    "have",
    "haven",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "itself",
    "just",
    "ll",
    "m",
    "may",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "must",
    "my",
    "myself",
    "no",
    "nor",
    "not",
    "of",
    "off",
    "on",
    "once",
    "only",
    "or",
    "other",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "re",
    "s",
    "same",
    "shall",
    "she",
    "should",
    "shouldn",
    "so",
    "some",
    "such",
    "t",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "us",
    "ve",
    "very",
    "was",
    "wasn",
    "we",
    "were",
    "weren",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "won",
    "would",
    "wouldn",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];

/// One word of a text and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// As written, without what surrounds it.
    pub text: &'a str,
    /// Where it begins, bytes.
    pub start: usize,
}

/// The words of a text: runs of letters and digits. What follows an apostrophe is a word of its own.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let after = text[start..].find(|letter: char| !letter.is_alphanumeric());
        let end = after.map_or(text.len(), |length| start + length);
        rest = end;
        Some(Word {
            text: &text[start..end],
            start,
        })
    })
}

/// Whether a word, in lower case, says nothing.
#[must_use]
pub fn is_stop_word(lower: &str) -> bool {
    has(STOP_WORDS, lower) || has(FUNCTION_WORDS, lower)
}

/// A word without its ending (Snowball English), from lower case.
#[must_use]
pub fn stem(lower: &str) -> String {
    Stemmer::new(Algorithm::English).stem(lower).into_owned()
}

/// A text whose letters are without accents, in whichever Unicode form they were written.
#[must_use]
pub fn without_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let letters = text.nfd().filter(|letter| !is_combining_mark(*letter));
    Cow::Owned(letters.nfc().collect())
}

/// Whether every letter of a text is a capital: then capitals set no word apart.
#[must_use]
pub fn is_shouted(text: &str) -> bool {
    !text.contains(char::is_lowercase)
}

/// Whether a word is written as an abbreviation is: such a word says something whatever it means in
/// lower case, `IT` and `US`.
#[must_use]
pub fn is_abbreviation(written: &str) -> bool {
    let capitals = written.chars().all(char::is_uppercase);
    capitals && written.chars().nth(1).is_some()
}

/// The words that a text is found by, in lower case: all but the stop words of English. A function
/// word of one language is a name in another, so those of other languages are left to [`asked`].
pub fn found_by(text: &str) -> impl Iterator<Item = String> {
    let is_shouted = is_shouted(text);
    words(text).filter_map(move |word| {
        let lower = word.text.to_lowercase();
        let is_set_apart = !is_shouted && is_abbreviation(word.text);
        (is_set_apart || !has(STOP_WORDS, &lower)).then_some(lower)
    })
}

/// The words of a question to look for, in lower case: those without function words of any language,
/// or all that it could be found by where nothing else is left.
#[must_use]
pub fn asked(text: &str) -> Vec<String> {
    let is_shouted = is_shouted(text);
    let says = words(text).filter_map(|word| {
        let lower = word.text.to_lowercase();
        let is_set_apart = !is_shouted && is_abbreviation(word.text);
        (is_set_apart || !is_stop_word(&lower)).then_some(lower)
    });
    let says: Vec<String> = says.collect();
    match says.is_empty() {
        true => found_by(text).collect(),
        false => says,
    }
}

/// The stems of a text's words that say something, in order, repeated as they are.
#[must_use]
pub fn informative(text: &str) -> Vec<String> {
    let plain = without_accents(text);
    asked(&plain).iter().map(|lower| stem(lower)).collect()
}

/// The stems of all words that a text is found by.
#[must_use]
pub fn held(text: &str) -> BTreeSet<String> {
    let plain = without_accents(text);
    found_by(&plain).map(|lower| stem(&lower)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn endings_and_words_that_say_nothing_go() {
        assert_eq!(
            informative("What did Anna's brothers paint in 2021?"),
            ["anna", "brother", "paint", "2021"]
        );
        assert!(informative("").is_empty());
        let written = informative("Zo\u{eb} a r\u{e9}sum\u{e9}");
        assert_eq!(written, informative("Zoe\u{308} a re\u{301}sume\u{301}"));
        assert_eq!(written, informative("Zoe a resume"));
    }

    #[test]
    fn a_word_in_capitals_is_no_function_word() {
        assert_eq!(informative("Who runs IT for the US?"), ["run", "it", "us"]);
        assert_eq!(informative("WHO RUNS IT"), ["run"]);
        assert_eq!(informative("Where is MIT in the Wiki?"), ["mit", "wiki"]);
        assert_eq!(informative("mit dem Auto"), ["auto"]);
        assert_eq!(informative("mit"), ["mit"], "nothing else is left");
        assert!(held("mit dem Auto").contains("mit"));
    }

    #[test]
    fn names_of_things_are_no_function_words() {
        for name in [
            "nas", "os", "ha", "aux", "dos", "mas", "nos", "ai", "io", "su",
        ] {
            assert!(!is_stop_word(name), "{name}");
        }
    }

    #[test]
    fn words_know_where_they_stand() {
        let text = "– über 3 Äpfel";
        let found: Vec<_> = words(text).map(|word| (word.start, word.text)).collect();
        assert_eq!(found, [(4, "über"), (10, "3"), (12, "Äpfel")]);
    }
}
