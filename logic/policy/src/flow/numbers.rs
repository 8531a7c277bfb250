//! Numbers as names: `file 13`, `#13`, `'13'`, `delete 13`. A bare number in a request counts,
//! orders or dates something, and names nothing.

use std::ops::Range;

/// Fewest digits of a number that nothing else is likely to be: an id by itself.
const LONG_DIGITS: usize = 6;
/// Most words that are looked at before a number in a row of numbers.
const ROW_WORDS: usize = 20;

/// Words for what a number names.
const NOUNS: [&str; 48] = [
    "id",
    "ids",
    "no",
    "nr",
    "num",
    "number",
    "numbers",
    "key",
    "code",
    "ref",
    "reference",
    "account",
    "ticket",
    "tickets",
    "issue",
    "issues",
    "order",
    "orders",
    "invoice",
    "invoices",
    "file",
    "files",
    "event",
    "events",
    "record",
    "records",
    "row",
    "task",
    "tasks",
    "case",
    "pr",
    "request",
    "mail",
    "email",
    "message",
    "messages",
    "contact",
    "user",
    "document",
    "item",
    "entry",
    "payment",
    "transaction",
    "booking",
    "job",
    "build",
    "card",
    "note",
];

/// Orders whose object may be a mere number.
const VERBS: [&str; 24] = [
    "delete", "remove", "erase", "wipe", "cancel", "close", "drop", "kill", "stop", "start",
    "restart", "reject", "approve", "accept", "pay", "merge", "open", "show", "read", "archive",
    "move", "rename", "share", "send",
];

/// Whether a word says what a number behind it names.
pub(super) fn is_noun(word: &str) -> bool {
    NOUNS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Whether a number at this place of a text in its normal form names something.
pub(super) fn names_by_number(text: &str, place: &Range<usize>) -> bool {
    let number = text.get(place.clone()).unwrap_or("");
    let digits = number.trim_start_matches('#');
    if digits.len() >= LONG_DIGITS || number.starts_with('#') {
        return true;
    }
    let before = text.get(..place.start).unwrap_or("");
    let after = text.get(place.end..).unwrap_or("");
    let opens = before.chars().next_back();
    let closes = after.chars().next();
    let is_quoted = matches!(
        (opens, closes),
        (Some('\''), Some('\'')) | (Some('"'), Some('"')) | (Some('“'), Some('”'))
    );
    if is_quoted || opens == Some('#') {
        return true;
    }
    let mut words = before
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '=' | '(' | '&' | ';'))
        .rev()
        .filter(|word| !word.is_empty())
        .take(ROW_WORDS);
    // In a row of numbers, the word before the first says what all of them are.
    let noun = words.find(|word| !is_of_a_row(word));
    let noun = noun.unwrap_or("");
    let is_of_another_sentence = noun.ends_with(['.', '!', '?']) && !noun.starts_with('n');
    if is_of_another_sentence {
        return false;
    }
    let noun = noun.trim_matches(|c: char| !c.is_alphanumeric());
    if is_noun(noun) {
        return true;
    }
    VERBS.contains(&noun) && ends_the_order(after)
}

fn is_of_a_row(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.bytes().all(|b| b.is_ascii_digit()) || matches!(bare, "and" | "or")
}

/// Whether nothing follows that the number could count: `delete 13.`, not `delete 3 files`.
fn ends_the_order(after: &str) -> bool {
    let rest = after.trim_start();
    let next = rest.split(|c: char| !c.is_alphanumeric()).next();
    let is_mark = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    is_mark || matches!(next, Some("and" | "or" | "now" | "please" | "then" | "too"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_beside_a_word_for_what_it_is() {
        let table = [
            ("delete file 13", true),
            ("delete id: 13, please", true),
            ("close #13", true),
            ("wipe '13'", true),
            ("no, wipe 13", true),
            ("delete files 2, 7 and 13", true),
            ("remove 2 and 13", true),
            ("1. look 2. find the file. 13. delete the largest", false),
            ("delete the 13 newest", false),
            ("delete 13 files", false),
            ("13 questions about it", false),
            ("the best 13", false),
        ];
        for (text, expected) in table {
            let start = text.rfind("13").unwrap_or(0);
            assert_eq!(
                names_by_number(text, &(start..start + 2)),
                expected,
                "{text}"
            );
        }
        assert!(names_by_number("delete 482913 files", &(7..13)));
    }
}
