//! A text behind a colon that has in it what joins steps elsewhere: `add to a.txt: one; two`.

use super::refusal::Refusal;
use super::words::pattern;
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
    if !JOINT.as_ref()?.is_match(text) {
        return None;
    }
    let why = format!("Whether all of `{text}` is the text is not clear.");
    let nearest = match text.contains('"') {
        true => "put the whole text in one pair of quotes".to_owned(),
        false => format!("{head} \"{text}\""),
    };
    Some(Refusal::ambiguous(why, vec![nearest]).for_no_model())
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
