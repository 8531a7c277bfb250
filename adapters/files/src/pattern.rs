//! What a search looks for: letters in both of their Unicode forms, and marks in each of their settings,
//! as an edit finds them.

use crate::typography::{SOFT_HYPHEN, class_of, has_words};
use unicode_normalization::UnicodeNormalization;

/// A regular expression that finds a text as an edit does: in both forms of its letters, and typeset.
pub(crate) fn pattern_for(wanted: &str) -> String {
    let is_words = has_words(wanted);
    let (mut pattern, mut was_letter) = (String::new(), false);
    for letter in wanted
        .nfc()
        .filter(|letter| *letter != SOFT_HYPHEN || !is_words)
    {
        if was_letter && letter.is_alphanumeric() {
            pattern.push_str("\u{ad}?");
        }
        was_letter = letter.is_alphanumeric();
        let class = class_of(letter).filter(|_| is_words);
        match class.or_else(|| form_class_of(letter)) {
            Some(class) => pattern.push_str(&class),
            None => {
                // With `\\` before it, each of the others has no meaning of its own.
                let has_meaning = letter.is_ascii_punctuation() && !"<>".contains(letter);
                pattern.extend(has_meaning.then_some('\\'));
                pattern.push(letter);
            }
        }
    }
    pattern
}

/// A regular expression that finds each letter of the given one in both forms, and what is typeset as
/// it is typed. What stands in brackets is left as it is: there a letter in two characters would be
/// two letters. Behind `(?` a hyphen or a space may be none of the text.
pub(crate) fn pattern_in_both_forms(pattern: &str) -> String {
    let (mut both, mut is_escaped, mut depth, mut is_count) =
        (String::new(), false, 0_usize, false);
    let is_text = has_words(pattern) && !pattern.trim_start_matches("(?i)").contains("(?");
    for letter in pattern.nfc() {
        let is_plain = !std::mem::take(&mut is_escaped);
        match letter {
            '\\' if is_plain => is_escaped = true,
            '[' if is_plain => depth += 1,
            ']' if is_plain => depth = depth.saturating_sub(1),
            '{' | '}' => is_count = letter == '{',
            _ => {}
        }
        let class = class_of(letter).filter(|_| is_text && is_plain && !is_count);
        match class.or_else(|| form_class_of(letter)) {
            Some(class) if depth == 0 => both.push_str(&class),
            _ => both.push(letter),
        }
    }
    both
}

/// What finds a composed letter in both forms, if it has two.
fn form_class_of(letter: char) -> Option<String> {
    let apart: String = std::iter::once(letter).nfd().collect();
    let has_two = apart.chars().ne([letter]);
    has_two.then(|| format!("(?:{letter}|{apart})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_finds_letters_in_both_forms() {
        assert_eq!(pattern_in_both_forms("a\u{e9}+"), "a(?:\u{e9}|e\u{301})+");
        assert_eq!(pattern_in_both_forms(r"\[[\u{e9}]"), r"\[[\u{e9}]");
        assert_eq!(pattern_in_both_forms("[\u{e9}]"), "[\u{e9}]");
        assert_eq!(pattern_in_both_forms(r"a.\b"), r"a.\b");
        for same in [r"a\-b", "a[ -]", "(?x: a)", " ", r"\p{Old Italic}"] {
            assert_eq!(pattern_in_both_forms(same), same);
        }
        let typeset = pattern_in_both_forms("(?i)z. B.");
        assert!(typeset.starts_with("(?i)z.[ \u{a0}"), "{typeset}");
    }

    #[test]
    fn a_text_is_found_as_it_is_typed() {
        let finds = |wanted: &str, text: &str| {
            let built = grep_regex::RegexMatcher::new(&pattern_for(wanted));
            grep_matcher::Matcher::is_match(&built.unwrap(), text.as_bytes()).unwrap()
        };
        let pairs = [
            ("Leuchtturm", "Leucht\u{ad}turm"),
            ("Jo's Boot", "Jo\u{2019}s\u{a0}Boot"),
            ("1 - 2", "1\u{2009}\u{2013}\u{2009}2"),
            ("\u{e9}t\u{e9}", "e\u{301}te\u{301}"),
            ("<a>\\d{2}[x]^$.*+?|()#&~-", "<a>\\d{2}[x]^$.*+?|()#&~-"),
        ];
        for (wanted, text) in pairs {
            assert!(finds(wanted, text), "{wanted}");
            assert!(finds(wanted, wanted), "{wanted}");
        }
        assert!(!finds("'", "\u{2019}") && !finds("a.c", "abc"));
    }

    #[test]
    fn a_sentence_is_a_small_pattern_that_long_lines_are_searched_for() {
        let sentence =
            "Er sagte: \"Johannes' Boot liegt - z. B. bei Sturm - im Hafen\", und ging. ";
        let mut built = grep_regex::RegexMatcherBuilder::new();
        let built = built.case_insensitive(true).size_limit(64 << 10);
        built.build(&pattern_for(&sentence.repeat(3))).unwrap();
    }
}
