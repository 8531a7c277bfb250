//! The shapes that a sentence of a request has: what tells the agent to do something, what says
//! more of that, and what may take it back. English only.
//!
//! An order counts only where a sentence opens with it, said to the agent. A sentence that speaks
//! of orders (`Eve asks me to share it`, `why would you share it?`) opens with something else, and
//! so orders nothing. What has none of the shapes listed here is taken as a doubt.

use super::doubts::is_time;
use super::forms::{
    ADDRESSED, ASKING, BEHIND_WHAT_WAS_SAID, CONDITIONAL, CONTENT, COURTEOUS, EQUALS, FIELD_WORDS,
    FIELDS, GIVEN, GOES_ON, GOING_ON, HELPING, LISTED_WORDS, LOOKING, NOUNS, OF_A_TEXT, OF_NOUNS,
    OF_WORDING, PLACING, POINTING, POLITE, PRONOUNS, QUESTION_WORDS, RELATIVE, REQUESTS,
    SUBORDINATE, TAKING_BACK, TOPICAL, WAITING, WANTING, WHAT_WAS_SAID, WITH_A_TEXT, WRONG,
};
use super::words::{AFTER_A_NOUN, ARTICLES, OF_THE_AGENT, REPORTING, TELLING_SOMEBODY};
use std::ops::Range;

/// The shape of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// It tells the agent to do something, from this word on.
    Command(usize),
    /// It says more of what was ordered.
    Description,
    /// A greeting or thanks, or nothing.
    Courtesy,
    /// None of these.
    Other,
}

/// The shape of a sentence with these words and this mark at its end. `is_order`: whether a word is
/// one for a deed.
pub(super) fn shape(words: &[String], mark: char, is_order: impl Fn(&str) -> bool) -> Shape {
    let (at, is_addressed) = opening(words);
    if at >= words.len() {
        return Shape::Courtesy;
    }
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    if HELPING
        .iter()
        .any(|form| begins(words.get(at..).unwrap_or(&[]), form))
    {
        return Shape::Courtesy;
    }
    if takes_back(words.get(at..).unwrap_or(&[])) {
        return Shape::Other;
    }
    let is_told = is_order(word(at)) || is_looking(word(at));
    let is_verb = !is_noun(word(at), word(at + 1));
    if is_told && is_verb && (mark != '?' || is_addressed) {
        return Shape::Command(at);
    }
    if words.iter().all(|word| COURTEOUS.contains(&word.as_str())) {
        return Shape::Courtesy;
    }
    if mark != '?' && is_description(words) {
        return Shape::Description;
    }
    if looks_on_condition(words) {
        return Shape::Courtesy;
    }
    Shape::Other
}

/// Whether a sentence only says what to look at in a case: `if there are several, choose the cheapest`.
fn looks_on_condition(words: &[String]) -> bool {
    let comma = words.iter().position(|word| word == ",");
    let behind = comma
        .and_then(|comma| words.get(comma + 1..))
        .unwrap_or(&[]);
    let mut verbs = behind.iter().filter(|word| *word != "please");
    let is_look = verbs.next().is_some_and(|verb| is_looking(verb));
    words.first().is_some_and(|word| word == "if") && is_look
}

/// Whether a sentence with these words takes back what was said before it: `cancel that`, `drop the
/// sharing`, `leave it`. A verb of looking with a comma behind it tells something else: `look, I …`.
fn takes_back(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_said = |at: usize| {
        let is_meant = word(at) == "it" || BEHIND_WHAT_WAS_SAID.contains(&word(at + 1));
        WHAT_WAS_SAID.contains(&word(at)) && is_meant
    };
    let undoes = |at: usize| TAKING_BACK.contains(&word(at)) && is_said(at + 1);
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    (0..words.len()).any(undoes)
        || TAKING_BACK.contains(&word(0)) && says(&REQUESTS)
        || says(&WAITING)
        || word(1) == "," && !COURTEOUS.contains(&word(0))
        || word(0) == "note" && word(1) == "that"
}

/// Whether a word for a deed is a noun where another word stands behind it: `share permissions`,
/// `mail to Bob`.
pub(super) fn is_noun(word: &str, behind: &str) -> bool {
    AFTER_A_NOUN.contains(&behind)
        || OF_NOUNS.contains(&behind)
        || behind == "to" && NOUNS.contains(&word)
}

/// Whether a word tells the agent to look at something.
pub(super) fn is_looking(word: &str) -> bool {
    LOOKING.contains(&word) || OF_THE_AGENT.contains(&word) || WITH_A_TEXT.contains(&word)
}

/// Where in a sentence the agent is told what to do, and whether it is addressed by a question.
fn opening(words: &[String]) -> (usize, bool) {
    let mut at = usize::from(is_number(words.first()));
    let mut is_addressed = false;
    loop {
        let rest = words.get(at..).unwrap_or(&[]);
        let Some(word) = rest.first() else {
            return (at, is_addressed);
        };
        if POLITE.contains(&word.as_str()) {
            is_addressed |= word == "please";
            at += 1;
        } else if let Some(form) = ADDRESSED.iter().find(|form| begins(rest, form)) {
            is_addressed = true;
            at += form.len();
        } else if let Some(behind) = placed_before(rest) {
            at += behind;
        } else {
            return (at, is_addressed);
        }
    }
}

fn begins(words: &[String], form: &[&str]) -> bool {
    words.len() >= form.len() && words.iter().zip(form.iter()).all(|(word, of)| word == of)
}

fn is_number(word: Option<&String>) -> bool {
    word.is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// How many words a phrase has that only says where: `in the channel general,`.
fn placed_before(words: &[String]) -> Option<usize> {
    let first = words.first()?;
    let comma = words.iter().position(|word| word == ",")?;
    let phrase = words.get(1..comma)?;
    let says_more = phrase.iter().any(|word| {
        let word = word.as_str();
        SUBORDINATE.contains(&word) || REPORTING.contains(&word)
    });
    (PLACING.contains(&first.as_str()) && !says_more).then_some(comma + 1)
}

/// Whether a sentence says what a part of something ordered is, or how it should be.
fn is_description(words: &[String]) -> bool {
    let has_field = words
        .iter()
        .take(FIELD_WORDS)
        .any(|word| FIELDS.contains(&word.as_str()));
    let is_meant = PRONOUNS.contains(&words.first().map_or("", String::as_str));
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    !says(&WRONG) && (has_field && says(&EQUALS) || is_meant && says(&["should", "must"]))
}

/// What a description says a part is: the words behind `is`. Nothing where no part is named.
pub(super) fn described(words: &[(String, usize)]) -> Option<usize> {
    let named = words.iter().take(FIELD_WORDS);
    let mut named = named.map(|(word, _)| word.as_str());
    if !named.any(|word| FIELDS.contains(&word)) {
        return None;
    }
    let mut found = words
        .iter()
        .filter(|(word, _)| EQUALS.contains(&word.as_str()));
    let (word, at) = found.next()?;
    Some(at + word.len())
}

/// Whether a sentence on a new line goes on with the request: it is numbered, or says so.
pub(super) fn goes_on(words: &[String]) -> bool {
    let first = words.first().map_or("", String::as_str);
    is_number(words.first()) || GOING_ON.contains(&first)
}

/// Whether what follows a sentence with this mark may be a text that it speaks of: one about wording,
/// one that orders nothing and is no question of its own.
pub(super) fn hands_over_text(words: &[String], shape: Shape, mark: char) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match shape {
        Shape::Command(at) => {
            let is_elsewhere = ARTICLES.contains(&word(at + 1)) && !says(&GIVEN);
            says(&OF_WORDING) || WITH_A_TEXT.contains(&word(at)) && !is_elsewhere
        }
        Shape::Other => {
            let is_asked = mark == '?' && ASKING.contains(&word(0));
            let is_about_text = says(&OF_A_TEXT) || says(&GIVEN) || says(&OF_WORDING);
            !is_asked || words.len() < QUESTION_WORDS || is_about_text
        }
        Shape::Description | Shape::Courtesy => false,
    }
}

/// Whether a sentence makes a condition; `if so` before an order makes none of its own, and `after
/// three` is a time.
pub(super) fn has_condition(words: &[String], shape: Shape) -> bool {
    let words = match shape {
        Shape::Command(at) => words.get(at..).unwrap_or(&[]),
        Shape::Description | Shape::Courtesy | Shape::Other => words,
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut found = words.iter().enumerate();
    found.any(|(at, word)| {
        let behind = words.get(at + 1..).unwrap_or(&[]);
        CONDITIONAL.contains(word) && !(*word == "after" && is_time(behind))
    })
}

/// Whether a word of a sentence ends the part in which the agent is told to do anything. `from`:
/// where that part begins. A part that only describes a thing (`the article that Bob posted`) ends
/// it where somebody wants something in it, or says what could be done.
pub(super) fn ends_command(words: &[String], from: usize, at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_relative = |at: usize| RELATIVE.contains(&word(at));
    if SUBORDINATE.contains(&word(at)) && !is_relative(at) {
        return true;
    }
    // `wrote the most messages`: what was written, and not what somebody said.
    let is_writing =
        word(at) == "wrote" && (ARTICLES.contains(&word(at + 1)) || word(at + 1) == "about");
    let speaks = REPORTING.contains(&word(at)) && !is_writing || WANTING.contains(&word(at));
    speaks && (from..at).any(is_relative)
        || matches!(word(at), "asks" | "asked" | "wants" | "wanted" | "told")
}

/// Whether an order that `and` adds at a place counts there: behind a part that describes a thing it
/// has to deal with that thing.
pub(super) fn may_be_added(words: &[String], from: usize, at: usize) -> bool {
    let is_described = words
        .get(from..at)
        .is_some_and(|before| before.iter().any(|word| RELATIVE.contains(&word.as_str())));
    let behind = words.get(at + 1).map_or("", String::as_str);
    !is_described || POINTING.contains(&behind)
}

/// The parts of an order whose words may name what it lands on. `words`: those of the order, the
/// first of them its verb, with where each begins; `length` is that of its text.
pub(super) fn scope(words: &[(String, usize)], length: usize) -> Vec<Range<usize>> {
    let word = |at: usize| words.get(at).map_or("", |(word, _)| word.as_str());
    let place = |at: usize| words.get(at).map_or(length, |(_, place)| *place);
    let tells = TELLING_SOMEBODY.contains(&word(0));
    let ends = |at: usize| match word(at) {
        "with" => {
            let behind = at + 1 + usize::from(ARTICLES.contains(&word(at + 1)));
            CONTENT.contains(&word(behind))
        }
        // Whom a verb of telling tells stands right behind it.
        "to" | "for" | "of" if tells => true,
        "," => !is_listed(words.get(at + 1..).unwrap_or(&[])),
        // `The same guests as 'Kickoff'`: that names a thing.
        "as" if (0..at).any(|before| word(before) == "same") => false,
        other => SUBORDINATE.contains(&other),
    };
    let Some(end) = (1..words.len()).find(|at| ends(*at)) else {
        return std::iter::once(0..length).collect();
    };
    // `Send a message about the offer to Bob`: what it is about is no part of where it goes.
    let is_topic = matches!(word(end), "about" | "regarding")
        && (ARTICLES.contains(&word(1)) || TOPICAL.contains(&word(1)));
    let to = (end..words.len()).find(|at| is_topic && word(*at) == "to");
    match to {
        None => std::iter::once(0..place(end)).collect(),
        Some(to) => {
            let rest = (to + 1..words.len()).find(|at| ends(*at));
            vec![0..place(end), place(to)..rest.map_or(length, place)]
        }
    }
}

/// Whether what stands behind a comma is one more of a list, or goes on with the order.
fn is_listed(behind: &[(String, usize)]) -> bool {
    let mut words = behind.iter().map(|(word, _)| word.as_str());
    let first = words.next().unwrap_or("");
    if first != "and" && GOES_ON.contains(&first) {
        return true;
    }
    let from = usize::from(first == "and");
    let chunk = behind.iter().skip(from).map(|(word, _)| word.as_str());
    let chunk: Vec<&str> = chunk
        .take_while(|word| !matches!(*word, "," | "and"))
        .collect();
    let goes_on = chunk.iter().any(|word| GOES_ON.contains(word));
    // An address is several words here: a name, a host, its parts.
    goes_on || chunk.len() <= LISTED_WORDS * 2
}
