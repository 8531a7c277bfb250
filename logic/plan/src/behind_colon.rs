//! Text behind the colon of an order to write: `append to a.md: Where was Jonas?`.
//!
//! What stands there is the text to the end of the request, whatever signs are in it. Where it has in it what
//! joins orders elsewhere, its end is not clear, and the rules ask back.

use crate::quoted::{mark, marked};
use regex::Regex;
use std::sync::LazyLock;

/// An order to write, up to the colon, and what stands behind it. A colon within a word is none.
static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?is)^(?P<head>(?:(?:please|now|then|also|just|can you|could you|would you|will you)\b,? )*",
        r"(?:append|add|write|create|make|save|insert|put|note|jot down|prepend|replace|overwrite)\b",
        r#"(?:"[^"\n]*"|\w['’]\w|'[^'\n]*'|[^:;"'?\n])*:)(?:(?P<gap>[ \t]+|(?:[ \t]*\r?\n)+[ \t]*)(?P<text>\S.*)|(?P<close>[^\s].*))$"#,
    ))
    .ok()
});
/// A file before the colon, by its ending, in quotes or as `README` and its like.
static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)[\w-]\.(?:\w{1,8}|properties|editorconfig)\b|["']|\b(?:readme|license|licence|makefile|dockerfile|changelog|authors|notice|sshd?_config|caddyfile|gemfile|jenkinsfile|procfile|vagrantfile)\b|\.\w+ignore\b|\.env\b"#,
    )
    .ok()
});
/// What joins steps.
static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i);\s*\S|\n\s*\S|[,.]?\s(?:then|after that|afterwards)\s").ok()
});
/// A line that may be an order: it begins with a verb of one, and names a file or stands alone.
static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^\s*(?:(?:please|then|and|now)\b,? )*(?:append|add|write|create|make|save|insert|put|note|prepend|replace",
        r"|overwrite|show|read|print|list|find|search|count|compare|delete|remove|erase|clear|move|rename|copy|set|change",
        r"|update|comment|uncomment|convert|turn|back)\b.*[\w-]\.\w{1,8}\b|^\s*(?:undo|help|list the files)\W*$",
    ))
    .ok()
});
/// Words behind a quoted text with which the order may go on.
static GOES_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^,? (?:and|then|to|onto|into|in|inside|at|on|as|with|before|after|above|below|under|between|from|for|by)\b",
    )
    .ok()
});

/// An order up to its colon, and what stands behind it.
struct Parts<'a> {
    head: &'a str,
    text: &'a str,
    /// Whether a file is named before the colon, and a space stands behind it.
    is_whole: bool,
    /// Whether the text begins on a line of its own.
    is_below: bool,
}

impl Parts<'_> {
    /// Whether the text has in it what joins orders elsewhere. One of several lines that begins below a colon is
    /// whole where none of them begins like an order.
    fn is_joined(&self, marks: &str) -> bool {
        let has_an_order = marks.lines().any(|line| hits(&ORDER, line));
        let is_whole = self.is_below && self.is_whole && !has_an_order;
        !is_whole && hits(&JOINT, marks)
    }
}

fn parts(request: &str) -> Option<Parts<'_>> {
    let found = FORM.as_ref()?.captures(request.trim())?;
    let head = found.name("head")?.as_str();
    let (text, is_apart) = match found.name("text") {
        Some(text) => (text, true),
        None => (found.name("close")?, false),
    };
    // `replace line 2 of a.yaml with port: 80` has a colon of its own.
    let replaces = ["replace", "overwrite"]
        .iter()
        .any(|verb| head.contains(verb));
    let ends = [" with:", " by:", " to:", " into:"];
    let is_clear = !replaces || ends.iter().any(|end| head.ends_with(end));
    is_clear.then(|| Parts {
        head,
        text: text.as_str().trim_end(),
        is_whole: is_apart && hits(&FILE, head),
        is_below: found
            .name("gap")
            .is_some_and(|gap| gap.as_str().contains('\n')),
    })
}

/// Whether a text is one in quotes, with no more behind it than may follow one in an order.
fn is_quoted(marks: &str) -> bool {
    marks.strip_prefix(&mark(0)).is_some_and(|rest| {
        rest.trim_matches(['.', '!', '?', ' ']).is_empty() || hits(&GOES_ON, rest)
    })
}

/// An order up to its colon, and the bare text behind it, where that has in it what joins steps. Of a text in
/// quotes nothing is said.
pub(crate) fn with_a_joint(request: &str, is_order: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let parts = parts(request)?;
    let marks = marked(parts.text).0;
    let is_joined = parts.is_joined(&marks) || is_order(&marks);
    (is_joined && !is_quoted(&marks)).then_some((parts.head, parts.text))
}

/// Signs by which a line passes for one of a shell's.
const SHELL_SIGNS: [char; 6] = ['<', '>', '|', '&', '$', '`'];

/// An order up to its colon, and the text behind it that is taken as it stands, since its signs would be read
/// as a question or as quotes of the order.
pub(crate) fn as_it_stands(request: &str) -> Option<(&str, &str)> {
    let parts = parts(request).filter(|parts| parts.is_whole)?;
    let (marks, quotes) = marked(parts.text);
    let ends = asks(parts.text) || parts.text.ends_with(';');
    let has_signs =
        !quotes.is_empty() || ends || parts.is_below || parts.text.contains(SHELL_SIGNS);
    let is_clear = has_signs && !is_quoted(&marks) && !parts.is_joined(&marks);
    is_clear.then_some((parts.head, parts.text))
}

/// Whether the words of an order and a file stand before a colon and a text behind it, so that no question
/// mark in the text makes the order a question.
pub(crate) fn is_order(request: &str) -> bool {
    parts(request).is_some_and(|parts| parts.is_whole)
}

/// The text behind the colon of an order to write, where a file is named before it.
pub(crate) fn text_of(request: &str) -> Option<&str> {
    let parts = parts(request).filter(|parts| parts.is_whole)?;
    Some(parts.text)
}

fn asks(text: &str) -> bool {
    text.trim_end_matches(['!', '.', ' ']).ends_with('?')
}

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_signs_is_taken_as_it_stands() {
        assert!(FORM.is_some() && FILE.is_some() && JOINT.is_some() && GOES_ON.is_some());
        assert!(ORDER.is_some());
        for (says, text) in [
            ("append to a.md: Where was Jonas?", "Where was Jonas?"),
            ("please add to README: Is it open?", "Is it open?"),
            ("append to a.md: x > 5", "x > 5"),
            ("append to a.md: use Vec<u8> here", "use Vec<u8> here"),
            ("append to a.txt: a && b", "a && b"),
            ("add to \"my notes.md\": Who knows?", "Who knows?"),
            (
                "append to a.md: \"Come in,\" she said.",
                "\"Come in,\" she said.",
            ),
            ("append to b.csv: 3,\"Smith, J\",ok", "3,\"Smith, J\",ok"),
            ("add to a.md: run `make` first", "run `make` first"),
            ("insert after line 3 of a.md: Why?", "Why?"),
            ("append to a.md:\nWhere was Jonas?", "Where was Jonas?"),
            ("append to a.md:\nI went home.", "I went home."),
            ("append to a.md:\n\nI went.\n\nHome.", "I went.\n\nHome."),
            ("create a.md with:\na < b; c\nand d", "a < b; c\nand d"),
            ("replace line 3 of a.md with: \"Why\" so?", "\"Why\" so?"),
            ("create a.js with: f(\"a\");", "f(\"a\");"),
        ] {
            let found = as_it_stands(says).map(|(_, text)| text);
            assert_eq!(found, Some(text), "{says}");
        }
        for says in [
            "what does a.md say: is it open?",
            "add the line: \"milk\" to a.md",
            "append to a.md: I went home.",
            "append to a.md: \"one\"",
            "append to a.md: \"one\".",
            "append to a.md: \"one\" and show it",
            "append to a.md: \"one\" then show it",
            "append to a.md: \"one\" she said; two",
            "append to a.md: Who is it? Then he left.",
            "is it in a.md: yes?",
            "replace line 2 of a.yaml with name: what?",
            "append to a.md:\none\nshow b.md",
        ] {
            assert_eq!(as_it_stands(says), None, "{says}");
        }
    }
}
