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
use crate::speech::{asks, read};

/// Most facts taken from one text.
pub const MAX_FACTS: usize = 64;
/// Longest fact, bytes.
pub const MAX_FACT_BYTES: usize = 1_200;

/// The facts of a text. `before` is what was said just before it, if it goes on from something.
/// A text of several lines with speakers is a conversation by itself.
#[must_use]
pub fn facts(text: &str, before: Option<&str>) -> Vec<String> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let mut found = Vec::new();
    let mut earlier = before.unwrap_or_default();
    for line in lines.iter().take(MAX_FACTS) {
        found.extend(joined(earlier, line));
        earlier = line;
    }
    // A text that is one question and its answer is the fact already.
    if before.is_none() && lines.len() <= 2 {
        found.clear();
    }
    found
}

/// How much of a question the best fact of a text covers, 0 to 1; 0 for a text without facts.
#[must_use]
pub fn covered(question: &Question, text: &str, before: Option<&str>) -> f32 {
    let facts = facts(text, before);
    let covers = facts.iter().map(|fact| coverage(question, fact));
    covers.fold(0.0, f32::max)
}

/// The questions that `earlier` asks with what the next speaker says to them.
fn joined(earlier: &str, answer: &str) -> Option<String> {
    let (earlier, answer) = (read(earlier), read(answer));
    if earlier.speaker.is_empty() || answer.said.is_empty() || earlier.speaker == answer.speaker {
        return None;
    }
    let questions: Vec<&str> = sentences(earlier.said)
        .into_iter()
        .map(|range| &earlier.said[range])
        .filter(|sentence| asks(sentence))
        .collect();
    if questions.is_empty() {
        return None;
    }
    let questions = questions.join(" ");
    let joined = match answer.speaker {
        "" => format!("{}: {questions} {}", earlier.speaker, answer.said),
        speaker => format!(
            "{}: {questions} {speaker}: {}",
            earlier.speaker, answer.said
        ),
    };
    let end = joined.floor_char_boundary(MAX_FACT_BYTES);
    Some(joined[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_joined_to_its_question() {
        let before = "[3 May] Ada: The weather is fine. What do you grow?";
        assert_eq!(
            facts("[3 May] Bo: Mostly beans.", Some(before)),
            ["Ada: What do you grow? Bo: Mostly beans."]
        );
        assert!(facts("Bo: Mostly beans.", Some("Ada: You grow beans.")).is_empty());
        assert!(facts("Bo: Mostly beans.", None).is_empty());
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
    fn the_same_speaker_does_not_answer() {
        assert!(facts("Ada: Beans?", Some("Ada: What do you grow?")).is_empty());
    }

    #[test]
    fn a_conversation_in_one_text_has_its_facts() {
        let text = "[3 May]\nAda: What do you grow?\nBo: Beans. And you?\nAda: Peas.";
        assert_eq!(
            facts(text, None),
            [
                "Ada: What do you grow? Bo: Beans. And you?",
                "Bo: And you? Ada: Peas."
            ]
        );
        assert!(facts("Q: What do you grow?\nA: Beans.", None).is_empty());
    }

    #[test]
    fn facts_are_bounded() {
        let line = format!("Ada: Why?\nBo: {}.\n", "ü".repeat(MAX_FACT_BYTES));
        let found = facts(&line.repeat(MAX_FACTS), None);
        assert!(found.len() <= MAX_FACTS);
        assert!(found.iter().all(|fact| fact.len() <= MAX_FACT_BYTES));
    }
}
