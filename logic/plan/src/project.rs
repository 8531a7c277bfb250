//! Which file says what a project is.

use regex::Regex;
use std::sync::LazyLock;

/// A question for what a project is.
static OF_PROJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:(?:please|can you|could you) )?(?:tell me |explain |describe |summari[sz]e |(?:give me )?an? (?:short |brief |quick )?(?:summary|overview) of )?",
        r"(?:(?:what(?:['’]s| is| does| do| are)?|about)\b.{0,12}?)?",
        r"\b(?:this|the|my|our) (?:project|repo|repository|codebase|code base|program|app|application|package)\b",
        r"(?: (?:do|does|is|are|for|about|all about|good for|mainly|supposed to do))*[?.! ]*$",
    ))
    .ok()
});
/// What a file that says what a project is may be called, the likeliest first.
const READMES: [&str; 5] = [
    "readme.md",
    "readme",
    "readme.txt",
    "readme.rst",
    "readme.adoc",
];
/// The file that says what a project is, where a question is for that.
pub(crate) fn readme<'a>(listing: &'a [String], question: &str) -> Option<&'a String> {
    let is_asked = OF_PROJECT
        .as_ref()
        .is_some_and(|form| form.is_match(question.trim()));
    let names = READMES.iter().filter(|_| is_asked);
    let mut found =
        names.filter_map(|name| listing.iter().find(|path| path.to_lowercase() == *name));
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_the_project_is_told_from_those_for_parts_of_it() {
        let listing = ["src/a.rs".to_owned(), "README.md".to_owned()];
        for question in [
            "what does this project do?",
            "What is this project about?",
            "what's the project for",
            "explain this repo",
            "tell me about this project",
            "summarise the project",
            "give me a short summary of this repo",
        ] {
            assert!(readme(&listing, question).is_some(), "{question}");
        }
        for question in [
            "what is the licence of this project?",
            "what does this project do about errors?",
            "delete this project",
            "who wrote this project?",
        ] {
            assert_eq!(readme(&listing, question), None, "{question}");
        }
    }
}
