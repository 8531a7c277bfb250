//! Orders in a row, joined by `then`, `and` or a semicolon, each as a request of its own.

use super::words::{self, Request, is_file, trim_word};
use super::{in_file, languages};
use crate::orders::{self, is_verb};
use domain::plan::Plan;

/// The orders of a request, if there are several, in order. Of `and` only where a whole order stands before
/// it and a verb behind it. `it` is the file of the order before.
pub(crate) fn orders(request: &str) -> Vec<String> {
    let request = Request::read(&languages::in_english(request));
    let mut orders: Vec<String> = Vec::new();
    for step in &request.steps {
        // A change may not hide in a question.
        if step.is_question && !step.is_polite {
            return Vec::new();
        }
        parts(&request, &step.text, &mut orders);
    }
    match orders.len() {
        0 | 1 => Vec::new(),
        _ => orders,
    }
}

fn parts(request: &Request, text: &str, orders: &mut Vec<String>) {
    let joint = text.match_indices(" and ").find(|(at, joint)| {
        let first = text[at + joint.len()..].split_whitespace().next();
        let before = request.whole(text[..*at].trim_end_matches(','));
        let is_order = first.is_some_and(|word| is_verb(trim_word(word)));
        // Words in which `and` stands, such as those that a line has, are no order.
        let is_one = |plan: Plan| !plan.actions.iter().any(super::may_be_of_a_text);
        let is_whole =
            || in_file::read(&before).is_some() || super::plan(&before).is_ok_and(is_one);
        is_order && in_file::read(&request.whole(text)).is_none() && is_whole()
    });
    match joint {
        Some((at, joint)) => {
            let before = text[..at].trim_end_matches(',');
            orders.push(named(request, before, orders));
            parts(request, &text[at + joint.len()..], orders);
        }
        None => orders.push(named(request, text, orders)),
    }
}

/// An order in which `it` is the file that the order before is about: the only one that it names, or for a
/// look the last.
fn named(request: &Request, text: &str, orders: &[String]) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let names_one = words.iter().any(|word| words::is_path(trim_word(word)));
    let is_back = |word: &&str| ["it", "that"].contains(&trim_word(word));
    let at = words.iter().rposition(is_back).filter(|_| !names_one);
    let before = orders.last().map_or("", String::as_str);
    let before = before.split_whitespace().map(trim_word);
    let files: Vec<&str> = before
        .filter(|word| is_file(word.trim_matches(['"', '\'', '`'])))
        .collect();
    let file = match files.as_slice() {
        [only] => Some(*only),
        // A value may look like a file, and a copy has two: what is changed is not guessed.
        [.., last] if orders::looks(text) => Some(*last),
        _ => None,
    };
    if let (Some(at), Some(file)) = (at, file) {
        words[at] = file;
    }
    request.whole(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_in_a_row_are_told_apart_and_texts_stay_whole() {
        for (says, parts) in [
            (
                "change port to 9000 in s.toml and show s.toml",
                vec!["change port to 9000 in s.toml", "show s.toml"],
            ),
            (
                "set A to 1 in x.toml then set B to 2 in x.toml",
                vec!["set A to 1 in x.toml", "set B to 2 in x.toml"],
            ),
            (
                "remove the line about two from l.txt and show it",
                vec!["remove the line about two from l.txt", "show l.txt"],
            ),
            (
                "set log in conf.toml to c.txt and delete it",
                vec!["set log in conf.toml to c.txt", "delete it"],
            ),
            (
                "copy a.md to b.md and show it",
                vec!["copy a.md to b.md", "show b.md"],
            ),
            (
                "copy a.md to b.md, and delete a.md",
                vec!["copy a.md to b.md", "delete a.md"],
            ),
        ] {
            assert_eq!(orders(says), parts, "{says}");
        }
        for says in [
            "remove the line about Tom and Ann from a.txt",
            "add \"wait and delete b.txt\" to a.txt",
            "show a.txt and b",
            "set port to 9000 in a.toml",
        ] {
            assert_eq!(orders(says), [""; 0], "{says}");
        }
    }
}
