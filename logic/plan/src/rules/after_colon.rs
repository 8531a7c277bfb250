//! A text behind a colon that has in it what joins steps elsewhere: `add to a.txt: one; two`.

use super::refusal::Refusal;
use super::words::{is_file, trim_word};
use crate::behind_colon;
use crate::orders;
use crate::quoted::in_quotes;

/// Why nothing is done of such an order: where its text ends is not clear.
pub(super) fn unclear(request: &str) -> Option<Refusal> {
    let (head, text) = behind_colon::with_a_joint(request, ends_with_an_order)?;
    let why = format!("Whether all of `{text}` is the text is not clear.");
    let nearest = vec![format!("{head} {}", in_quotes(text))];
    let refusal = Refusal::ambiguous(why, nearest).for_no_model();
    // An order of several lines is none that could be pasted.
    Some(match text.contains('\n') {
        true => refusal.advised(
            "Name the file with its ending, in quotes where it has spaces, and begin the text on the line below, as \
             in `append to FILE:` or `create FILE with the text:`.",
        ),
        false => refusal,
    })
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
