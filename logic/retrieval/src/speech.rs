//! What a text says of itself at its beginning: a date in brackets, and who speaks.

use crate::segments::sentences;

/// The beginning of a text and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speech<'a> {
    /// What stands in brackets at the very beginning, such as a date; empty for nothing.
    pub heading: &'a str,
    /// Who speaks; empty for nobody.
    pub speaker: &'a str,
    /// What is said.
    pub said: &'a str,
}

/// Most characters of a speaker's name.
const NAME_CHARS: usize = 40;
/// Most words of a speaker's name.
const NAME_WORDS: usize = 4;

/// Reads `[heading] Speaker: what is said`. Both parts may be missing. A text of several lines is
/// no single speech, and has no speaker.
#[must_use]
pub fn read(text: &str) -> Speech<'_> {
    let text = text.trim_start();
    let (heading, rest) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((heading, rest)) if !heading.contains('\n') => (heading.trim(), rest.trim_start()),
        _ => ("", text),
    };
    match rest.split_once(':') {
        Some((name, said)) if is_speech(name, said) => Speech {
            heading,
            speaker: name.trim(),
            said: said.trim_start(),
        },
        _ => Speech {
            heading,
            speaker: "",
            said: rest,
        },
    }
}

/// The share of a speech's sentences that ask, 0 to 1, by their question marks; 0 for a text that
/// is no speech.
#[must_use]
pub fn asking(text: &str) -> f32 {
    let speech = read(text);
    if speech.speaker.is_empty() {
        return 0.0;
    }
    let said = speech.said;
    let sentences = sentences(said);
    let asks = sentences
        .iter()
        .filter(|range| asks(&said[(*range).clone()]))
        .count();
    match sentences.len() {
        0 => 0.0,
        count => asks as f32 / count as f32,
    }
}

/// Whether a sentence ends in a question mark.
pub(crate) fn asks(sentence: &str) -> bool {
    sentence
        .trim_end_matches(['"', '\'', ')', '”', '’'])
        .ends_with(['?', '？'])
}

/// Whether this is a name and what it says, on one line.
fn is_speech(name: &str, said: &str) -> bool {
    is_speaker(name) && said.starts_with(char::is_whitespace) && !said.trim_end().contains('\n')
}

/// A few words, each a name's: capital letter first, letters and marks of names only.
fn is_speaker(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let letters = name.chars().all(|letter| {
        letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '\'' | '’' | '.' | '_')
    });
    (1..=NAME_WORDS).contains(&words)
        && name.chars().count() <= NAME_CHARS
        && letters
        && name
            .split_whitespace()
            .all(|word| word.starts_with(|first: char| first.is_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_and_a_speaker_are_read_and_may_be_missing() {
        let cases = [
            ("[3 May] Ada: Hello.", ("3 May", "Ada", "Hello.")),
            ("Ada Lovelace: Hello.", ("", "Ada Lovelace", "Hello.")),
            ("[a note] Hello.", ("a note", "", "Hello.")),
            (
                "Note that this: is none.",
                ("", "", "Note that this: is none."),
            ),
            ("https://host: x", ("", "", "https://host: x")),
            ("At 3:15 we met.", ("", "", "At 3:15 we met.")),
            (
                "Ada: Hello.\nBo: Hello.",
                ("", "", "Ada: Hello.\nBo: Hello."),
            ),
            ("", ("", "", "")),
        ];
        for (text, (heading, speaker, said)) in cases {
            let expected = Speech {
                heading,
                speaker,
                said,
            };
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_asks_is_told_from_what_says_something() {
        assert_eq!(asking("Ada: Where were you? When?"), 1.0);
        assert_eq!(asking("Ada: I was out. And you?"), 0.5);
        assert_eq!(asking("Ada: I was out."), 0.0);
        assert_eq!(asking("Where were you?"), 0.0);
        assert_eq!(asking(""), 0.0);
    }
}
