//! What is counted and listed in a text, told exactly: `how often does Tom occur in novel.md?`, `list the
//! headings of novel.md`.

use super::lines::Lines;
use crate::names;
use crate::quoted::{mark, marked};
use crate::rules::grammar::{COUNTS, HEADINGS, expand};
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines that an answer shows, and characters of each.
const SHOWN_LINES: usize = 20;
const SHOWN_CHARS: usize = 80;

static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(COUNTS)));
static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(HEADINGS)));

/// What a question wants to know of a text, exactly.
enum Wanted {
    Count { text: String, is_quoted: bool },
    Headings,
}

fn wanted(question: &str) -> Option<Wanted> {
    let question = question.trim().trim_end_matches(['?', ' ']);
    let (marks, quotes) = marked(question);
    if HEADING.as_ref()?.is_match(&marks) {
        return Some(Wanted::Headings);
    }
    let found = COUNT.as_ref()?.captures(&marks)?;
    let said = ["x", "y", "z", "w"]
        .into_iter()
        .find_map(|name| found.name(name))?;
    let said = said.as_str().trim();
    let quote = quotes.iter().enumerate().find(|(at, _)| said == mark(*at));
    Some(match quote {
        Some((_, text)) => Wanted::Count {
            text: text.clone(),
            is_quoted: true,
        },
        None => Wanted::Count {
            text: said.to_owned(),
            is_quoted: false,
        },
    })
}

/// Whether a question is one for what is counted or listed in a text.
pub(crate) fn may_count(question: &str) -> bool {
    wanted(question).is_some()
}

/// What a text says to such a question; `None` where it is another one.
pub(super) fn told(question: &str, path: &str, text: &str) -> Option<String> {
    let lines = Lines { path, text };
    Some(match wanted(question)? {
        Wanted::Count { text, is_quoted } => lines.count(&text, is_quoted),
        Wanted::Headings => lines.headings(),
    })
}

fn times(count: usize) -> String {
    match count {
        0 => "not once".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

impl Lines<'_> {
    /// How often a text stands here: bare words where they are whole words, in the letters that were typed.
    fn count(&self, sought: &str, is_quoted: bool) -> String {
        let all = self
            .text
            .match_indices(sought)
            .map(|(at, _)| at..at + sought.len());
        let (whole, parts): (Vec<_>, Vec<_>) =
            all.partition(|place| is_quoted || names::is_words(self.text, place.clone()));
        let lower = self
            .text
            .to_lowercase()
            .matches(&sought.to_lowercase())
            .count();
        let others = lower.saturating_sub(whole.len() + parts.len());
        let how = if is_quoted { "" } else { " as a whole word" };
        let mut said = format!(
            "`{sought}` stands {} in {}{how}",
            times(whole.len()),
            self.path
        );
        if !parts.is_empty() {
            said.push_str(&format!(", and {} within longer words", times(parts.len())));
        }
        if others > 0 {
            said.push_str(&format!(
                ", and {} in other capital or small letters",
                times(others)
            ));
        }
        let numbers = whole
            .iter()
            .map(|place| self.text[..place.start].matches('\n').count() + 1);
        let mut numbers: Vec<usize> = numbers.collect();
        numbers.dedup();
        let shown = numbers
            .iter()
            .take(SHOWN_LINES)
            .filter_map(|number| self.numbered(*number));
        let shown: String = shown.collect();
        self.with_lines(&said, &shown, numbers.len())
    }

    /// The headings of a document, by the signs of Markdown.
    fn headings(&self) -> String {
        if !plain::is_prose(self.path) {
            return format!(
                "I know headings of Markdown alone: `show {}` shows the file.",
                self.shown_path()
            );
        }
        let mut is_code = false;
        let mut found: Vec<usize> = Vec::new();
        for (at, line) in self.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            }
            let level = line.len() - line.trim_start_matches('#').len();
            let is_heading = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
            if is_heading && !is_code {
                found.push(at + 1);
            }
        }
        let said = match found.len() {
            0 => format!(
                "{} has no heading: no line begins with `#` and a space",
                self.path
            ),
            1 => format!("{} has 1 heading", self.path),
            count => format!("{} has {count} headings", self.path),
        };
        let shown = found
            .iter()
            .take(SHOWN_LINES)
            .filter_map(|number| self.numbered(*number));
        let shown: String = shown.collect();
        self.with_lines(&said, &shown, found.len())
    }

    fn numbered(&self, number: usize) -> Option<String> {
        let line = self.text.lines().nth(number - 1)?;
        let line: String = line.trim().chars().take(SHOWN_CHARS).collect();
        Some(format!("\n  {number}: {line}"))
    }

    fn with_lines(&self, said: &str, shown: &str, count: usize) -> String {
        let said = format!("{said} (by rules, no model).");
        let more = count.saturating_sub(SHOWN_LINES);
        match (shown.is_empty(), more) {
            (true, _) => said,
            (false, 0) => format!("{said}\n\nFrom {}:{shown}", self.path),
            (false, more) => format!(
                "{said}\n\nFrom {}:{shown}\n  … and {more} more lines",
                self.path
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOVEL: &str = "# One\nTom met Tommy. Tom left.\n```\n# code\n```\n## Two\ntom\n";

    #[test]
    fn words_and_headings_are_told_exactly() {
        for (question, told_) in [
            (
                "count the word Tom in novel.md",
                "`Tom` stands twice in novel.md as a whole word, and once within longer words, and once in other",
            ),
            (
                "how often does Tom occur in novel.md?",
                "`Tom` stands twice",
            ),
            (
                "How many times is the name Tom mentioned in novel.md?",
                "`Tom` stands twice",
            ),
            (
                "how often does \"Tom\" occur in novel.md?",
                "`Tom` stands 3 times in novel.md",
            ),
            (
                "count all occurrences of Eve in novel.md",
                "`Eve` stands not once",
            ),
            (
                "list the headings of novel.md",
                "novel.md has 2 headings (by rules, no model).\n\nFrom novel.md:\n  1: # One\n  6: ## Two",
            ),
            (
                "which headings does novel.md have?",
                "novel.md has 2 headings",
            ),
        ] {
            let answer = told(question, "novel.md", NOVEL).unwrap_or_default();
            assert!(answer.starts_with(told_), "{question}: {answer}");
        }
        for other in [
            "count the words in novel.md",
            "how many words does novel.md have?",
            "show novel.md",
        ] {
            assert!(!may_count(other), "{other}");
        }
        let code = told("list the headings of a.py", "a.py", "# x\n").unwrap_or_default();
        assert!(
            code.starts_with("I know headings of Markdown alone"),
            "{code}"
        );
    }
}
