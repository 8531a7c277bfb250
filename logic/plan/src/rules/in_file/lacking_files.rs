//! Files that do not have some words: `which chapters do not mention Biscuit?`. Each of them is read whole, and told by
//! whether it has them; no line of one could say so.

use super::superlative;
use crate::quoted::{mark, marked};
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

static LACKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:which|what) (?:of (?:the|my) )?(?P<thing>[\w-]+?)s? ",
        r"(?:(?:do|does|did)(?: not|n['’]t)(?: ever)? |never |(?:that |which )?(?:don|doesn)['’]t )",
        r"(?:mention|mentions|contain|contains|have|has|say|says|include|includes|name|names) ",
        r"(?:the (?:word|name|text) )?(?P<what>\x{E000}\d+\x{E001}|[\w-]+)[ ?.!]*$",
    ))
});

/// What a question wants of files: what they are called, and the words that they lack.
struct Asked {
    thing: String,
    words: String,
}

fn asked(question: &str) -> Option<Asked> {
    let (marks, quotes) = marked(question.trim());
    let found = LACKS.as_ref()?.captures(&marks)?;
    let what = &found["what"];
    let mut known = quotes.iter().enumerate();
    let quoted = known.find(|(at, _)| what == mark(*at));
    let words = quoted.map_or_else(|| what.to_owned(), |(_, text)| text.clone());
    Some(Asked {
        thing: found["thing"].to_lowercase(),
        words,
    })
}

/// Whether a file is one of those that are asked about: any text, or one that is called so.
fn is_one(path: &str, thing: &str) -> bool {
    match thing {
        "file" | "text" | "document" | "note" if plain::is_prose(path) => {
            thing != "note" || superlative::is_one(path, thing)
        }
        thing => superlative::is_one(path, thing),
    }
}

/// The files of a folder that such a question is about.
pub(super) fn files_for(question: &str, listing: &[&String]) -> Vec<String> {
    let Some(asked) = asked(question) else {
        return Vec::new();
    };
    let found = listing.iter().filter(|path| is_one(path, &asked.thing));
    found.map(|path| (*path).clone()).collect()
}

/// What files, all that there are, say to such a question; `None` where it is another one.
pub(super) fn told(question: &str, texts: &[(String, String)]) -> Option<String> {
    let Asked { words, .. } = asked(question)?;
    let has = |text: &str| text.to_lowercase().contains(&words.to_lowercase());
    let (with, without): (Vec<_>, Vec<_>) = texts.iter().partition(|(_, text)| has(text));
    let names = |all: &[&(String, String)]| {
        let names: Vec<&str> = all.iter().map(|(path, _)| path.as_str()).collect();
        names.join(", ")
    };
    let told = match without.len() {
        0 => format!("Each of these files has `{words}`"),
        1 => format!("1 file does not have `{words}`: {}", names(&without)),
        count => format!("{count} files do not have `{words}`: {}", names(&without)),
    };
    let others = match with.is_empty() {
        true => "No other was read.".to_owned(),
        false => format!("It stands in {}.", names(&with)),
    };
    Some(format!("{told} (by rules, no model). {others}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_word_are_told() {
        let here = ["c/chapter1.md", "c/chapter2.md", "todo.md", "a.py"].map(str::to_owned);
        let here: Vec<&String> = here.iter().collect();
        for (question, files) in [
            ("which chapters do not mention Biscuit?", 2),
            ("which chapters don't mention \"the dog\"?", 2),
            ("which files never mention Biscuit", 3),
            ("which chapters mention Biscuit?", 0),
            ("which chapters do not mention Biscuit or Tom?", 0),
            ("which poems do not mention Biscuit?", 0),
        ] {
            assert_eq!(files_for(question, &here).len(), files, "{question}");
        }
        let texts = [("a.md", "Biscuit barks."), ("b.md", "Rain.")];
        let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let told = told("which chapters do not mention Biscuit?", &texts).unwrap();
        let says = "1 file does not have `Biscuit`: b.md (by rules, no model). It stands in a.md.";
        assert_eq!(told, says);
    }
}
