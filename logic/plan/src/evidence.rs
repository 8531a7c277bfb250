//! Whether an answer about texts stands in them, as far as words can show.

use std::collections::HashSet;

/// What stands in the place of an answer that the lines below it do not bear out.
const UNSURE: &str = "I have no sure answer. These lines may have it.";

/// Words that begin a question in German or Spanish and none in English.
const FOREIGN: [&str; 28] = [
    "wer", "wem", "wen", "wessen", "wann", "wo", "wie", "warum", "wieso", "weshalb", "woher",
    "wohin", "welche", "welcher", "welches", "welchen", "wieviel", "wieviele", "qué", "quién",
    "quiénes", "cuándo", "dónde", "cómo", "cuál", "cuánto", "cuántos", "cuántas",
];
/// Words behind `was` that tell the German one from the English one.
const BEHIND_WAS: [&str; 10] = [
    "ist", "sind", "war", "waren", "steht", "sagt", "kostet", "kosten", "hat", "macht",
];

/// Whether a question is in a language that the small models here do not know: what they say to it is made up.
fn is_foreign(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let (first, second) = (words.next(), words.next());
    let is_was = first == Some("was") && second.is_some_and(|next| BEHIND_WAS.contains(&next));
    is_was || first.is_some_and(|first| FOREIGN.contains(&first))
}

/// A small model's answer with the lines that it is about quoted below, each with its place, so that a
/// person can check it at a glance. Where they do not bear it out, they alone are told.
#[must_use]
pub fn with_lines(answer: &str, quotes: &[(String, String)], question: &str) -> String {
    let lines: Vec<String> = quotes.iter().map(|(_, lines)| lines.clone()).collect();
    // It goes on as its prompt did, with the next question.
    let answer = answer.split("\nQuestion:").next().unwrap_or(answer).trim();
    let is_borne_out =
        quotes.is_empty() || (!is_foreign(question) && is_supported(answer, &lines, question));
    let mut text = if is_borne_out { answer } else { UNSURE }.to_owned();
    for (place, lines) in quotes {
        let lines = lines.replace('\n', "\n  ");
        text.push_str(&format!("\n\nFrom {place}:\n  {lines}"));
    }
    text
}

/// Whether every number and every name in an answer stands in the texts that it was given, or in the
/// question. A small model fills in what it was not told; that is what this finds, and nothing finer.
#[must_use]
fn is_supported(answer: &str, texts: &[String], question: &str) -> bool {
    let known: HashSet<String> = texts
        .iter()
        .map(String::as_str)
        .chain([question])
        .flat_map(words)
        .map(str::to_lowercase)
        .collect();
    let mut starts_sentence = true;
    for word in answer.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !starts_sentence && bare.chars().next().is_some_and(char::is_uppercase);
        let has_digit = bare.chars().any(|c| c.is_ascii_digit());
        if (is_name || has_digit) && !words(bare).all(|part| is_known(&known, part)) {
            return false;
        }
        starts_sentence = word.ends_with(['.', '!', '?', ':']);
    }
    true
}

/// A possessive, a plural and a count of things are of the word itself.
fn is_known(known: &HashSet<String>, part: &str) -> bool {
    let part = part.to_lowercase();
    let singular = part.strip_suffix('s').unwrap_or(&part);
    part.len() < 2 || known.contains(&part) || known.contains(singular)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_that_stand_nowhere_are_found() {
        let texts = ["- Owner: Ravi\nport = 8090".to_owned()];
        let supported = |answer: &str| is_supported(answer, &texts, "When is Ravi's birthday?");
        assert!(supported("The owner is Ravi."));
        assert!(supported("Ravi's file sets port 8090."));
        assert!(supported("It says nothing of that."));
        assert!(!supported("Ravi's birthday is 2023."));
        assert!(!supported("The owner is Peter."));
    }

    #[test]
    fn the_lines_alone_are_told_where_they_do_not_bear_the_answer_out() {
        let quotes = [("a.toml".to_owned(), "port = 8090\nhost = \"x\"".to_owned())];
        let told = |answer: &str| with_lines(answer, &quotes, "Which port is set?");
        let lines = "\n\nFrom a.toml:\n  port = 8090\n  host = \"x\"";
        assert_eq!(told("It is 8090."), format!("It is 8090.{lines}"));
        assert_eq!(told("It is 9999."), format!("{UNSURE}{lines}"));
        assert_eq!(with_lines("It is 9999.", &[], "Which?"), "It is 9999.");
        // To these it answers in English, and makes it up.
        for question in [
            "Welcher Port ist gesetzt?",
            "¿Qué puerto es?",
            "Was ist der Port?",
        ] {
            let told = with_lines("It is 8090.", &quotes, question);
            assert_eq!(told, format!("{UNSURE}{lines}"), "{question}");
        }
        let was = with_lines("It is 8090.", &quotes, "Was the port set?");
        assert_eq!(was, format!("It is 8090.{lines}"));
        let goes_on = "It is 8090.\nQuestion: Which host?\nx";
        assert_eq!(with_lines(goes_on, &[], "Which?"), "It is 8090.");
    }
}
