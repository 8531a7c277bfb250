//! A paragraph of a text by where it stands: one of text, since a heading alone is none.

use crate::rules::grammar::{PARAGRAPHS, expand};
use crate::rules::words::{ordinal, pattern};
use regex::Regex;
use std::sync::LazyLock;

static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        "(?i)^(?:please )?(?:{})[.!? ]*$",
        expand(PARAGRAPHS)
    ))
});

/// Which paragraph.
enum Which {
    Last,
    /// Counted from 1.
    Number(usize),
}

fn asked(question: &str) -> Option<Which> {
    let found = ASKED.as_ref()?.captures(question.trim())?;
    let nth = found.name("nth")?.as_str().to_lowercase();
    match nth.as_str() {
        "last" => Some(Which::Last),
        "opening" => Some(Which::Number(1)),
        nth => ordinal(nth).map(Which::Number),
    }
}

/// Whether a request asks for a paragraph of a file.
pub(crate) fn is_asked(question: &str) -> bool {
    asked(question).is_some()
}

/// The paragraph that a request asks for, with the numbers of its lines.
pub(super) fn told(question: &str, path: &str, text: &str) -> Option<String> {
    let which = asked(question)?;
    let all = paragraphs(text);
    let paragraph = match which {
        Which::Last => all.last(),
        Which::Number(number) => number.checked_sub(1).and_then(|at| all.get(at)),
    };
    let Some((number, lines)) = paragraph else {
        let has = match all.len() {
            0 => "no paragraph of text".to_owned(),
            1 => "one paragraph of text".to_owned(),
            count => format!("{count} paragraphs of text"),
        };
        return Some(format!("{path} has {has} (by rules, no model)."));
    };
    let numbered = lines.iter().zip(*number..);
    let numbered: Vec<String> = numbered
        .map(|(line, number)| format!("  {number}: {line}"))
        .collect();
    Some(format!("From {path}:\n{}", numbered.join("\n")))
}

/// The lines of each paragraph behind the number of its first: without headings, and without what stands before
/// the text of a page between lines of `---`.
fn paragraphs(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut is_open = false;
    let mut is_before = text.starts_with("---");
    for (at, line) in text.lines().enumerate() {
        if is_before {
            is_before = at == 0 || line.trim_end() != "---";
            continue;
        }
        let says = line.trim();
        let is_text =
            !says.is_empty() && !says.starts_with('#') && says.chars().any(char::is_alphanumeric);
        match found.last_mut().filter(|_| is_open) {
            Some((_, lines)) if is_text => lines.push(line),
            None if is_text => found.push((at + 1, vec![line])),
            _ => {}
        }
        is_open = is_text;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_text_and_no_heading() {
        let text =
            "---\ntitle: x\n---\n# Arrival\n\nTom came.\nIt rained.\n\n## Later\n\nVoss left.\n";
        let told = |question: &str| told(question, "a.md", text).unwrap_or_default();
        assert_eq!(
            told("show the first paragraph of a.md"),
            "From a.md:\n  6: Tom came.\n  7: It rained."
        );
        assert_eq!(
            told("print me the 2nd paragraph in a.md"),
            "From a.md:\n  11: Voss left."
        );
        assert_eq!(
            told("what is the last paragraph of a.md?"),
            "From a.md:\n  11: Voss left."
        );
        assert!(told("show the third paragraph of a.md").contains("2 paragraphs of text"));
        assert!(!is_asked("remove the first paragraph of a.md"));
    }
}
