//! What is counted in data that came with a request: `count the errors`.

use regex::Regex;
use std::sync::LazyLock;

/// How the data is called beside an answer.
pub const PLACE: &str = "the data that was given";
/// Most lines that an answer shows.
const SHOWN_LINES: usize = 20;

/// A constant pattern. One that does not compile would match nothing; a test proves that all do.
static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:please )?count (?:all )?(?:of )?(?:the )?(?:lines (?:with|about|that (?:have|say|contain)) )?(?P<word>[\w-]{3,})(?: (?:in|of) (?:it|this|that|the (?:data|input|text)))?[.! ]*$",
    )
    .ok()
});

/// How many lines or words the data has, or lines with a word, if that is what a request orders.
#[must_use]
pub fn counted(request: &str, data: &str) -> Option<String> {
    let found = COUNT.as_ref()?.captures(request.trim())?;
    let word = found["word"].to_lowercase();
    let of = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    let total = |count: usize, one: &str| {
        let words = of(count, one);
        format!("{words} in {PLACE} (by rules, no model).")
    };
    match word.as_str() {
        "lines" => return Some(total(data.lines().count(), "line")),
        "words" => return Some(total(data.split_whitespace().count(), "word")),
        "characters" => return Some(total(data.chars().count(), "character")),
        _ => {}
    }
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2);
    let stem = stem.unwrap_or(&word);
    let lines = data.lines();
    let lines: Vec<&str> = lines
        .filter(|line| line.to_lowercase().contains(stem))
        .collect();
    let shown: String = lines
        .iter()
        .take(SHOWN_LINES)
        .map(|line| format!("\n  {}", line.trim()))
        .collect();
    let have = match lines.len() {
        1 => "has",
        _ => "have",
    };
    let count = of(lines.len(), "line");
    let told = format!("{count} of {PLACE} {have} `{stem}` (by rules, no model).");
    Some(match shown.is_empty() {
        true => told,
        false => format!("{told}\n\nFrom {PLACE}:{shown}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_word_are_counted_in_data() {
        let data = "ok\nerror one\nERROR two\n";
        for (says, begins) in [
            (
                "count the errors",
                "2 lines of the data that was given have `error`",
            ),
            ("Count all lines with error.", "2 lines of the data"),
            ("count the lines", "3 lines in the data"),
            ("count the words in it", "5 words in the data"),
        ] {
            let told = counted(says, data).unwrap_or_default();
            assert!(told.starts_with(begins), "{says}: {told}");
        }
        for other in ["which errors are there?", "count the errors of Monday"] {
            assert_eq!(counted(other, data), None, "{other}");
        }
    }
}
