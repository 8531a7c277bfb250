//! Words and sentences of a text, as far as finding and comparing need them.

use std::collections::HashSet;

/// Words that say nothing of what a text is about, in the languages that are met most.
const COMMON: &[&str] = &[
    "a", "about", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from",
    "has", "have", "how", "in", "is", "it", "its", "of", "on", "or", "that", "the", "their",
    "this", "to", "was", "were", "what", "when", "where", "which", "who", "why", "will", "with",
    "you", "your", "aber", "als", "am", "auch", "auf", "aus", "bei", "das", "dass", "dem", "den",
    "der", "des", "die", "ein", "eine", "einem", "einen", "einer", "er", "es", "für", "hat", "ich",
    "im", "ist", "mit", "nach", "nicht", "oder", "sich", "sie", "sind", "so", "und", "von", "war",
    "was", "wer", "wie", "wird", "wo", "zu", "zum", "zur", "au", "aux", "avec", "ce", "ces",
    "dans", "de", "du", "elle", "en", "est", "et", "il", "la", "le", "les", "mais", "ne", "ou",
    "par", "pas", "pour", "que", "qui", "sa", "se", "ses", "son", "sont", "sur", "un", "une",
];

/// Endings of the languages that are met most, by which two forms of a word differ.
const ENDINGS: &[&str] = &[
    "ing", "ed", "ern", "en", "er", "es", "em", "e", "s", "n", "'s", "’s",
];
/// How many endings one after the other are taken off: `keepers`, `keeper`, `keep`.
const ENDINGS_TAKEN: usize = 2;
/// Shortest beginning that is left of a word, characters.
const STEM_CHARS: usize = 3;
/// Longest sentence, bytes; text without an end is cut into pieces of this size.
const SENTENCE_BYTES: usize = 600;

/// The words of a text in lower case: letters and digits, with points and commas inside numbers.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | ',' | '\'' | '’')))
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
}

/// What two forms of a word have in common.
fn stem(word: &str) -> String {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    if is_number {
        // 1,000 and 1000 are one number.
        return word.replace([',', '\''], "");
    }
    let mut stem = word;
    for _ in 0..ENDINGS_TAKEN {
        let shorter = ENDINGS
            .iter()
            .filter_map(|ending| stem.strip_suffix(ending));
        match shorter
            .max_by_key(|rest| (rest.chars().count() >= STEM_CHARS, stem.len() - rest.len()))
        {
            Some(rest) if rest.chars().count() >= STEM_CHARS => stem = rest,
            _ => break,
        }
    }
    stem.to_owned()
}

/// What a text is about: the stems of its words without the common ones.
pub(crate) fn topics(text: &str) -> HashSet<String> {
    words(text)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

/// The numbers in a text.
pub(crate) fn numbers(text: &str) -> HashSet<String> {
    words(text)
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| stem(&word))
        .collect()
}

/// How much of `wanted` is in `there`, 0 to 1. Nothing wanted is nothing found.
pub(crate) fn share(wanted: &HashSet<String>, there: &HashSet<String>) -> f32 {
    if wanted.is_empty() {
        return 0.0;
    }
    let found = wanted.iter().filter(|word| there.contains(*word)).count();
    found as f32 / wanted.len() as f32
}

/// The sentences of a text. A line end ends one; so does a full stop before a space and what may
/// begin a sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            let is_stop = match c {
                '.' | '!' | '?' | '…' => {
                    let mut after = line[end..].chars();
                    let space = after.next().is_none_or(char::is_whitespace);
                    space && !after.next().is_some_and(char::is_lowercase)
                }
                '。' | '！' | '？' => true,
                _ => end - from >= SENTENCE_BYTES && c.is_whitespace(),
            };
            if is_stop || end - from >= 2 * SENTENCE_BYTES {
                found.push(line[from..end].trim());
                from = end;
            }
        }
        found.push(line[from..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A text of at most `max_chars` characters, cut at a word, with a sign where it was cut.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    let end = if end * 2 < head.len() {
        head.len()
    } else {
        end
    };
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_topic_and_common_words_none() {
        let topics = |text| topics(text);
        assert!(share(&topics("bees"), &topics("The bee dances.")) > 0.9);
        assert!(share(&topics("Häuser"), &topics("in den Häusern")) > 0.9);
        assert_eq!(share(&topics("wie ist das"), &topics("das ist so")), 0.0);
        assert!(share(&topics("lighthouse keeper"), &topics("the keeper's house")) < 0.6);
        assert_eq!(
            numbers("In 1,000 days, 3.5 km"),
            HashSet::from(["1000".into(), "3.5".into()])
        );
    }

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        assert_eq!(
            sentences("It is 3.5 km. Dr. no one knows! Is it?\nA line\n\nEnd"),
            [
                "It is 3.5 km.",
                "Dr. no one knows!",
                "Is it?",
                "A line",
                "End"
            ]
        );
        let endless = "word ".repeat(2_000);
        assert!(
            sentences(&endless)
                .iter()
                .all(|one| one.len() <= SENTENCE_BYTES + 5)
        );
        let wordless = "ä".repeat(5_000);
        assert!(
            sentences(&wordless)
                .iter()
                .all(|one| one.len() <= 2 * SENTENCE_BYTES + 2)
        );
    }

    #[test]
    fn a_cut_text_is_within_its_limit() {
        assert_eq!(cut("one two", 7), "one two");
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(cut(&"ä".repeat(10), 5).chars().count(), 5);
    }
}
