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
        r"(?:the |our |your )?(?:last|latest|newest|current|most recent) (?:release|version)|(?:the )?(?:version|release) (?P<v>\S*\d\S*?)|(?P<n>v?\d+(?:\.\d+)+[\w.+-]*?))[ ?.!]*$",
    ))
});

/// A word that is the number of a release.
static OF_NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^[\[(]?v?\d+(?:\.\d+)+[\w.+-]*[\])]?,?:?$"));
/// A line that says no more than a release and when it was.
static RELEASE_LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^\[?v?\d+(?:\.\d+)+[\w.+-]*\]?(?: *[(:–-].*)?$"));

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
    Some(match found.name("v").or_else(|| found.name("n")) {
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
    let is_number = about
        .trim_start_matches('v')
        .starts_with(|c: char| c.is_ascii_digit())
        && !about.contains(char::is_whitespace);
    let has = |section: &&Section<'_>| match is_number {
        true => is_of_release(section.heading, &about),
        false => names::has_words(&section.heading.to_lowercase(), &about),
    };
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
        Release::Numbered(number) => is_of_release(section.heading, number),
    };
    let found = sections.iter().find(is_it);
    let told = found.map(|section| section.told(path));
    told.or_else(|| no_release(release, path, &sections))
}

/// Most releases that are named where the one that is asked for is not among them.
const NAMED_RELEASES: usize = 6;

/// What is told of a release that has no section, where others have one.
fn no_release(release: &Release, path: &str, sections: &[Section<'_>]) -> Option<String> {
    let Release::Numbered(number) = release else {
        return None;
    };
    let is_numbered = |heading: &&str| {
        let mut words = heading.split_whitespace();
        words.any(|word| OF_NUMBER.as_ref().is_some_and(|form| form.is_match(word)))
    };
    let headings = sections
        .iter()
        .map(|section| section.heading.trim_start_matches('#').trim());
    let others: Vec<&str> = headings.filter(is_numbered).take(NAMED_RELEASES).collect();
    (!others.is_empty()).then(|| {
        let others = others.join(", ");
        format!("{path} has no section for {number} (by rules, no model). It has {others}.")
    })
}

/// Whether a heading names a release by its whole number, with or without a `v`: `2.0.1` is neither `2.0.10` nor
/// `12.0.1`, `2.0.1-rc.1` or `2.0.1.1`.
fn is_of_release(heading: &str, number: &str) -> bool {
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.strip_prefix(['v', 'V']).unwrap_or(word).to_lowercase()
    };
    let number = bare(number);
    let mut words = heading.split(|c: char| c.is_whitespace() || "[](),:".contains(c));
    words.any(|word| bare(word) == number)
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
        // `2.0.10 (2026-11-01)` alone on its line heads what changed.
        let is_release = !is_code
            && RELEASE_LINE
                .as_ref()
                .is_some_and(|form| form.is_match(line));
        let level = match (is_heading, is_release) {
            (true, _) => level,
            (false, true) => 2,
            (false, false) => usize::MAX,
        };
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
            ("what changed in 0.4.1?", "0.4.1"),
            ("what's new in v0.4.2", "0.4.2 (May)"),
        ] {
            let release = release(question).unwrap();
            let told = of_release(&release, "CHANGELOG.md", LOG).unwrap();
            assert!(told.contains(&format!("\"{says}\"")), "{question}: {told}");
        }
        assert_eq!(release("what changed?"), None);
        assert_eq!(release("what changed in 3 days?"), None);
    }

    #[test]
    fn a_release_that_has_no_section_is_said_to_have_none() {
        let of = |number: &str, text: &str| {
            of_release(&Release::Numbered(number.to_owned()), "C.md", text)
        };
        let told = of("0.4", LOG).unwrap();
        assert!(
            told.ends_with("no section for 0.4 (by rules, no model). It has 0.4.2 (May), 0.4.1."),
            "{told}"
        );
        assert_eq!(of("0.4", "# Notes\n- 0.4\n"), None);
        let plain = "2.0.10 (2026-11-01)\n  * cache\n\n2.0.1 - May\n  * first\n";
        let told = of("2.0.1", plain).unwrap();
        assert!(told.ends_with("4: 2.0.1 - May\n  5:   * first"), "{told}");
    }

    #[test]
    fn a_release_is_found_by_its_whole_number() {
        for heading in [
            "## [2.0.1] - 2026-11-01",
            "## v2.0.1",
            "### 2.0.1 (May)",
            "# Release 2.0.1:",
        ] {
            assert!(
                is_of_release(heading, "2.0.1") && is_of_release(heading, "v2.0.1"),
                "{heading}"
            );
        }
        for heading in [
            "## 2.0.10",
            "## 12.0.1",
            "## [2.0.1-rc.1]",
            "## 2.0.1.1",
            "## 2.0",
        ] {
            assert!(!is_of_release(heading, "2.0.1"), "{heading}");
        }
    }
}
