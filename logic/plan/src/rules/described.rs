//! Texts that are described and not given: `a docstring`, `a function median`, `type hints`. Whoever writes
//! them has to know the file and its language.

use super::refusal::Refusal;
use super::words::pattern;
use crate::quoted::marked;
use domain::plan::Action;
use regex::Regex;
use std::sync::LazyLock;

/// What somebody would have to write, behind words of how many and of what kind.
const DESCRIBED: &str = r"(?:(?:a|an|the|some|any|another|more|new|missing|short|simple|unit|proper)\s+){0,3}(?:docstrings?|type (?:hints?|annotations?)|functions?|methods?|class(?:es)?|unit tests?|tests|error handling|columns?)\b(?:$|\s+(?:to|in|for|of|into|on|called|named|that|which|with|and|\w+ (?:to|in|into)|\w+$)\b)";

static TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&format!("(?i)^{DESCRIBED}")));
static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        "(?i)^(?:add|append|insert|put|write)\\s+{DESCRIBED}"
    ))
});

/// What a program is to do, in plain words: `it prints the numbers 1 to 5`, `a script that says hello`.
static PROGRAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:it|which|that|this)\s+(?:should\s+|must\s+|just\s+|only\s+|simply\s+)?(?:print|say|show|count|read|write|compute|calculate|sum|add|return|ask|reverse|sort|list|output|display)s?|(?:a|an|the)\s+(?:\w+\s+){0,3}(?:program|script|function|tool|code)\s+(?:that|which|to|for))\b",
    )
});
/// Endings of files that hold a program.
const PROGRAMS: [&str; 18] = [
    "py", "rs", "js", "mjs", "ts", "sh", "bash", "c", "cpp", "go", "java", "rb", "php", "pl",
    "lua", "kt", "swift", "cs",
];

/// What a program is to do, where a plan would write these words in its place and nobody put them in quotes.
pub(super) fn of_a_program<'a>(request: &str, actions: &'a [Action]) -> Option<&'a str> {
    let texts = actions.iter().filter_map(|action| match action {
        Action::CreateFile { path, content } => Some((path, content.trim())),
        _ => None,
    });
    let mut described = texts.filter(|(path, text)| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_of_it = PROGRAM
            .as_ref()
            .is_some_and(|program| program.is_match(text));
        PROGRAMS.contains(&ending.to_lowercase().as_str()) && is_of_it
    });
    let (_, text) = described.next()?;
    let is_quoted = marked(request).1.iter().any(|quote| quote.trim() == text);
    (!is_quoted).then_some(text)
}

/// Whether the text of an order says what somebody is to write.
pub(super) fn is_text(text: &str) -> bool {
    TEXT.as_ref().is_some_and(|text_of| text_of.is_match(text))
}

/// Words of how many, and of which, that begin a description.
const WHICH: [&str; 27] = [
    "a", "an", "the", "some", "any", "another", "more", "one", "two", "three", "several", "few",
    "many", "new", "all", "each", "every", "this", "that", "these", "those", "my", "our", "its",
    "their", "missing", "same",
];
/// Kinds of things that somebody writes.
const KINDS: [&str; 46] = [
    "section",
    "paragraph",
    "comment",
    "header",
    "heading",
    "headline",
    "import",
    "task",
    "item",
    "host",
    "job",
    "p.s",
    "ps",
    "postscript",
    "date",
    "title",
    "subtitle",
    "note",
    "remark",
    "entry",
    "line",
    "row",
    "record",
    "sentence",
    "quote",
    "greeting",
    "summary",
    "footer",
    "link",
    "table",
    "list",
    "bullet",
    "todo",
    "reminder",
    "docstring",
    "function",
    "method",
    "class",
    "test",
    "column",
    "field",
    "key",
    "service",
    "dependency",
    "step",
    "timestamp",
];
/// How many of the first words may name such a kind.
const KIND_WORDS: usize = 3;

/// Whether bare words say which text somebody is to write, and are not the text: `a paragraph about the storm`,
/// `Contributing section`.
pub(crate) fn is_of_a_kind(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let words = text.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_kind = |word: &&str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        KINDS.contains(word) || KINDS.contains(&singular)
    };
    words.first().is_some_and(|first| WHICH.contains(first))
        || words.iter().take(KIND_WORDS).any(is_kind)
}

/// Whether an order asks for such a text, and gives none in quotes or behind a colon.
pub(super) fn is_order(text: &str) -> bool {
    let is_given = text.contains(['"', ':']);
    !is_given && ORDER.as_ref().is_some_and(|order| order.is_match(text))
}

/// Why what somebody is to write is not left to a small model.
pub(super) fn refusal(shown: &str) -> Refusal {
    let why = format!("`{shown}` describes a text that I would have to write.");
    let advice = "Put the text itself in quotes, as in `create a.txt with \"the text itself\"`.";
    Refusal::ambiguous(why, Vec::new()).advised(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_is_to_do_is_no_program() {
        let told = |request: &str| {
            let refused = crate::rules::plan(request).err();
            refused.map(|refused| refused.message)
        };
        for request in [
            "Write rev.py: it prints the word stressed reversed.",
            "create hello.sh: a short script that says hello",
            "create fib.rs: it should print ten numbers",
        ] {
            let told = told(request).unwrap_or_default();
            assert!(told.contains("describes a text"), "{request}: {told}");
        }
        for request in [
            "create a.py: print(\"hi\")",
            "create a.py: # it prints",
            "create a.py with \"it prints hello\"",
            "create notes.txt: it prints on both sides",
            "create a.sh: echo it prints",
        ] {
            assert_eq!(told(request), None, "{request}");
        }
    }

    #[test]
    fn what_somebody_is_to_write_is_no_text() {
        for order in [
            "add a docstring to mean in calc.py",
            "add type hints to calc.py",
            "add a function median to src/calc.py",
            "add a column Age to the table in chapter2.md",
            "write unit tests for calc.py",
        ] {
            assert!(is_order(order), "{order}");
        }
        for order in [
            "add milk to list.txt",
            "add \"a function\" to a.txt",
            "add function to a word list in a.txt: foo",
            "add tests.md to index.txt",
            "add class 3b at noon to plan.txt",
        ] {
            assert!(!is_order(order), "{order}");
        }
        assert!(is_text("a function median") && is_text("type hints"));
        assert!(!is_text("functional programming") && !is_text("milk"));
    }
}
