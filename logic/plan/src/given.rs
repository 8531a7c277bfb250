//! What is counted in data that came with a request: `count the errors`.

use crate::rules::in_file::line_filter;
use crate::rules::words::number;
use domain::fault::Fault;
use regex::Regex;
use std::sync::LazyLock;

/// How the data is called beside an answer.
pub const PLACE: &str = "the data that was given";
/// Most lines that an answer shows.
const SHOWN_LINES: usize = 20;
/// Lines of an end that are shown where no number is said.
const ENDS_LINES: usize = 10;

/// A constant pattern. One that does not compile would match nothing; a test proves that all do.
static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:please )?count (?:all )?(?:of )?(?:the )?(?:lines (?:with|about|that (?:have|say|contain)) )?(?P<word>[\w-]{3,})(?: (?:in|of) (?:it|this|that|the (?:data|input|text)))?[.! ]*$",
    )
    .ok()
});

/// What is said of an order about the data that the rules do not know, where the model is tiny: what such a one
/// writes of it is made up as often as not.
#[must_use]
pub fn not_known() -> Fault {
    Fault {
        code: "plan.not_understood".to_owned(),
        message: "What this orders of the data that was given I do not know, and a model of this size would make \
                  it up. Nothing was done."
            .to_owned(),
        hint: "Such as `show the last 5 lines`, `lines with ERROR`, `count the lines` or `summarise this`; or use a \
               larger model (`carl models`)."
            .to_owned(),
    }
}

/// The lines of the data that a request orders, by where they stand or by what they say.
fn part(request: &str, data: &str) -> Option<String> {
    static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:please )?(?:(?:show|print|give|list|get|display)(?: me)? |what (?:is|are) )?(?:the )?(?P<end>first|last|top|bottom) (?:(?P<n>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten) )?lines?(?: (?:in|of|from) (?:it|this|that|the (?:data|input|log|text|file)))?[.?! ]*$",
        )
        .ok()
    });
    if let line_filter::Reading::Lines(asked) = line_filter::read(request, None) {
        return Some(asked.told(PLACE, data));
    }
    let found = ENDS.as_ref()?.captures(request.trim())?;
    let said = found
        .name("n")
        .and_then(|n| number(&n.as_str().to_lowercase()));
    let is_one = !found[0].to_lowercase().contains("lines");
    let most = match (said, is_one) {
        (Some(said), _) => usize::try_from(said).ok()?,
        (None, true) => 1,
        (None, false) => ENDS_LINES,
    };
    let lines: Vec<&str> = data.lines().collect();
    let is_last = ["last", "bottom"].contains(&found["end"].to_lowercase().as_str());
    let start = if is_last {
        lines.len().saturating_sub(most)
    } else {
        0
    };
    let shown = lines.iter().enumerate().skip(start).take(most);
    let shown: String = shown
        .map(|(at, line)| format!("\n  {}: {line}", at + 1))
        .collect();
    Some(format!("From {PLACE} (by rules, no model):{shown}"))
}

/// How many lines or words the data has, or lines with a word, if that is what a request orders.
#[must_use]
pub fn counted(request: &str, data: &str) -> Option<String> {
    if let Some(part) = part(request, data) {
        return Some(part);
    }
    static MANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^how many (?P<word>lines|words|characters)(?: (?:are there|does (?:it|this) have|are in (?:it|this)))?[?. ]*$",
        )
        .ok()
    });
    let request = request.trim();
    let many = MANY.as_ref().and_then(|many| many.captures(request));
    let found = many.or_else(|| COUNT.as_ref()?.captures(request))?;
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
    let mut shown: String = lines
        .iter()
        .take(SHOWN_LINES)
        .map(|line| format!("\n  {}", line.trim()))
        .collect();
    let more = lines.len().saturating_sub(SHOWN_LINES);
    if more > 0 {
        shown.push_str(&format!("\n  … and {more} more lines"));
    }
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
            (
                "Count all lines with error.",
                "the data that was given has 2 lines with `error`",
            ),
            ("count the lines", "3 lines in the data"),
            ("how many lines", "3 lines in the data"),
            ("how many words does it have?", "5 words in the data"),
            ("count the words in it", "5 words in the data"),
            (
                "show the last 2 lines",
                "From the data that was given (by rules, no model):\n  2: error one\n  3: ERROR two",
            ),
            (
                "show the first line",
                "From the data that was given (by rules, no model):\n  1: ok",
            ),
            (
                "which lines have ERROR?",
                "the data that was given has 1 line with `ERROR`",
            ),
        ] {
            let told = counted(says, data).unwrap_or_default();
            assert!(told.starts_with(begins), "{says}: {told}");
        }
        for other in ["which errors are there?", "count the errors of Monday"] {
            assert_eq!(counted(other, data), None, "{other}");
        }
    }
}
