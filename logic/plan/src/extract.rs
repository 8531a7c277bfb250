//! A summary of texts in their own words: headings and first sentences, chosen by rules.
//!
//! A small model that is asked for a summary makes one up, and nothing finer than single words can be held
//! against it. What stands here are lines of the text, each with its number.

use regex::Regex;
use std::sync::LazyLock;

/// Most lines that are chosen of one text.
const CHOSEN: usize = 8;
/// Longest line of a summary, characters.
const LINE_CHARS: usize = 200;
/// Most texts of which one is made.
const TEXTS: usize = 3;

/// A constant pattern. One that does not compile would match nothing; a test proves that all do.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Words of a wish for a summary that say nothing of what it is to be about.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:give|show|want|get|need|short|brief|quick|long|little|good|summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr|gist|(?:key|main) points?|overview|all|whole|entire|in (?:one|two|three|four|five|\d+|a few) (?:sentences?|lines?|words))\b",
    )
});

static WANTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|tl;?dr|gist|key points?|main points?|overview)\b",
        r"|\bwhat (?:is|are|does|do|was)\b.*\babout\b|^(?:please )?(?:describe|outline)\b|\bin short\b",
    ))
});
static HEADING: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?:#{1,6} \S|\[[^\]]+\]$|=+ \S.* =+$)"));

/// Whether a request wants a summary.
#[must_use]
pub fn is_wanted(request: &str) -> bool {
    WANTS.as_ref().is_some_and(|wants| wants.is_match(request))
}

/// What a wish for a summary says beside that it is one.
#[must_use]
pub fn subject(request: &str) -> String {
    match SAID.as_ref() {
        Some(said) => said.replace_all(request, " ").into_owned(),
        None => request.to_owned(),
    }
}

/// The summary of texts with their places; `None` where they have no line.
#[must_use]
pub fn summary(texts: &[(String, String)]) -> Option<String> {
    let parts = texts.iter().take(TEXTS);
    let parts: Vec<String> = parts
        .filter_map(|(place, text)| of_one(place, text))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let left_out = match texts.len().saturating_sub(TEXTS) {
        0 => String::new(),
        more => format!("\n\n({more} more left out)"),
    };
    Some(format!(
        "By rules, in the words of the text: headings and first sentences. A summary needs a larger model \
         (`carl models` shows which there are).\n\n{}{left_out}",
        parts.join("\n\n")
    ))
}

fn of_one(place: &str, text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let chosen = chosen(&lines);
    if chosen.is_empty() {
        return None;
    }
    let words = text.split_whitespace().count();
    let counted = |count: usize, unit: &str| match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    };
    let (lines_told, words) = (counted(lines.len(), "line"), counted(words, "word"));
    let mut told = format!("From {place} ({lines_told}, {words}):");
    for (number, line) in chosen {
        told.push_str(&format!("\n  {number}: {line}"));
    }
    Some(told)
}

/// Headings and the first sentence below each; where there are no headings, that of each paragraph.
fn chosen(lines: &[&str]) -> Vec<(usize, String)> {
    let is_heading = |line: &str| {
        HEADING
            .as_ref()
            .is_some_and(|heading| heading.is_match(line.trim_end()))
    };
    let has_headings = lines.iter().any(|line| is_heading(line));
    let mut found: Vec<(usize, String)> = Vec::new();
    // Whether the next line of words is one that begins something.
    let mut begins = true;
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            begins |= !has_headings;
        } else if is_heading(line) {
            found.push((at + 1, short(line)));
            begins = true;
        } else if begins && line.chars().any(char::is_alphanumeric) {
            found.push((at + 1, short(first_sentence(line))));
            begins = false;
        }
        if found.len() == CHOSEN {
            break;
        }
    }
    found
}

/// A line up to the end of its first sentence. A full stop within a word or behind a single letter ends none.
fn first_sentence(line: &str) -> &str {
    let ends = line.match_indices(['.', '!', '?']).find(|(at, mark)| {
        let before = line[..*at]
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default();
        let after = &line[at + mark.len()..];
        let is_word = before.chars().count() > 2 && !before.contains('.');
        is_word && (after.is_empty() || after.starts_with(char::is_whitespace))
    });
    ends.map_or(line, |(at, mark)| &line[..at + mark.len()])
}

fn short(line: &str) -> String {
    let mut short: String = line.chars().take(LINE_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str) -> Vec<(usize, String)> {
        let lines: Vec<&str> = text.lines().collect();
        chosen(&lines)
    }

    #[test]
    fn a_summary_has_headings_and_the_first_sentences_below_them() {
        let text =
            "# Plan\n\nWe meet on Monday. Bring tea.\nMore.\n\nOther.\n\n## Costs\n- 40 Euro\n";
        let told: Vec<(usize, String)> = [
            (1, "# Plan"),
            (3, "We meet on Monday."),
            (8, "## Costs"),
            (9, "- 40 Euro"),
        ]
        .map(|(at, line)| (at, line.to_owned()))
        .to_vec();
        assert_eq!(numbered(text), told);
        let prose = "Mr. Fox e.g. ran. He hid.\nHe slept.\n\nDay two! Rain.\n";
        let told = [
            (1, "Mr. Fox e.g. ran.".to_owned()),
            (4, "Day two!".to_owned()),
        ];
        assert_eq!(numbered(prose), told);
        assert_eq!(numbered("\n---\n\n"), []);
        assert_eq!(numbered(&"x\n\n".repeat(50)).len(), CHOSEN);
    }

    #[test]
    fn a_wish_for_a_summary_is_told_from_a_question() {
        for says in [
            "summarise novel.md",
            "give me a summary of a.md",
            "what is novel.md about?",
            "tl;dr of a.md",
        ] {
            assert!(is_wanted(says), "{says}");
        }
        for says in [
            "which port does a.toml set?",
            "what does Ann think of tea in a.md?",
            "who wrote a.md?",
        ] {
            assert!(!is_wanted(says), "{says}");
        }
        assert!(SAID.is_some() && HEADING.is_some());
        let words: Vec<String> = subject("a short summary of a.md")
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(words, ["a", "of", "a.md"]);
        let texts = [("a.md".to_owned(), "One. Two.\n".to_owned())];
        let told = summary(&texts).unwrap();
        assert!(
            told.ends_with("From a.md (1 line, 2 words):\n  1: One."),
            "{told}"
        );
        assert_eq!(summary(&[("a.md".to_owned(), "\n".to_owned())]), None);
    }
}
