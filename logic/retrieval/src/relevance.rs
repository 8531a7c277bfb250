//! How much of a question a text answers: comparable between questions, unlike fused scores.

use crate::phrases::{SMALL_TALK, has};
use crate::question::Question;
use crate::words::{held, is_stop_word, without_accents, words};

/// The share of the question's informative words that the text has, 0 to 1, joined with the cosine
/// of their vectors where there is one: whichever says more.
///
/// Small talk asks for nothing: what has its words is found by them, and is far from relevant. The
/// same holds for words of a question that is function words alone.
///
/// A cosine counts from [`COSINE_NOTHING`] (0) to [`COSINE_ALL`] (1), on a straight line.
#[must_use]
pub fn relevance(question: &Question, text: &str, cosine: Option<f32>) -> f32 {
    if is_small_talk(question) {
        return coverage(question, text) * FAINT;
    }
    let near = cosine.map_or(0.0, |cosine| {
        ((cosine - COSINE_NOTHING) / (COSINE_ALL - COSINE_NOTHING)).clamp(0.0, 1.0)
    });
    let says = if question.is_grammar { FAINT } else { 1.0 };
    (coverage(question, text) * says).max(near)
}

/// What words count that hardly ask for anything: enough for one who searches for them, and less
/// than whatever is recalled unasked needs.
const FAINT: f32 = 0.1;

/// Longest small talk, words that are no stop words.
const SMALL_TALK_WORDS: usize = 4;

/// Whether a question is only a greeting, thanks, a yes, or single letters such as `y`.
#[must_use]
pub fn is_small_talk(question: &Question) -> bool {
    let is_letter = |word: &str| word.is_ascii() && word.len() == 1;
    let is_small = |word: &str| is_letter(word) || has(SMALL_TALK, word);
    let plain = without_accents(&question.text);
    let said = words(&plain).map(|word| word.text.to_lowercase());
    // A stop word that is an answer by itself counts as one: `no`.
    let said: Vec<String> = said
        .filter(|word| is_small(word) || !is_stop_word(word))
        .collect();
    !said.is_empty() && said.len() <= SMALL_TALK_WORDS && said.iter().all(|word| is_small(word))
}

/// At and below this cosine, texts have nothing to do with each other.
pub const COSINE_NOTHING: f32 = 0.2;
/// From this cosine on, texts say the same.
pub const COSINE_ALL: f32 = 0.8;

/// The share of the question's informative words that the text has, 0 to 1.
#[must_use]
pub fn coverage(question: &Question, text: &str) -> f32 {
    if question.words.is_empty() {
        return 0.0;
    }
    let held = held(text);
    let found = question
        .words
        .iter()
        .filter(|word| held.contains(*word))
        .count();
    found as f32 / question.words.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::read;

    #[test]
    fn it_is_the_share_of_the_question_that_is_answered() {
        let question = read("Which bees does Ada keep?");
        assert_eq!(relevance(&question, "Ada keeps her bees here.", None), 1.0);
        assert!((relevance(&question, "Bees sting.", None) - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(relevance(&question, "Nothing.", None), 0.0);
        assert_eq!(relevance(&read("What is it?"), "It is.", None), 0.0);
    }

    #[test]
    fn small_talk_is_answered_by_nothing() {
        for said in [
            "Hello!",
            "hi there carl",
            "Good morning",
            "thanks, great",
            "OK",
            "y",
            "yes, do",
            "Hallo",
            "Guten Morgen!",
            "Vielen Dank",
            "ja bitte",
            "Merci beaucoup",
            "s'il te plaît",
            "¡Hola!",
            "Grazie mille",
            "Obrigado",
            "Dankjewel",
        ] {
            let question = read(said);
            let text = "create hello.txt: good morning, thanks, ok";
            assert!(relevance(&question, text, Some(0.9)) <= FAINT, "{said}");
        }
        let question = read("the morning routine");
        assert!(relevance(&question, "My morning routine is tea.", None) > 0.9);
    }

    #[test]
    fn words_of_politeness_and_grammar_answer_nothing() {
        let kept = "Ich mag kurze Antworten. Bitte korrigiere den Tippfehler in kapitel-02.md";
        for asked in [
            "Übersicht bitte",
            "Schnitt bitte in der Szene",
            "please FIRST20",
        ] {
            assert_eq!(relevance(&read(asked), kept, None), 0.0, "{asked}");
        }
        assert!(relevance(&read("Bitte den Tippfehler"), kept, None) > 0.9);
        assert_eq!(
            relevance(&read("Wie ist das für mich?"), "Es ist für dich.", None),
            1.0
        );
    }

    #[test]
    fn how_a_file_is_called_at_its_end_answers_nothing() {
        let kept = "replace draft with final in notes.md";
        for asked in ["what is in README.md?", "how many lines has README.md?"] {
            assert_eq!(relevance(&read(asked), kept, None), 0.0, "{asked}");
        }
        assert_eq!(relevance(&read("what is in notes.md?"), kept, None), 1.0);
        assert_eq!(relevance(&read("md"), kept, None), 1.0);
    }

    #[test]
    fn function_words_alone_are_found_and_not_relevant() {
        assert_eq!(
            relevance(&read("Was ist das?"), "Das ist Tee.", None),
            FAINT
        );
        assert_eq!(
            relevance(&read("Wo ist der Tee?"), "Das ist er.", None),
            0.0
        );
        assert_eq!(relevance(&read("super"), "The super user.", None), FAINT);
        assert_eq!(relevance(&read("where is the NAS"), "A NAS.", None), 1.0);
        assert_eq!(relevance(&read("where is the MIT?"), "At MIT.", None), 1.0);
    }

    #[test]
    fn a_near_vector_counts_where_words_differ() {
        let question = read("Which bees does Ada keep?");
        assert!((relevance(&question, "Nothing.", Some(0.5)) - 0.5).abs() < 1e-6);
        assert_eq!(relevance(&question, "Nothing.", Some(0.95)), 1.0);
        assert_eq!(relevance(&question, "Nothing.", Some(-0.5)), 0.0);
    }
}
