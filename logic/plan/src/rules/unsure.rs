//! Orders that say more than a step can hold: of a part of a file, or under a condition. No rule fits
//! them, and a small model makes a larger change of them than was asked for.

use super::refusal::Refusal;
use super::words::{Request, is_file, pattern, trim_word};
use regex::Regex;
use std::sync::LazyLock;

/// How an order to take something away begins.
static REMOVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:delete|remove|erase|drop|strike|trash|wipe|clear|purge|cut|take out|cross out|get rid of|throw away|throw out|bin)\b",
    )
});
/// Words of a condition, or of what is left out.
static LIMITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:if|unless|only|except|excluding|but|provided|as long as|in case|once|twice|apart from|other than)\b",
    )
});
/// Words that say within which file something is.
const WITHIN: [&str; 6] = ["from", "of", "in", "out", "inside", "within"];
/// Words between those and the file.
const BESIDE_FILES: [&str; 3] = ["the", "my", "file"];

/// Why an order that no rule fits is not left to a small model.
pub(super) fn refusal(request: &Request, text: &str) -> Option<Refusal> {
    let shown = request.shown(text);
    if !hits(&REMOVES, text) {
        return None;
    }
    if hits(&LIMITS, text) {
        return Some(of_a_condition(&shown));
    }
    part_of_a_file(request, text).map(|file| of_a_part(&shown, &file))
}

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn of_a_condition(shown: &str) -> Refusal {
    let why = format!(
        "`{shown}` has a condition or an exception, and I look at none before I change something."
    );
    let nearest = vec!["look first, and then say what to do without it".to_owned()];
    Refusal::ambiguous(why, nearest)
}

fn of_a_part(shown: &str, file: &str) -> Refusal {
    let why = format!(
        "`{shown}` speaks of a part of {file}: I remove a text in quotes, or a line by what it says."
    );
    let nearest = vec![
        format!("remove \"the exact text\" from {file}"),
        format!("remove the line about \"a word of it\" from {file}"),
    ];
    Refusal::ambiguous(why, nearest)
}

/// The file of which an order names a part: `Tom from novel.md`, `chapter 2 of novel.md`.
fn part_of_a_file(request: &Request, text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().map(trim_word).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let file = request.piece(word)?.text;
        let mut before = words[..at].iter().rev().map(|word| word.to_lowercase());
        let last = before.find(|word| !BESIDE_FILES.contains(&word.as_str()))?;
        let is_within = WITHIN.contains(&last.as_str());
        (is_within && is_file(&file)).then(|| request.shown(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        for constant in [&REMOVES, &LIMITS] {
            assert!(constant.is_some());
        }
    }
}
