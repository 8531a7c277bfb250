//! Reading a question: what it names, counts, denies and wants.

use crate::phrases::{POLITE, has};
use crate::words::{STOP_WORDS, is_abbreviation, is_shouted, is_stop_word, stem};
use crate::words::{without_accents, words};
use std::collections::BTreeSet;

/// A question, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// As asked, without the space around it.
    pub text: String,
    /// Stems of the words that say something, each once, in order.
    pub words: Vec<String>,
    /// Whether those are function words of languages other than English, for want of others.
    pub is_grammar: bool,
    /// Names in it, lower case, each once, in order.
    pub entities: Vec<String>,
    /// Numbers in it, years and days of dates included, as written, each once, in order.
    pub numbers: Vec<String>,
    /// Months, weekdays and relative days in it, lower case, each once, in order.
    pub dates: Vec<String>,
    /// How many words deny.
    pub negations: usize,
    /// What kind of answer is wanted.
    pub wants: Wants,
    /// Whether it asks how things are now, not how they were.
    pub about_now: bool,
}

/// What kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wants {
    /// A point or span of time.
    Time,
    /// A place.
    Place,
    /// A person.
    Person,
    /// A count or an amount.
    Count,
    /// Anything else.
    Anything,
}

/// Two questions with one key and near vectors mean the same; with different keys they do not,
/// however near their vectors are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MeaningKey(String);

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
];
const RELATIVE: &[&str] = &[
    "last", "next", "ago", "before", "after", "since", "until", "first",
];
const DENIALS: &[&str] = &[
    "no", "not", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor", "without",
    "cannot", "except", "stop", "stopped", "isn", "aren", "wasn", "weren", "don", "doesn", "didn",
    "won", "wouldn", "couldn", "shouldn", "hasn", "haven", "hadn",
];
const NOW: &[&str] = &[
    "now",
    "currently",
    "current",
    "latest",
    "today",
    "nowadays",
    "recent",
    "recently",
];

/// Whether a word is how the name of a file ends, such as `md`: every file of that kind has it.
fn ends_name(before: &str, word: &str) -> bool {
    const LONGEST: usize = 4;
    let name = before.strip_suffix('.');
    let is_ending = word.len() <= LONGEST && word.starts_with(|c: char| c.is_ascii_lowercase());
    is_ending && name.is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric()))
}

/// Reads a question.
#[must_use]
pub fn read(text: &str) -> Question {
    let text = text.trim();
    let mut question = Question {
        text: text.to_owned(),
        words: Vec::new(),
        is_grammar: false,
        entities: Vec::new(),
        numbers: Vec::new(),
        dates: Vec::new(),
        negations: 0,
        wants: wants(text),
        about_now: false,
    };
    let plain = without_accents(text);
    let text = plain.as_ref();
    let (mut seen, mut polite, mut grammar) = (BTreeSet::new(), Vec::new(), Vec::new());
    let is_shouted = is_shouted(text);
    let mut begins = true;
    for word in words(text) {
        let lower = word.text.to_lowercase();
        let follows_apostrophe = text[..word.start].ends_with(['\'', '’']);
        if DENIALS.contains(&lower.as_str()) {
            question.negations += 1;
        }
        question.about_now |= NOW.contains(&lower.as_str());
        if is_date(&lower, word.text) {
            once(&mut question.dates, &lower);
        } else if lower.starts_with(|first: char| first.is_ascii_digit()) {
            once(&mut question.numbers, &lower);
        } else if is_name(word.text, &lower, begins) {
            once(&mut question.entities, &lower);
        }
        let says = !is_stop_word(&lower) || !is_shouted && is_abbreviation(word.text);
        if (says || !has(STOP_WORDS, &lower)) && !follows_apostrophe {
            let stem = stem(&lower);
            if seen.insert(stem.clone()) {
                let says_little = has(POLITE, &lower) || ends_name(&text[..word.start], word.text);
                match (says, says_little) {
                    (false, _) => grammar.push(stem),
                    (true, true) => polite.push(stem),
                    (true, false) => question.words.push(stem),
                }
            }
        }
        let after = &text[word.start + word.text.len()..];
        begins = after.trim_start_matches([' ', '"']).len() < after.len()
            && text[..word.start + word.text.len()].ends_with(['.', '?', '!']);
    }
    // What is asked politely is asked all the same; a greeting alone keeps its words, and so does
    // what would be looked for by nothing.
    if question.words.is_empty() {
        question.is_grammar = polite.is_empty() && !grammar.is_empty();
        question.words = if polite.is_empty() { grammar } else { polite };
    }
    question
}

/// A question's text as the cache compares it first: lower case, one space between words, no
/// punctuation.
#[must_use]
pub fn normalised(text: &str) -> String {
    let plain = without_accents(text);
    let lower: Vec<String> = words(&plain).map(|word| word.text.to_lowercase()).collect();
    lower.join(" ")
}

/// Words that a question begins with, and hardly anything else does.
const ASKING: [&str; 11] = [
    "what", "which", "how", "why", "is", "are", "was", "were", "does", "did", "am",
];
/// Words that a statement about the speaker, or about how things are to be done, begins with.
const STATING: [&str; 10] = [
    "i", "my", "mine", "we", "our", "ours", "always", "never", "remember", "note",
];
/// The same, of several words.
const STATING_PHRASES: [&str; 4] = ["from now on", "call me", "please remember", "please note"];
/// Longest statement, characters: what is longer is material, not something told in passing.
const STATEMENT_CHARS: usize = 600;

/// Whether a text asks, by its mark or by the word it begins with.
#[must_use]
pub fn is_asked(text: &str) -> bool {
    let plain = normalised(text);
    let first = plain.split(' ').next().unwrap_or(&plain);
    text.trim_end().ends_with('?') || ASKING.contains(&first)
}

/// Whether a text states something of the speaker, or how things are to be done from now on, by the
/// words it begins with: `I prefer tea`, `From now on use tabs`. Such a text is worth remembering
/// whatever was answered to it.
#[must_use]
pub fn is_statement(text: &str) -> bool {
    if is_asked(text) || text.chars().nth(STATEMENT_CHARS).is_some() {
        return false;
    }
    let plain = normalised(text);
    let first = plain.split(' ').next().unwrap_or(&plain);
    let begins = |phrase: &str| {
        let rest = plain.strip_prefix(phrase);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    STATING.contains(&first) && plain.contains(' ')
        || STATING_PHRASES.iter().any(|phrase| begins(phrase))
}

impl Question {
    /// What has to be the same in a question that means the same.
    #[must_use]
    pub fn meaning_key(&self) -> MeaningKey {
        let parts = [&self.entities, &self.numbers, &self.dates].map(|part| {
            let sorted: BTreeSet<&str> = part.iter().map(String::as_str).collect();
            sorted.into_iter().collect::<Vec<_>>().join(",")
        });
        MeaningKey(format!(
            "{}|{}|{:?}|{}",
            parts.join("|"),
            self.negations,
            self.wants,
            self.about_now
        ))
    }

    /// Whether the question names someone: any part of the name is a name in it, or a word that
    /// says something, however it is written.
    #[must_use]
    pub fn names(&self, someone: &str) -> bool {
        words(&without_accents(someone)).any(|part| {
            let lower = part.text.to_lowercase();
            self.entities.contains(&lower)
                || (!is_stop_word(&lower) && self.words.contains(&stem(&lower)))
        })
    }
}

fn once(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

fn is_date(lower: &str, written: &str) -> bool {
    let month = MONTHS.contains(&lower) && (lower != "may" || written.starts_with('M'));
    month || DAYS.contains(&lower) || RELATIVE.contains(&lower)
}

/// A name is written with a capital letter; at the beginning so is any word, and there a word that
/// says nothing is no name.
fn is_name(written: &str, lower: &str, begins: bool) -> bool {
    let capital = written.starts_with(char::is_uppercase) && written.chars().count() > 1;
    capital && !(begins && (is_stop_word(lower) || has(POLITE, lower)))
}

fn wants(text: &str) -> Wants {
    let lower = normalised(text);
    let has = |phrase: &str| format!(" {lower} ").contains(&format!(" {phrase} "));
    if [
        "when",
        "what year",
        "which year",
        "what date",
        "what day",
        "how long",
        "what month",
        "what time",
    ]
    .into_iter()
    .any(has)
    {
        Wants::Time
    } else if has("how many") || has("how much") || has("how often") {
        Wants::Count
    } else if has("where") || has("what city") || has("what country") {
        Wants::Place
    } else if has("who") || has("whom") || has("whose") {
        Wants::Person
    } else {
        Wants::Anything
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read() {
        let question = read(" When did Ada Lovelace not visit St. Ives in May 2021? ");
        assert_eq!(
            question.words,
            ["ada", "lovelac", "visit", "st", "ive", "2021"]
        );
        assert_eq!(question.entities, ["ada", "lovelace", "st", "ives"]);
        assert_eq!(question.numbers, ["2021"]);
        assert_eq!(question.dates, ["may"]);
        assert_eq!(question.negations, 1);
        assert_eq!(question.wants, Wants::Time);
        assert!(!question.about_now);
        assert!(read("Where does he live now?").about_now);
    }

    #[test]
    fn what_is_wanted_is_told_from_the_question_word() {
        let cases = [
            ("How many cats has she?", Wants::Count),
            ("How long was it?", Wants::Time),
            ("Where is it?", Wants::Place),
            ("Who came?", Wants::Person),
            ("Does whoever asks get one?", Wants::Anything),
        ];
        for (text, wants) in cases {
            assert_eq!(read(text).wants, wants, "{text}");
        }
    }

    #[test]
    fn questions_that_differ_in_what_counts_have_different_keys() {
        let key = |text: &str| read(text).meaning_key();
        let same = [
            ("What does Ada like?", "what is it that Ada likes"),
            ("Who met Bo in 2023?", "In 2023, who met Bo?"),
        ];
        for (one, other) in same {
            assert_eq!(key(one), key(other), "{one} / {other}");
        }
        let different = [
            ("What does Ada like?", "What does Ada not like?"),
            ("What does Ada like?", "What doesn't Ada like?"),
            ("What does Ada like?", "What does Bo like?"),
            ("Who met Bo in 2023?", "Who met Bo in 2024?"),
            ("Who came in May?", "Who came in June?"),
            ("Who came on Monday?", "Who came on Tuesday?"),
            ("When did Ada move?", "Where did Ada move?"),
            ("Where does Ada live?", "Where does Ada live now?"),
        ];
        for (one, other) in different {
            assert_ne!(key(one), key(other), "{one} / {other}");
        }
    }

    #[test]
    fn spelling_case_and_marks_do_not_count_in_normalised_text() {
        assert_eq!(
            normalised("  What's  UP, Ada?! "),
            normalised("what s up ada")
        );
        assert_ne!(normalised("Is it 3?"), normalised("Is it 4?"));
    }

    #[test]
    fn a_statement_is_told_from_a_question_and_a_task() {
        for told in [
            "I prefer British spelling: colour, labour.",
            "my sister is Ada",
            "From now on, use tabs.",
            "Always answer in French",
            "Call me Bo.",
        ] {
            assert!(is_statement(told), "{told}");
        }
        let long = format!("I wrote this: {}", "word ".repeat(200));
        for other in [
            "I like tea, don't I?",
            "What do I like?",
            "Fix the failing test.",
            "Isolate my module",
            "my",
            "y",
            &long,
            "",
        ] {
            assert!(!is_statement(other), "{other}");
        }
    }

    #[test]
    fn a_question_names_whom_it_names() {
        let question = read("What did Will and ada paint?");
        assert!(question.names("Ada"));
        assert!(question.names("Will Roth"), "a name that is also a word");
        assert!(!question.names("Bo"));
        assert!(!read("what will ada paint?").names("Will"));
        assert!(!question.names(""));
    }
}
