//! A question that one line of a text answers, told by that line: `wann ist der Zahnarzt in notizen.md?`, `how much
//! is the rent in notes.txt?`.
//!
//! The line counts where it is the only one with all words of the question, and says a thing of the kind that is
//! asked for.

use super::lines::Lines;
use crate::names;
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Most characters of a line that is told.
const SHOWN_CHARS: usize = 200;

static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:bis|seit|ab|um|since|until|by|on|at) )?(?:wann|when|wie viel uhr|what time|which day|what day|what date|welchem tag|welchen tag)\b",
    )
});
static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:how much|how many|how long|was kostet|wie ?viele?|wie lange|wie teuer|what does \S+(?: \S+)? cost|what do \S+(?: \S+)? cost)\b",
    )
});
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)^(?:wo|where)\b"));
/// What tells a time.
static OF_TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\bmittwochs?\b",
        r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
        r"|\b(?:januar|februar|märz|mai|juni|juli|oktober|dezember)\b",
        r"|\b(?:today|tomorrow|noon|midnight|heute|morgen|übermorgen|mittags?|mitternacht|abends?)\b",
    ))
});
static OF_AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\d"));
static OF_PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:in|at|on|under|behind|beside|near|next to|above|below|inside|im|am|an|auf|bei|beim|unter|hinter|neben|über|vor)",
        r" \S",
    ))
});

/// Words of a question that its answer need not have.
const SMALL: &str = "a according about am an and are at auf aus be bei beginnen beginnt bis by can cost costs das dem den der des \
    did die do does ein eine einen einer es file find findet for from gibt habe haben has have hat how i ich ihr im in is \
    ist it kann kostet kosten lange laut leave liegt long lot many meeting mein meine meinen mit much must muss my need of \
    on or our sind soll statt stattfindet start starts steht take takes teuer that the there time to uhr um und unser until \
    viel viele wann war was we wer werden when where which will wird wo wir with wie you your zu zum zur datei file";

/// The kind of thing that a question is for, as a pattern of what tells one.
fn sought(question: &str) -> Option<&'static Regex> {
    let hits =
        |form: &LazyLock<Option<Regex>>| form.as_ref().is_some_and(|it| it.is_match(question));
    let (_, told) = [
        (&TIME, &OF_TIME),
        (&AMOUNT, &OF_AMOUNT),
        (&PLACE, &OF_PLACE),
    ]
    .into_iter()
    .find(|(asks, _)| hits(asks))?;
    LazyLock::force(told).as_ref()
}

/// Whether a question may be one that a line of a text answers.
pub(super) fn may_tell(question: &str, path: &str) -> bool {
    plain::is_prose(path) && sought(question.trim()).is_some()
}

/// The line that answers a question; `None` where none does, or more than one.
pub(super) fn told(question: &str, path: &str, text: &str) -> Option<String> {
    let question = question.trim();
    let sought = sought(question).filter(|_| may_tell(question, path))?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let asked = question
        .replace(path, " ")
        .replace(name, " ")
        .to_lowercase();
    let words = asked.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_small = |word: &str| SMALL.split_whitespace().any(|small| small == word);
    let words: Vec<&str> = words
        .filter(|word| !word.is_empty() && !is_small(word))
        .collect();
    let lines = Lines { path, text };
    let has_all = |line: &str| {
        let line = line.to_lowercase();
        words.iter().all(|word| names::has_words(&line, word))
    };
    let mut found = lines
        .lines()
        .enumerate()
        .filter(|(_, line)| has_all(&text[line.clone()]));
    let (at, line) = found
        .next()
        .filter(|_| !words.is_empty() && found.next().is_none())?;
    let line = text[line].trim();
    let says = line.trim_start_matches(['-', '*', '+', '#', '>', ' ']);
    let says = ["[ ] ", "[x] "]
        .iter()
        .find_map(|mark| says.strip_prefix(mark))
        .unwrap_or(says);
    // The words of the question alone tell nothing.
    let is_told = sought.is_match(says) && !says.ends_with('?');
    let shown: String = says.chars().take(SHOWN_CHARS).collect();
    is_told.then(|| {
        let shown = shown.trim_end_matches(['.', '!']);
        format!(
            "{shown} (by rules, no model).\n\nFrom {path}:\n  {}: {line}",
            at + 1
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &str = "# Termine\n- Zahnarzt am Dienstag um 9:30\n- Miete: 900 Euro\n- Schlüssel im Flur\n- Zahnarzt\n- Umzug\n\nThe rent is due on Friday.\nAnna called.\n";

    #[test]
    fn the_only_line_that_says_it_answers() {
        for (question, says) in [
            (
                "was kostet die Miete in n.md?",
                Some("Miete: 900 Euro (by rules"),
            ),
            (
                "wo ist der Schlüssel in n.md?",
                Some("Schlüssel im Flur (by rules"),
            ),
            (
                "when is the rent due in n.md?",
                Some("The rent is due on Friday (by rules"),
            ),
            // Two lines have it, one says no time, and none has it.
            ("wann ist der Zahnarzt in n.md?", None),
            ("wann ist der Umzug in n.md?", None),
            ("when did Anna call in n.md?", None),
            ("when is the party in n.md?", None),
            ("who is Anna in n.md?", None),
            ("when is it in n.md?", None),
        ] {
            let is = told(question, "n.md", NOTES);
            assert_eq!(
                is.as_ref()
                    .map(|is| says.is_some_and(|says| is.starts_with(says))),
                says.map(|_| true),
                "{question}: {is:?}"
            );
        }
        assert_eq!(told("when is x in a.rs?", "a.rs", "x = 1\n"), None);
    }
}
