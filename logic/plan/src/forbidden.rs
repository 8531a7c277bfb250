//! Whether a request says what not to do, decided from its words alone.
//!
//! A small model passes over a `not` and does what was forbidden.

use crate::orders::{self, ACTING, SHOWING};
use crate::question;
use regex::Regex;
use std::sync::LazyLock;

/// What turns the verb behind it around, and the few words that may stand between.
const NOT: &str = r"\b(?:(?:do|does|did|must|shall|should|may|can|will|would|need)\s*n['’]?o?t|dont|doesnt|didnt|mustnt|shouldnt|cant|cannot|wont|won['’]t|not|never|avoid|refrain\s+from|stop|pretend|without|no\s+longer|nobody|nothing)\b(?:\s+(?:to|want|wanted|ever|you|me|please|even|just|simply|actually|yet|be|have|need|like|it|should|may|is|by|your))*\s+";
/// The same in German and Spanish, where it stands behind the verb or far from it.
const OTHERS: &str =
    r"\b(?:nicht|niemals|keinesfalls|nunca|jamás)\b|(?:^|[.!;]\s*)no\s+\w+(?:as|es|e|a)\b";

static FORBIDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verbs = ACTING.iter().chain(&SHOWING);
    let verbs: Vec<String> = verbs.map(|verb| forms(verb)).collect();
    let verbs = verbs.join("|");
    Regex::new(&format!("{NOT}(?:{verbs})\\b|{OTHERS}")).ok()
});

/// A verb as it stands behind a negation: `delete`, `deleting`.
fn forms(verb: &str) -> String {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let last = verb.chars().last().unwrap_or_default();
    format!("{verb}|{stem}{last}?ing")
}

/// Whether a part of a request forbids a change. What stands in double quotes is a text.
#[must_use]
pub fn forbids(request: &str) -> bool {
    let mut request = orders::without_quotes(request).to_lowercase();
    // They tell of a state: "files that are not empty".
    for state in ["is not ", "are not ", "was not ", "were not "] {
        request = request.replace(state, "is ");
    }
    FORBIDS
        .as_ref()
        .is_some_and(|forbids| forbids.is_match(&request))
}

/// Whether it does nothing else: it orders no look that can be had all the same.
#[must_use]
pub fn only_forbids(request: &str) -> bool {
    // `Do not …` begins like a question.
    let lower = request.trim_start().to_lowercase();
    let begins_with_not = ["do not", "did not", "does not"]
        .iter()
        .any(|not| lower.starts_with(not));
    let asks = question::wants_telling(request) && (!begins_with_not || lower.contains('?'));
    forbids(request) && !asks && !orders::looks(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_change_is_known_by_its_words() {
        for says in [
            "don't replace Tom with Tim in novel.md",
            "don’t replace Tom with Tim in novel.md",
            "Do not delete list.txt",
            "never rename notes.txt to x.txt",
            "You must not rename list.txt to x.txt",
            "dont move notes.txt to drafts",
            "please don't add Buy ink to notes.txt",
            "avoid renaming n.md to m.md",
            "refrain from deleting n.md",
            "I did not want you to replace Tom with Tim in novel.md",
            "I never wanted you to delete it",
            "stop! do not delete list.txt",
            "pretend to delete list.txt",
            "stop deleting files",
            "don't create a file x.txt with hello",
            "Lösche notes.txt nicht",
            "no borres notes.txt",
            "don't read notes.txt",
            "do not show notes.txt",
        ] {
            assert!(only_forbids(says), "{says}");
        }
        for says in [
            "show notes.txt, but don't change it",
            "summarise a.txt without changing it",
        ] {
            assert!(forbids(says) && !only_forbids(says), "{says}");
        }
        for says in [
            "replace Tom with Tim in novel.md",
            "add \"do not delete\" to notes.txt",
            "add don't forget the milk to notes.txt",
            "why does it not work?",
            "write a note that tea is not there",
            "delete nothing.txt",
            "stop the job",
            "list files that are not empty",
        ] {
            assert!(!forbids(says), "{says}");
        }
    }
}
