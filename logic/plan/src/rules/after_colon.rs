//! A text behind a colon that has in it what joins steps elsewhere: `add to a.txt: one; two`.

use super::refusal::Refusal;
use super::words::{is_file, pattern, trim_word};
use crate::orders;
use regex::Regex;
use std::sync::LazyLock;

/// An order to write, up to the colon, and bare words behind it.
static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?is)^(?P<head>(?:please |can you |could you )*(?:append|add|write|create|make|save|insert|jot down)\b",
        r#"[^":;\n]*:)[ \t]+(?P<text>[^"'„“«\s].*)$"#,
    ))
});
/// What joins steps.
static JOINT: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i);|\n\s*\S|[,.]?\s(?:then|after that|afterwards)\s"));

/// Why nothing is done of such an order: where its text ends is not clear.
pub(super) fn unclear(request: &str) -> Option<Refusal> {
    let found = FORM.as_ref()?.captures(request.trim())?;
    let (head, text) = (&found["head"], found["text"].trim_end());
    if !JOINT.as_ref()?.is_match(text) && !ends_with_an_order(text) {
        return None;
    }
    let why = format!("Whether all of `{text}` is the text is not clear.");
    let nearest = match text.contains('"') {
        true => "put the whole text in one pair of quotes".to_owned(),
        false => format!("{head} \"{text}\""),
    };
    Some(Refusal::ambiguous(why, vec![nearest]).for_no_model())
}

/// Whether a verb and a file stand behind an `and`: `buy milk and show notes.md`.
fn ends_with_an_order(text: &str) -> bool {
    let behind = text
        .match_indices(" and ")
        .map(|(at, joint)| &text[at + joint.len()..]);
    behind.into_iter().any(|rest| {
        let mut words = rest.split_whitespace().map(trim_word);
        words.next().is_some_and(orders::is_verb) && words.any(is_file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_joint_is_asked_back_and_any_other_is_not() {
        assert!(FORM.is_some() && JOINT.is_some());
        for says in [
            "add to t.txt: one; two",
            "append to n.md: wait, then go on",
            "please add to t.txt: one\ntwo",
            "add to notes.md: buy milk and show notes.md",
        ] {
            assert!(unclear(says).is_some(), "{says}");
        }
        for says in [
            "add to t.txt: one, two and three",
            "add to t.txt: \"one; two\"",
            "create a.txt with \"x: y\" then show it",
            "show a.txt; list the files",
        ] {
            assert!(unclear(says).is_none(), "{says}");
        }
    }
}
