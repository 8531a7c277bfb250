//! What is counted and listed in a text, told exactly: `how often does Tom occur in novel.md?`, `list the
//! headings of novel.md`.

use super::lines::Lines;
use super::whole_words::is_of_a_number;
use crate::names;
use crate::quoted::{mark, marked};
use crate::rules::grammar::{self, COUNTS, HEADINGS, REPORTS, expand};
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines that an answer shows, and characters of each.
const SHOWN_LINES: usize = 20;
const SHOWN_CHARS: usize = 80;

static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(COUNTS)));
static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(HEADINGS)));

/// What counts items with a box.
static BOXES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:which|how many|what) (?:(?P<a>open|unfinished|unchecked|remaining|undone|done|finished|completed|checked|ticked) )?",
        r"(?:tasks|todos|to-dos|items|boxes|points)(?: (?:are|is|have been|were))?(?: there)?(?: still)?(?: (?P<b>(?:not (?:yet )?|never )?(?:open|unfinished|unchecked|undone|left|done|finished|completed|checked|ticked)(?: yet)?))?",
        r" (?:in|on|of) (?:the )?(?:file )?\S+$",
    ))
});

/// The same of what is open, without a word for it.
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^what(?:'s|’s| is) (?:still )?(?:open|undone|unfinished|not done(?: yet)?|left to do) (?:in|on|of) (?:the )?(?:file )?\S+$",
    )
});

/// What counts lines by a number that they have: `how many requests returned 500 in access.log`.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:tell me )?(?:how many|which|what|(?:show|list)(?: me)?(?: all)?(?: the)?) (?P<of>requests|calls|responses|answers|lines|entries|records|rows|jobs|hits|pages|queries|commands)",
        r" (?:(?:have |has |had |were |are |was |is )?(?:returned|got|gave|given|ended|failed|answered|responded|exited|finished|returning)(?: with| in| by)?|have|has|had|with|contain|are)",
        r"(?: an?| the)?(?: (?:http|status|code|error|exit|response|result))*",
        r" (?P<n>\d+)(?: errors?| status| codes?| responses?)*(?: are| were)?(?: there)? (?:in|of|according to) (?:the )?(?:file )?\S+$",
    ))
});

/// The same of a status before what has it: `how many 404s are in access.log`.
static STATUS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:tell me )?(?:how many|count (?:all )?(?:the )?)\s?(?:http )?(?P<n>[1-5]\d\d)(?:['’]?s|(?: status| error)?(?: codes?| errors?| responses?| answers?| requests?))",
        r"(?: are| were)?(?: there)? (?:in|of) (?:the )?(?:file )?\S+$",
    ))
});

/// What counts lines by a word that stands before them: `how many ERROR lines are in app.log`. In small letters only
/// what logs call their lines is such a word.
static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:how many|count (?:all )?(?:the )?)\s?(?:",
        r"(?P<a>(?-i:[A-Z][A-Z0-9_]+)|\x{E000}\d+\x{E001}|error|warning|warn|info|debug|trace|fatal|critical|notice|failure)[ -]lines",
        r"|lines (?:with (?:the )?(?:level|status|severity)|of (?:the )?(?:level|severity)) (?P<b>[\w-]+))",
        r"(?: (?:are|is|were|stand))?(?: there)? (?:(?:in|of|from) (?:the )?(?:file )?\S+|(?:does|do|has|have) (?:the )?(?:file )?\S+(?: have| contain)?)$",
    ))
});

/// What a question wants to know of a text, exactly.
enum Wanted {
    /// The lines with a word, in the letters of the question where these are capitals.
    Lines(String),
    /// The lines with a number, which may be the status of a request.
    Number {
        number: String,
        is_status: bool,
    },
    /// Items with a box: those that are done, or those that are not; all where it does not say.
    Boxes {
        are_done: Option<bool>,
    },
    Count {
        text: String,
        is_quoted: bool,
    },
    Headings,
}

fn wanted(question: &str) -> Option<Wanted> {
    let question = question.trim().trim_end_matches(['?', ' ']);
    let (marks, quotes) = marked(question);
    if HEADING.as_ref()?.is_match(&marks) {
        return Some(Wanted::Headings);
    }
    if OPEN.as_ref()?.is_match(&marks) {
        return Some(Wanted::Boxes {
            are_done: Some(false),
        });
    }
    if let Some(found) = BOXES.as_ref()?.captures(&marks) {
        let state = found.name("a").or_else(|| found.name("b"));
        let state = state.map(|state| state.as_str().to_lowercase());
        let are_done = state.map(|state| {
            let is_turned = ["not ", "never "].iter().any(|not| state.starts_with(not));
            let done = ["done", "finished", "completed", "checked", "ticked"];
            state.split(' ').any(|word| done.contains(&word)) != is_turned
        });
        return Some(Wanted::Boxes { are_done });
    }
    if let Some(found) = NUMBER.as_ref()?.captures(&marks) {
        let is_of_lines =
            ["lines", "entries", "records", "rows"].contains(&found["of"].to_lowercase().as_str());
        return Some(Wanted::Number {
            number: found["n"].to_owned(),
            is_status: !is_of_lines,
        });
    }
    if let Some(found) = STATUS.as_ref()?.captures(&marks) {
        return Some(Wanted::Number {
            number: found["n"].to_owned(),
            is_status: true,
        });
    }
    if let Some(found) = LINES.as_ref()?.captures(&marks) {
        let word = found.name("a").or_else(|| found.name("b"))?.as_str();
        let mut quotes = quotes.iter().enumerate();
        let quoted = quotes.find(|(at, _)| word == mark(*at));
        let word = quoted.map_or(word, |(_, text)| text.as_str());
        return Some(Wanted::Lines(word.to_owned()));
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

/// What a question counts in the log that is not named: `error` of `how many errors are in the log?`.
pub(super) fn reported(question: &str) -> Option<String> {
    static REPORT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(REPORTS)));
    let question = question.trim().trim_end_matches(['?', ' ']);
    let found = REPORT.as_ref()?.captures(question)?;
    Some(grammar::reported(&found["report"].to_lowercase()).to_owned())
}

/// A question for lines of the log that is not named, with the only log there is in its place: `how many ERROR lines
/// are in the log?`.
pub(super) fn of_the_log(question: &str, path: &str) -> Option<String> {
    static THE_LOG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"(?i)^(?P<asks>.+ (?:in|of|from)) (?:the|my|our) log(?: file)?[ ?.!]*$")
    });
    let found = THE_LOG.as_ref()?.captures(question.trim())?;
    let whole = format!("{} {path}", &found["asks"]);
    matches!(wanted(&whole)?, Wanted::Lines(_) | Wanted::Number { .. }).then_some(whole)
}

/// The lines of a log that have a word, in any letters.
pub(super) fn told_reports(word: &str, path: &str, text: &str) -> String {
    let lines = Lines { path, text };
    let has = |line: &str| line.to_lowercase().contains(word);
    lines.told_lines(has, &format!("`{word}`, in capital or small letters"))
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
        Wanted::Number { number, is_status } => {
            let of_requests = lines.with_status(&number).filter(|_| is_status);
            of_requests.unwrap_or_else(|| lines.with_number(&number, is_status))
        }
        Wanted::Lines(word) => lines.with_word(&word),
        Wanted::Boxes { are_done } => lines.boxes(are_done)?,
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
    /// How many items with a box there are, and which; `None` where there are none at all.
    fn boxes(&self, are_done: Option<bool>) -> Option<String> {
        let item = pattern(r"^[ \t]*[-*+][ \t]+\[(?P<x>[ xX])\][ \t]*(?P<says>.*)$")?;
        let all = self.text.lines().enumerate().filter_map(|(at, line)| {
            let found = item.captures(line)?;
            Some((at + 1, &found["x"] != " ", found["says"].trim().to_owned()))
        });
        let all: Vec<(usize, bool, String)> = all.collect();
        let count = |done: bool| {
            all.iter()
                .filter(|(_, is_done, _)| *is_done == done)
                .count()
        };
        let (open, done) = (count(false), count(true));
        let said = match are_done {
            None => format!(
                "{} items with a box: {open} open and {done} done",
                all.len()
            ),
            Some(false) => format!("{open} open of {} items with a box", all.len()),
            Some(true) => format!("{done} done of {} items with a box", all.len()),
        };
        let shown = all
            .iter()
            .filter(|(_, is_done, _)| are_done.is_none_or(|are| are == *is_done));
        let shown = shown.take(SHOWN_LINES).map(|(number, _, says)| {
            let says: String = says.chars().take(SHOWN_CHARS).collect();
            format!("\n  {number}: {says}")
        });
        let shown: String = shown.collect();
        (!all.is_empty()).then(|| format!("{} has {said} (by rules, no model).{shown}", self.path))
    }

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

    /// The lines that have a number, and no longer one that it is a part of.
    fn with_number(&self, number: &str, is_status: bool) -> String {
        let is_whole = |line: &str, at: usize| {
            let place = at..at + number.len();
            names::is_words(line, place.clone()) && !is_of_a_number(line, &place)
        };
        let has = |line: &str| line.match_indices(number).any(|(at, _)| is_whole(line, at));
        let may_be = match is_status {
            true => ", whether it is a status, a size or another number",
            false => "",
        };
        self.told_lines(has, &format!("`{number}` as a whole number{may_be}"))
    }

    /// The lines that have a word, in any letters where the question has it in small ones.
    fn with_word(&self, word: &str) -> String {
        let is_small = word.chars().all(|c| !c.is_uppercase());
        let has = |line: &str| {
            let line = match is_small {
                true => line.to_lowercase(),
                false => line.to_owned(),
            };
            let mut places = line.match_indices(word);
            places.any(|(at, _)| names::is_words(&line, at..at + word.len()))
        };
        let how = match is_small {
            true => "as a whole word, in capital or small letters",
            false => "as a whole word",
        };
        self.told_lines(has, &format!("`{word}` {how}"))
    }

    /// How many lines have something, and which.
    pub(super) fn told_lines(&self, has: impl Fn(&str) -> bool, what: &str) -> String {
        let lines = self.text.lines().enumerate();
        let found: Vec<usize> = lines
            .filter(|(_, line)| has(line))
            .map(|(at, _)| at + 1)
            .collect();
        let lines = match found.len() {
            0 => "No line".to_owned(),
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let have = if found.len() > 1 { "have" } else { "has" };
        let said = format!("{lines} of {} {have} {what}", self.path);
        let shown = found
            .iter()
            .take(SHOWN_LINES)
            .filter_map(|number| self.numbered(*number));
        let shown: String = shown.collect();
        self.with_lines(&said, &shown, found.len())
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
