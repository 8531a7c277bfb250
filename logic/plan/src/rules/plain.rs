//! Whether bare words of an order are, beyond doubt, the text that it writes.
//!
//! In `add … to list.txt` bare words may be the text, describe one (`a poem about the sea`), speak of
//! another (`the content of a.txt`) or be an order of their own (`hello and move b.txt to docs`). No list
//! of such phrases is ever complete. So it is the other way round: bare words are a text where they are
//! few and none of them could join, point or describe, or where the order says that a text follows.
//! Everything else is asked back, with the same order in quotes.

use super::words::{is_path, number, trim_word};
use crate::orders;

/// A list of words.
struct Words(&'static str);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.iter().any(|one| one == word)
    }

    fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.split_whitespace()
    }
}

/// Most bare words that are a text without a word before them that says so.
const MOST_WORDS: usize = 4;
/// Words that join, point, count or limit: in a text they are nothing special, in an order they may say
/// what is to be done.
const JOINING: Words = Words(
    "a about above after again all also an and another any anything around as at back before behind \
    below beneath between both but by called containing current different each either else every \
    everything everywhere except few first following for from get how if in inside instead into is \
    it its last like listing lots many more most named new next no not nothing now of off old on \
    once one only onto or other others out over per previous random same saying second several \
    similar some something such than that the their them then there these they this those three \
    through to twice two under unless until what when where whether which with without who why \
    whatever whole entire everyone my your our his her today today's yesterday tomorrow blank \
    empty newline newlines tab dash space comma uppercase lowercase capitalised capitalized \
    translated translation reversed sorted shorter longer nichts nada und oder con break breaks \
    case tense spelling format style bold italic italics double half synonym synonyms",
);
/// Nouns of kinds of text: what is added by such a name is to be written by somebody.
const KINDS: Words = Words(
    "abstract advice answer article biography blurb body bullet chapter character class code \
    comment conclusion content date description diary dialogue doc docs docstring documentation \
    draft email ending entry error essay example explanation fact footer foreword function \
    glossary greeting haiku handler handling header heading hint idea import instruction intro \
    introduction item joke letter licence license limerick line list logging macro method module \
    name note number outline overview paragraph plan poem point preface program proposal question \
    quiz quote recipe report review rhyme row scene schedule script section sentence skeleton song \
    story struct summary support synopsis table task template test alphabet conversation mark \
    minutes output result sign symbol text time timestamp title toc tutorial type validation verse \
    version word words",
);
/// Words behind which a text stands: `with the text …`, `a line …`, `that says …`.
const BEFORE_TEXTS: Words = Words(
    "text word words phrase line lines say says saying read reads reading sentence string content \
    contents",
);
/// Endings of files of words, in which a bare line is as good as any other.
const PROSE: Words = Words("txt md markdown rst org tex adoc text log");

/// Whether a file holds a text in words rather than settings or code, by its name.
pub fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    // `.gitignore` and its like hold bare lines; so does `README`, and a name in quotes.
    // `sshd_config` has settings.
    let is_bare = || !name.ends_with("_config");
    ending.map_or_else(is_bare, |ending| {
        PROSE.has(&ending) || ending.ends_with("ignore")
    })
}

/// Whether the words before a text say that it is one: they end so, or with a colon.
pub fn is_introduced(before: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    last.ends_with(':') || BEFORE_TEXTS.has(last)
}

/// Whether bare words behind words that say so are the text: they do not go on about it (`the text of
/// a.txt`) or over to another order.
pub fn is_said(text: &str, is_after_colon: bool) -> bool {
    if is_after_colon {
        return true;
    }
    let words = words(text);
    let begins = words.first().map_or("", String::as_str);
    let goes_on = [
        "of", "from", "in", "on", "about", "for", "that", "which", "with", "at", "between",
    ];
    !goes_on.contains(&begins) && !has_an_order(text) && !has_another_file(text)
}

/// Whether bare words are a text that is added to a file or written to one.
pub fn is_added(text: &str) -> bool {
    is_replacement(text) && !words(text).iter().any(|word| is_kind(word))
}

/// Whether bare words are a text that stands in the place of another, or a value.
pub fn is_replacement(text: &str) -> bool {
    let words = words(text);
    let is_one = words.len() == 1;
    let joins = |word: &String| {
        let is_number = number(word).is_some() && word.chars().all(char::is_alphabetic);
        // Where one stands alone, a number is a word like another.
        match is_number {
            true => !is_one,
            false => JOINING.has(word),
        }
    };
    (1..=MOST_WORDS).contains(&words.len()) && !words.iter().any(joins) && !names_a_file(text)
}

/// Whether one word may be a value: a path may, a word that points or describes may not.
pub fn is_word(word: &str) -> bool {
    let words = words(word);
    !words.iter().any(|word| JOINING.has(word))
}

/// Whether a word in small letters joins, points, counts or limits.
pub fn joins(word: &str) -> bool {
    JOINING.has(word)
}

fn is_kind(word: &str) -> bool {
    let endings = ["", "s", "es"];
    let is = |one| {
        word.strip_prefix(one)
            .is_some_and(|rest| endings.contains(&rest))
    };
    KINDS.iter().any(is)
}

/// Whether `and`, `then` or a comma is followed by what begins like an order.
fn has_an_order(text: &str) -> bool {
    let words = words(text);
    let joins = ["and", "then", "but"];
    words
        .windows(2)
        .any(|pair| joins.contains(&pair[0].as_str()) && orders::is_verb(&pair[1]))
}

/// Whether another file is spoken of behind `and`: `hello, and y.md that says bye`.
fn has_another_file(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .windows(2)
        .any(|pair| pair[0].eq_ignore_ascii_case("and") && names_a_file(pair[1]))
}

/// Whether a file is named among bare words. A number such as `2.5` names none.
pub fn names_a_file(text: &str) -> bool {
    let is_name =
        |word: &str| is_path(word) && word.contains(char::is_alphabetic) && !word.contains("://");
    text.split_whitespace().map(trim_word).any(is_name)
}

/// Whether a name in bare words is that of a file or folder alone, as `.gitignore` lists them.
pub fn is_path_to_ignore(text: &str, path: &str) -> bool {
    path.ends_with("ignore") && !text.contains(char::is_whitespace)
}

/// The words of a text in small letters, without the signs around them.
fn words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase()
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether a text is an empty line, in words.
pub fn is_empty_line(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let of = |rest: &[&str]| matches!(rest, ["blank" | "empty", "line"]);
    match words.split_first() {
        Some((first, rest)) if ["a", "an", "one", "another"].contains(first) => of(rest),
        _ => of(&words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_plain_words_are_a_text_and_nothing_that_joins_points_or_describes() {
        for says in [
            "milk",
            "olive oil",
            "Hello, World",
            "3 eggs",
            "call Ann",
            "- pay rent",
        ] {
            assert!(is_added(says), "{says}");
        }
        for says in [
            "a function add",
            "an outline",
            "tests",
            "documentation",
            "the sum of a and b",
            "10 names",
            "three tasks",
            "today's date",
            "my keys",
            "milk and eggs",
            "milk to b.txt",
            "b.txt",
            "exclamation marks",
            "one two three four five",
            "",
        ] {
            assert!(!is_added(says), "{says}");
        }
    }

    #[test]
    fn a_word_that_replaces_another_may_be_a_kind_of_text() {
        for says in ["report", "Robert", "three", "Ann Lee", "7:30 pm", "48 Euro"] {
            assert!(is_replacement(says), "{says}");
        }
        for says in [
            "two words",
            "uppercase",
            "past tense",
            "everywhere",
            "a dash",
        ] {
            assert!(!is_replacement(says), "{says}");
        }
    }

    #[test]
    fn behind_words_that_say_so_stands_a_text() {
        assert!(is_introduced("create a.txt with the text "));
        assert!(is_introduced("append to a.txt: "));
        assert!(!is_introduced("create the text file a.txt with "));
        for says in ["buy milk and bread", "see a.txt for more", "a poem"] {
            assert!(is_said(says, false), "{says}");
        }
        for says in ["of a.txt", "about the sea", "hello and move a.txt to docs"] {
            assert!(!is_said(says, false) && is_said(says, true), "{says}");
        }
    }

    #[test]
    fn settings_and_code_are_no_prose() {
        for path in ["a.txt", "docs/a.md", "README", ".gitignore", "my list"] {
            assert!(is_prose(path), "{path}");
        }
        for path in ["a.rs", "Cargo.toml", "a.csv", ".env"] {
            assert!(!is_prose(path), "{path}");
        }
    }
}
