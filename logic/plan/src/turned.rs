//! Whether a question turns a condition round: `which hosts are not debian`.
//!
//! The lines that have the words of such a question say the contrary of what is asked, so that nothing which goes by
//! words alone answers it.

use crate::quoted::{mark, marked};
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Words that turn a condition round, in English, German and Spanish.
static TURNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:(?P<what>or|whether)(?: or)? )?(?P<word>\w+n['’]t|dont|doesnt|didnt|isnt|arent|wasnt|werent|hasnt|havent|hadnt|cannot|not|never|no|without|except|excluding",
        r"|neither|nor|none|nobody|nothing|lacks?|lacking|missing|other than|apart from|nicht|kein\w*|ohne|außer|nie|niemals|niemand|nichts|sin|nunca|ningun\w*|ningún)\b(?P<end>\.| ?[\d#])?",
    ))
});
/// Words that say of rows that a column has nothing.
const LACKING: [&str; 6] = ["no", "without", "lack", "lacks", "lacking", "missing"];

/// Words of a condition that are shown.
const SHOWN_WORDS: usize = 4;

/// A question by what stands before and behind the word that turns it round.
pub(crate) struct Turned {
    pub(crate) before: String,
    pub(crate) word: String,
    pub(crate) behind: String,
}

impl Turned {
    /// Of a question; `None` where nothing in it is turned round. What stands in quotes is a text.
    pub(crate) fn of(question: &str) -> Option<Self> {
        let (marks, quotes) = marked(question);
        let turns = TURNS.as_ref()?;
        // `no. 5` is a number, and `or not` asks for both.
        let mut found = turns
            .captures_iter(&marks)
            .filter(|found| found.name("what").is_none())
            .filter(|found| found.name("end").is_none() || &found["word"] != "no")
            .filter(|found| !is_of_a_name(&marks, found));
        let word = found.next()?.name("word")?;
        let whole = |part: &str| {
            let parts = quotes.iter().enumerate();
            parts.fold(part.to_owned(), |said, (at, text)| {
                said.replace(&mark(at), text)
            })
        };
        Some(Self {
            before: whole(&marks[..word.start()]),
            word: word.as_str().to_lowercase(),
            behind: whole(&marks[word.end()..]),
        })
    }

    /// Whether it is for what has nothing of something: `without a backup`.
    pub(crate) fn lacks(&self) -> bool {
        LACKING.contains(&self.word.as_str())
    }

    /// The condition as it stands: `not debian`.
    fn said(&self) -> String {
        let behind = self.behind.split_whitespace().take(SHOWN_WORDS);
        let behind: Vec<&str> = behind.collect();
        let (word, behind) = (&self.word, behind.join(" "));
        let said = format!("{word} {behind}");
        said.trim_end_matches(['?', '.', '!', ' ']).to_owned()
    }

    /// The first word of it that says what is left out.
    fn subject(&self) -> Option<&str> {
        let mut words = self.behind.split_whitespace().map(|word| {
            let is_of_it = |c: char| !c.is_alphanumeric();
            word.trim_matches(is_of_it)
        });
        words.find(|word| !word.is_empty() && !plain::joins(&word.to_lowercase()))
    }
}

/// Whether such a word is a part of a name: `no-cache`.
fn is_of_a_name(text: &str, found: &Captures<'_>) -> bool {
    let word = found.name("word").map_or(0..0, |word| word.range());
    text[word.end..].starts_with('-') || text[..word.start].ends_with('-')
}

/// Whether a line has a word that turns what it says round.
pub(crate) fn is_in(line: &str) -> bool {
    Turned::of(line).is_some()
}

/// What is told where all lines that have the words of a question may say the contrary. `file`: the only one that
/// has them.
pub(crate) fn untold(turned: &Turned, file: Option<&str>) -> String {
    let path = file.unwrap_or("FILE");
    let subject = turned.subject().unwrap_or("WORD");
    format!(
        "The question turns a condition round (`{}`), and the lines that have its words may say the contrary, so that \
         none is told (by rules, no model). Lines without a word are shown by `show the lines without \
         \"{subject}\" in {path}`, and rows of a table are told by what a column says: `which rows in {} are not \
         VALUE?`.",
        turned.said(),
        file.filter(|file| file.ends_with("sv"))
            .unwrap_or("FILE.csv"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_is_turned_round_is_known_by_its_words() {
        for (says, said) in [
            ("which hosts are not debian?", "not debian"),
            ("who doesn't live in Bern", "doesn't live in Bern"),
            ("which of them are without a backup?", "without a backup"),
            ("which keys have no comment?", "no comment"),
            ("welche Zeilen haben keine Nummer?", "keine Nummer"),
        ] {
            let turned = Turned::of(says).unwrap_or_else(|| panic!("{says}"));
            assert_eq!(turned.said(), said, "{says}");
        }
        for says in [
            "which hosts are debian?",
            "is it true or not?",
            "what is in room no. 5?",
            "who said \"not now\"?",
            "which notes are there?",
            "what is the no-cache header?",
        ] {
            assert!(Turned::of(says).is_none(), "{says}");
        }
    }
}
