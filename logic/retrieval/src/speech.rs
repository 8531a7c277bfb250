//! What a text says of itself at its beginning: a date in brackets, and who speaks.

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

/// Reads `[heading] Speaker: what is said`. Both parts may be missing.
#[must_use]
pub fn read(text: &str) -> Speech<'_> {
    let text = text.trim_start();
    let (heading, rest) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((heading, rest)) if !heading.contains('\n') => (heading.trim(), rest.trim_start()),
        _ => ("", text),
    };
    match rest.split_once(':') {
        Some((name, said)) if is_speaker(name) && said.starts_with(char::is_whitespace) => Speech {
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
