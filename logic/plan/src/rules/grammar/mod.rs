//! The rules: what people say for each action. Order matters; the first that fits is taken.
//!
//! A rule is a pattern over one whole step. `{file:p}`, `{dir:p}`, `{any:p}` are places for a path,
//! `{tok:q}` for one word or quoted text, `{text:q}` for a text, `{num:n}` for a number; the other
//! braces are word lists from [`LISTS`].

mod changes;
mod looks;
mod memory;
mod rule;
mod searches;
mod web;

pub use changes::UNDO;
pub(super) use looks::what_changed;
pub use looks::{COUNTS, DEPENDENCIES, HEADINGS, PARAGRAPHS, REPORTS, SUMS};

pub use searches::reported;

use super::building::{Built, Match};
use super::lazy_pattern::LazyPattern;
use super::words::{Request, Step, pattern};
use regex::Regex;
use rule::Rule;
use std::sync::LazyLock;

/// Every action kind that a rule makes.
pub const KINDS: [&str; 21] = [
    "list_files",
    "tree",
    "read_file",
    "head",
    "tail",
    "excerpt",
    "find_files",
    "search_text",
    "count_lines",
    "file_sizes",
    "compare_files",
    "create_file",
    "append_text",
    "replace_text",
    "make_dir",
    "move_file",
    "delete_file",
    "undo",
    "remember",
    "recall",
    "web_search",
];

const MARK: &str = r"\x{E000}\d+\x{E001}";

/// Word lists. Later ones may use earlier ones.
const LISTS: [(&str, &str); 16] = [
    ("{in}", r"(?:in|inside|within|under|of|from|at|for|below)"),
    (
        "{things}",
        r"(?:files and folders|folders and files|files|file names|filenames|folders|directories|subfolders|contents?|listing|entries|everything|stuff|items|documents)",
    ),
    (
        "{the}",
        r"(?:all of the |all of my |all the |all my |all |the |my |every )?",
    ),
    (
        "{show}",
        r"(?:show|display|print|give|see|view|list|get|read|output|tell)(?: me| us)?",
    ),
    (
        "{what}",
        r"(?:what is|what's|whats|what are|which is|which are)",
    ),
    (
        "{find}",
        r"(?:find|locate|search for|look for|list|show|show me|get|give me|see)",
    ),
    (
        "{reports}",
        r"errors?|warnings?|exceptions?|failures?|timeouts?|panics?|crash(?:es)?",
    ),
    (
        "{word}",
        r"(?:the (?:function|method|class|variable|constant|struct|type|key|field|name|title|heading|label|value) |(?:the |a |an )?(?:(?:exact )?(?:text|word|words|phrase|sentence|passage|string|term) )?)",
    ),
    (
        "{units}",
        r"(?:number of )?(?:lines|words|characters|chars|bytes|letters)(?:(?:,| and|, and) (?:the )?(?:lines|words|characters|bytes))*",
    ),
    (
        "{with}",
        r"(?:,? (?:with|containing) (?:this|the following)(?: (?:contents?|text|words?|lines?|letter))?:|,? (?:with|containing|that says|saying|which says|that reads|reading|that contains|and write|and put)(?: in it| into it)?(?: the\b)?(?: (?:content|contents|text|words?|line)\b)?(?: of\b)?:?|:)",
    ),
    ("{end}", r"(?:(?:the )?(?:very )?(?:end|bottom) (?:of )?)?"),
    (
        "{line}",
        r"(?:(?:the |a |an |another |this )?(?:new )?(?:text|line|words?|sentence|entry|item|row)(?: that says| saying| with)?:? )?",
    ),
    (
        "{new}",
        r"(?: a| an| the)?(?: new| empty| blank| text| markdown)*",
    ),
    (
        "{files}",
        r"(?:(?:all |every |any |the |my |these )*(?:files?|documents?)|everything|everywhere)",
    ),
    ("{called}", r"(?:called |named |with the name )?"),
    // How often a text is replaced: wherever it stands, which it is without these words too.
    (
        "{often}",
        r"(?:,? (?:everywhere|throughout|all over|(?:in|at) (?:all|every) places?|(?:each|every) time|wherever it (?:stands|is|occurs|appears)))?",
    ),
];

/// Reads one step; `None` when no rule fits.
pub fn read(request: &Request, step: &Step, last: Option<&str>) -> Built {
    for (pattern, build) in PATTERNS.iter() {
        let Some(captures) = pattern.captures(&step.text) else {
            continue;
        };
        let found = Match {
            request,
            captures: &captures,
            last,
            is_order: is_understood,
        };
        if let Some(action) = build(&found)? {
            return Ok(Some(action));
        }
    }
    Ok(None)
}

/// Whether words could be a step of their own.
pub fn is_understood(request: &Request, text: &str) -> bool {
    let step = Step {
        text: text.trim().to_owned(),
        is_question: false,
        is_polite: false,
    };
    matches!(read(request, &step, None), Ok(Some(_)))
}

/// Whether a question is for the tasks that are not done, here or in a file.
pub fn asks_open_tasks(question: &str) -> bool {
    static ASKED: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(&expand(searches::OPEN_TASKS)));
    let question = question.trim().trim_end_matches(['?', ' ']);
    ASKED.as_ref().is_some_and(|asked| asked.is_match(question))
}

type Patterns = Vec<(LazyPattern, fn(&Match<'_>) -> Built)>;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    all()
        .map(|rule| (LazyPattern::new(expand(rule.says)), rule.build))
        .collect()
});

fn all() -> impl Iterator<Item = &'static Rule> {
    // What goes to memory or the web says so, and may hold any words: it is read first.
    memory::REMEMBERING
        .iter()
        .chain(&memory::RECALLING)
        .chain(&web::WEB)
        .chain(&changes::CHANGES)
        .chain(&changes::MOVES)
        .chain(&looks::PARTS)
        .chain(&looks::MEASURES)
        .chain(&looks::LISTINGS)
        .chain(&searches::SEARCHES)
        .chain(&looks::READS)
}

/// Writes a rule's braces out.
pub fn expand(says: &str) -> String {
    let mut pattern = says.to_owned();
    for (name, words) in LISTS {
        pattern = pattern.replace(name, words);
    }
    let here = r"here|(?:this|current|working|my) (?:folder|directory|workspace)|workspace";
    for (kind, shape) in [
        (
            "file",
            format!(
                r"(?:the )?(?:(?:text |whole |entire )?file )?(?:called |named )?(?P<@>{MARK}|\S+)(?: file)?"
            ),
        ),
        (
            "dir",
            format!(
                r"(?:the )?(?:folder |directory )?(?:called |named )?(?P<@>{here}|{MARK}|[^\s,]+)(?: folder| directory| dir)?"
            ),
        ),
        ("tok", format!(r"(?P<@>{MARK}|[^\s,]+)")),
        ("text", format!(r"(?P<@>{MARK}|.+?)")),
        ("num", r"(?P<@>\d+|[a-z]+)".to_owned()),
    ] {
        while let Some((before, rest)) = pattern.split_once(&format!("{{{kind}:")) {
            let Some((name, after)) = rest.split_once('}') else {
                break;
            };
            pattern = format!("{before}{}{after}", shape.replace('@', name));
        }
    }
    format!("(?i)^(?:{pattern})[.!]*$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        for rule in all() {
            if let Err(error) = Regex::new(&expand(rule.says)) {
                panic!("{}: {error}", rule.says);
            }
        }
    }

    #[test]
    fn the_rules_make_every_action_but_answer() {
        let kinds: Vec<String> = crate::schema::actions()
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(kinds.len(), KINDS.len() + 1);
        for kind in kinds.iter().filter(|kind| *kind != "answer") {
            assert!(KINDS.contains(&kind.as_str()), "{kind}");
        }
    }
}
