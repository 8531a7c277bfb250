//! Questions that a section of a text answers, told by its heading and what stands below it: `what does CHANGELOG.md
//! say about 0.4.1?`, `what changed in the last release?`.

use crate::names;
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines of a section that are told.
const SHOWN_LINES: usize = 20;

static ABOUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^what (?:does|do|did) +(?:say|tell|state|have|list|write)(?: me| us)? (?:about|on|for|under|of) (?P<a>.+?)$",
        r"|^what (?:is|was|are) (?:said|written|stated|listed|noted) (?:about|on|for|under) (?P<b>.+?) (?:in|of)$",
        r"|^what (?:is|was|were|has|had)? ?(?:changed|new|fixed|added|removed) (?:in|with|for) (?:version |release |the version |the release )?(?P<c>.+?) (?:in|according to|of)$",
    ))
});
static RELEASE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^what(?:['\u{2019}]s| is| has| was| have)? (?:we )?(?:changed?|new|fixed|added) (?:in|with|since|by|for) (?:",
        r"(?:the |our |your )?(?:last|latest|newest|current|most recent) (?:release|version)|(?:the )?(?:version|release) (?P<v>\S*\d\S*?))[ ?.!]*$",
    ))
});

/// Which release a question is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Release {
    /// The first one that a text has.
    Last,
    /// The one with this number.
    Numbered(String),
}

/// The release whose changes a question is for.
pub(super) fn release(question: &str) -> Option<Release> {
    let found = RELEASE.as_ref()?.captures(question.trim())?;
    Some(match found.name("v") {
        Some(number) => Release::Numbered(number.as_str().to_owned()),
        None => Release::Last,
    })
}

/// What a question wants to know of a file whose name it has.
fn about(question: &str, path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let question = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let asked = question.replace(path, " ").replace(name, " ");
    let asked: Vec<&str> = asked.split_whitespace().collect();
    let asked = asked.join(" ").replace(" the file", "");
    let found = ABOUT.as_ref()?.captures(&asked)?;
    let said = ["a", "b", "c"]
        .into_iter()
        .find_map(|name| found.name(name))?;
    let said = said.as_str().trim_matches(['"', '\'', '`']);
    Some(said.strip_prefix("the ").unwrap_or(said).to_owned())
}

/// Whether a question may be one that a section of a text answers.
pub(super) fn may_tell(question: &str, path: &str) -> bool {
    plain::is_prose(path) && about(question, path).is_some()
}

/// The section that answers a question; `None` where no heading has its words, or more than one.
pub(super) fn told(question: &str, path: &str, text: &str) -> Option<String> {
    let about = about(question, path)
        .filter(|_| plain::is_prose(path))?
        .to_lowercase();
    let sections = sections(text);
    let has = |section: &&Section<'_>| names::has_words(&section.heading.to_lowercase(), &about);
    let mut found = sections.iter().filter(has);
    let section = found.next().filter(|_| found.next().is_none())?;
    Some(section.told(path))
}

/// What a text says of a release.
pub(super) fn of_release(release: &Release, path: &str, text: &str) -> Option<String> {
    let sections = sections(text);
    let is_it = |section: &&Section<'_>| match release {
        Release::Last => {
            let lower = section.heading.to_lowercase();
            lower.contains(|c: char| c.is_ascii_digit()) && !lower.contains("unreleased")
        }
        Release::Numbered(number) => names::has_words(section.heading, number),
    };
    sections
        .iter()
        .find(is_it)
        .map(|section| section.told(path))
}

/// A heading of Markdown, with the lines that stand below it.
struct Section<'a> {
    number: usize,
    level: usize,
    heading: &'a str,
    below: Vec<(usize, &'a str)>,
}

impl Section<'_> {
    fn told(&self, path: &str) -> String {
        let below = self
            .below
            .iter()
            .filter(|(_, line)| !line.trim().is_empty());
        let below: Vec<&(usize, &str)> = below.collect();
        let shown = below.iter().take(SHOWN_LINES);
        let shown: String = shown
            .map(|(at, line)| format!("\n  {at}: {}", line.trim_end()))
            .collect();
        let more = match below.len().saturating_sub(SHOWN_LINES) {
            0 => String::new(),
            more => format!("\n  \u{2026} and {more} more lines"),
        };
        let heading = self.heading.trim_start_matches('#').trim();
        format!(
            "The section \"{heading}\" says it (by rules, no model).\n\nFrom {path}:\n  {}: {}{shown}{more}",
            self.number, self.heading
        )
    }
}

/// The sections of a text; what stands in code is no heading.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut all: Vec<Section<'_>> = Vec::new();
    let mut is_code = false;
    for (at, line) in text.lines().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let level = line.len() - line.trim_start_matches('#').len();
        let is_heading =
            !is_code && (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
        let level = if is_heading { level } else { usize::MAX };
        all.push(Section {
            number: at + 1,
            level,
            heading: line,
            below: Vec::new(),
        });
    }
    let lines: Vec<(usize, usize, &str)> = all
        .iter()
        .map(|one| (one.number, one.level, one.heading))
        .collect();
    for section in all.iter_mut().filter(|one| one.level < usize::MAX) {
        let below = lines.iter().skip(section.number);
        let below = below.take_while(|(_, level, _)| *level > section.level);
        section.below = below.map(|(number, _, line)| (*number, *line)).collect();
    }
    all.retain(|one| one.level < usize::MAX);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "# Changes\n\n## Unreleased\n- soon\n\n## 0.4.2 (May)\n- faster\n\n### Fixed\n- a leak\n\n## 0.4.1\n- first\n";

    #[test]
    fn a_section_is_told_with_the_lines_below_its_heading() {
        let of = |question: &str| told(question, "CHANGELOG.md", LOG).unwrap_or_default();
        for question in [
            "what does CHANGELOG.md say about 0.4.1?",
            "what changed in 0.4.1 in CHANGELOG.md?",
        ] {
            let is = of(question);
            assert!(
                is.ends_with("12: ## 0.4.1\n  13: - first"),
                "{question}: {is}"
            );
        }
        assert!(of("what does CHANGELOG.md say about 0.4.2?").contains("- a leak"));
        for other in [
            "what does CHANGELOG.md say about 0.4?",
            "what does CHANGELOG.md say?",
        ] {
            assert_eq!(of(other), "", "{other}");
        }
    }

    #[test]
    fn the_last_release_is_the_first_with_a_number() {
        for (question, says) in [
            ("what changed in the last release?", "0.4.2 (May)"),
            ("what's new in the latest version?", "0.4.2 (May)"),
            ("what changed in version 0.4.1?", "0.4.1"),
        ] {
            let release = release(question).unwrap();
            let told = of_release(&release, "CHANGELOG.md", LOG).unwrap();
            assert!(told.contains(&format!("\"{says}\"")), "{question}: {told}");
        }
        assert_eq!(release("what changed?"), None);
    }
}
