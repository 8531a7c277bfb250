//! Earlier askings of a question: what is kept of them says little, and must not crowd out what
//! answers it.

use crate::fusion::Hit;
use crate::question::{Question, is_asked, normalised};
use crate::words::{informative, stem};
use std::collections::{BTreeMap, BTreeSet};

/// Words of an answer that says no more than that something was heard, or is not known.
const SAYS_NOTHING: &[&str] = &[
    "noted",
    "ok",
    "okay",
    "sure",
    "yes",
    "no",
    "thanks",
    "thank",
    "sorry",
    "understood",
    "done",
    "got",
    "know",
    "unknown",
    "remember",
    "answer",
    "information",
    "afraid",
    "leider",
    "weiss",
    "weiß",
    "informationen",
    "desole",
    "sais",
    "informations",
    "siento",
    "informacion",
    "dispiace",
    "informazioni",
    "informacao",
    "informacoes",
    "helaas",
    "spijt",
    "weet",
    "informatie",
];
/// Scores nearer than this are the same.
const TIE: f32 = 1e-4;

/// What a candidate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    /// The question that was asked; `None` for a curated memory.
    pub question: Option<&'a str>,
    /// The answer, or the text of a memory with its name and description.
    pub text: &'a str,
    /// Whether it came from outside: it never stands for what did not.
    pub external: bool,
}

/// The order after these rules; nothing but a repetition is left out. Candidates that `said` does
/// not know keep their place.
///
/// - Of engrams with one question that say the same, or nothing, the newest alone is left.
/// - One that asked and was answered nothing comes last, and so does one whose question is within the
///   question asked now and that adds nothing to both; one whose answer is all in another candidate
///   comes behind that.
/// - Of equal scores, a memory comes before an engram.
#[must_use]
pub fn settled<'a>(
    asked: &Question,
    mut ranked: Vec<Hit>,
    said: impl Fn(u64) -> Option<Said<'a>>,
) -> Vec<Hit> {
    memories_first(&mut ranked, |number| {
        said(number).is_some_and(|said| said.question.is_none())
    });
    let ranked = newest(asked, ranked, &said);
    let asked: BTreeSet<&str> = asked.words.iter().map(String::as_str).collect();
    let mut order: Vec<Hit> = Vec::with_capacity(ranked.len());
    let (mut waiting, mut last) = (Vec::new(), Vec::new());
    for hit in ranked {
        let repeated = said(hit.number).and_then(|said| {
            let question = said.question?;
            // What was told is worth finding, whatever was said to it; what was asked is not.
            match is_asked(question) && !is_answered(question, said.text) {
                true => Some(BTreeSet::new()),
                false => repeats(&asked, &said),
            }
        });
        match repeated {
            None => order.push(hit),
            Some(news) if news.is_empty() => last.push(hit),
            Some(news) => waiting.push((hit, news, order.len())),
        }
    }
    // From the end, so that places before are still what they were.
    for (hit, news, at) in waiting.into_iter().rev() {
        let covers = |other: &Hit| {
            said(other.number).is_some_and(|other| {
                let words: BTreeSet<String> = informative(other.text).into_iter().collect();
                news.is_subset(&words)
            })
        };
        let behind = order.iter().skip(at).position(covers);
        let at = behind.map_or(at, |behind| at + behind + 1);
        order.insert(at, hit);
    }
    order.extend(last);
    order
}

/// Of nearly equal scores, memories first.
fn memories_first(ranked: &mut [Hit], is_memory: impl Fn(u64) -> bool) {
    for at in 1..ranked.len() {
        let mut at = at;
        while let Some([one, other]) = ranked.get_mut(at.wrapping_sub(1)..=at).filter(|_| at > 0) {
            let is_tie = (one.score - other.score).abs() < TIE;
            if !is_tie || is_memory(one.number) || !is_memory(other.number) {
                break;
            }
            std::mem::swap(one, other);
            at -= 1;
        }
    }
}

/// Leaves the newest of those that say the same, at the place of the best of them.
fn newest<'a>(
    asked: &Question,
    ranked: Vec<Hit>,
    said: &impl Fn(u64) -> Option<Said<'a>>,
) -> Vec<Hit> {
    let asked: BTreeSet<&str> = asked.words.iter().map(String::as_str).collect();
    let mut places: BTreeMap<(String, String, bool), usize> = BTreeMap::new();
    let mut left: Vec<Hit> = Vec::with_capacity(ranked.len());
    for hit in ranked {
        let key = said(hit.number).and_then(|said| {
            let answers = news(&asked, &said).is_some_and(|news| !news.is_empty());
            let answer = if answers { said.text } else { "" };
            Some((
                normalised(said.question?),
                normalised(answer),
                said.external,
            ))
        });
        let Some(key) = key else {
            left.push(hit);
            continue;
        };
        let place = *places.entry(key).or_insert(left.len());
        match left.get_mut(place) {
            Some(known) => known.number = known.number.max(hit.number),
            None => left.push(hit),
        }
    }
    left
}

/// What an engram adds to the question asked now, where its own question is within that one.
fn repeats(asked: &BTreeSet<&str>, said: &Said<'_>) -> Option<BTreeSet<String>> {
    let question = informative(said.question?);
    let is_within = question.iter().all(|word| asked.contains(word.as_str()));
    if is_within { news(asked, said) } else { None }
}

/// Whether an answer adds anything to its question.
#[must_use]
pub fn is_answered(question: &str, answer: &str) -> bool {
    let said = Said {
        question: Some(question),
        text: answer,
        external: false,
    };
    news(&BTreeSet::new(), &said).is_some_and(|news| !news.is_empty())
}

/// What an engram's answer adds to its question and the one asked now.
fn news(asked: &BTreeSet<&str>, said: &Said<'_>) -> Option<BTreeSet<String>> {
    let question: BTreeSet<String> = informative(said.question?).into_iter().collect();
    let mut news: BTreeSet<String> = informative(said.text).into_iter().collect();
    news.retain(|word| {
        let says_nothing = || SAYS_NOTHING.iter().any(|nothing| stem(nothing) == *word);
        !asked.contains(word.as_str()) && !question.contains(word) && !says_nothing()
    });
    Some(news)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question;

    const ASKED: &str = "How do I like my coffee?";

    #[test]
    fn a_question_without_an_answer_comes_behind_the_fact() {
        let asked = question::read("Lektorin");
        let said = [
            (
                Some("Wie heißt meine Lektorin?"),
                "Das weiß ich leider nicht.",
            ),
            (None, "Meine Lektorin heißt Sibylle Krämer."),
            (
                Some("Wer ist Sibylle Krämer?"),
                "Sibylle Krämer ist deine Lektorin.",
            ),
        ];
        let hits = (0..3).map(|number| Hit {
            number,
            score: 1.0 - number as f32 / 10.0,
        });
        let of = |number: u64| {
            let (question, text) = said[usize::try_from(number).unwrap()];
            Some(Said {
                question,
                text,
                external: false,
            })
        };
        let settled = settled(&asked, hits.collect(), of);
        let order: Vec<u64> = settled.iter().map(|hit| hit.number).collect();
        assert_eq!(order, [1, 2, 0]);
    }

    fn order(said: &[(Option<&str>, &str)], scores: &[f32]) -> Vec<u64> {
        let hits = (0..)
            .zip(scores)
            .map(|(number, &score)| Hit { number, score });
        let of = |number: u64| {
            let (question, text) = said.get(usize::try_from(number).ok()?)?;
            let external = false;
            Some(Said {
                question: *question,
                text,
                external,
            })
        };
        let settled = settled(&question::read(ASKED), hits.collect(), of);
        settled.into_iter().map(|hit| hit.number).collect()
    }

    #[test]
    fn askings_of_the_same_question_collapse_and_stand_behind_what_answers() {
        let said = [
            (Some(ASKED), "Noted."),
            (
                Some("how do i like my coffee"),
                "I don't know how you like your coffee.",
            ),
            (Some(ASKED), "Noted."),
            (Some("I take my coffee black."), "Noted."),
            (None, "Coffee: black, quokka style"),
        ];
        assert_eq!(order(&said, &[0.9, 0.9, 0.9, 0.5, 0.4]), [3, 4, 2]);
    }

    #[test]
    fn an_asking_that_was_answered_stays_unless_another_says_it() {
        let alone = [(Some(ASKED), "Black."), (None, "Tea is green.")];
        assert_eq!(order(&alone, &[0.9, 0.5]), [0, 1]);
        let both = [
            (Some(ASKED), "Black."),
            (None, "I take my coffee black."),
            (None, "Tea is green."),
        ];
        assert_eq!(order(&both, &[0.9, 0.5, 0.4]), [1, 0, 2]);
    }

    #[test]
    fn different_answers_and_questions_stay() {
        let said = [
            (Some("Where is the badge?"), "In the drawer."),
            (Some("Where is the badge?"), "In the car."),
            (Some("Where is the key?"), "In the car."),
        ];
        assert_eq!(order(&said, &[0.9, 0.8, 0.7]), [0, 1, 2]);
    }

    #[test]
    fn an_answer_that_only_repeats_its_question_answers_nothing() {
        assert!(is_answered(ASKED, "Black."));
        for nothing in ["", "(no answer)", "I don't know how you like your coffee."] {
            assert!(!is_answered(ASKED, nothing), "{nothing}");
        }
    }

    #[test]
    fn a_memory_wins_a_tie() {
        let said = [
            (Some("What colour is the badge?"), "Blue."),
            (None, "The badge is blue."),
        ];
        assert_eq!(order(&said, &[0.5, 0.5]), [1, 0]);
        assert_eq!(order(&said, &[0.6, 0.5]), [0, 1]);
    }
}
