//! Facts in a text, by rule: short statements that stand on their own and point back to it.
//!
//! An answer alone often lacks the words that it answers to: of "What do you grow?" and "Mostly
//! beans", only both together can be found by "grow". So each answer is joined to its question.
//! They are made anew for the candidates of each query, from texts that are read anyway: nothing
//! of them is kept, so nothing has to be forgotten or can go stale.
//! What else was tried and added nothing is in the record of the fusion, in docs/decisions.

use crate::question::Question;
use crate::relevance::coverage;
use crate::segments::sentences;
use crate::speech::{Speech, asks, read};

/// Longest fact, bytes.
pub const MAX_FACT_BYTES: usize = 1_200;

/// The fact of a text that goes on from another: the questions that `before` asks, with what the
/// next speaker says to them. `None` where nothing is asked, nothing is answered, or either is no
/// single speech: a conversation in one text has its questions beside its answers anyway.
#[must_use]
pub fn fact(text: &str, before: &str) -> Option<String> {
    let (before, answer) = (read(before), read(text));
    let is_said = |speech: Speech<'_>| !speech.speaker.is_empty() && !speech.said.is_empty();
    if !is_said(before) || !is_said(answer) || before.speaker == answer.speaker {
        return None;
    }
    let questions: Vec<&str> = sentences(before.said)
        .into_iter()
        .map(|range| &before.said[range])
        .filter(|sentence| asks(sentence))
        .collect();
    if questions.is_empty() {
        return None;
    }
    let mut fact = format!(
        "{}: {} {}: {}",
        before.speaker,
        questions.join(" "),
        answer.speaker,
        answer.said
    );
    fact.truncate(fact.floor_char_boundary(MAX_FACT_BYTES));
    Some(fact)
}

/// How much of a question the fact of a text covers, 0 to 1; 0 for a text without one.
#[must_use]
pub fn covered(question: &Question, text: &str, before: Option<&str>) -> f32 {
    let fact = before.and_then(|before| fact(text, before));
    fact.map_or(0.0, |fact| coverage(question, &fact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_joined_to_its_question() {
        let before = "[3 May] Ada: The weather is fine. What do you grow?";
        assert_eq!(
            fact("[3 May] Bo: Mostly beans.", before).unwrap(),
            "Ada: What do you grow? Bo: Mostly beans."
        );
    }

    #[test]
    fn what_asks_nothing_or_is_no_speech_makes_no_fact() {
        for (before, text) in [
            ("Ada: You grow beans.", "Bo: Mostly beans."),
            ("Ada: What do you grow?", "Ada: Beans?"),
            ("What do you grow?", "Bo: Beans."),
            ("Ada: What do you grow?", "Beans."),
            ("Ada: What do you grow?", "Bo: Beans.\nAda: Peas."),
            ("Ada: What do you grow?", ""),
            ("", "Bo: Beans."),
        ] {
            assert_eq!(fact(text, before), None, "{before} / {text}");
        }
    }

    #[test]
    fn an_answer_covers_what_its_question_says() {
        let question = crate::question::read("What does Bo grow?");
        let before = Some("Ada: What do you grow?");
        assert_eq!(covered(&question, "Bo: Mostly beans.", before), 1.0);
        assert_eq!(covered(&question, "Bo: Mostly beans.", None), 0.0);
        assert_eq!(
            covered(&question, "Bo: Yes.", Some("Ada: Is it late?")),
            0.5
        );
    }

    #[test]
    fn a_fact_is_bounded() {
        let long = fact(&format!("Bo: {}.", "ü".repeat(MAX_FACT_BYTES)), "Ada: Why?").unwrap();
        assert!(long.len() <= MAX_FACT_BYTES && long.len() > MAX_FACT_BYTES - 4);
    }
}
