//! Lines of a log by the words of a request, each as one or as many: `show failed passwords for root in auth.log`.

use crate::names;
use crate::quoted::mark;
use crate::turned::Turned;

/// Words of a request that say nothing of a line.
const SMALL: &str = "a an the all any each every of for from by with on at to in into that which who is are was were be been \
    has have had there line lines entry entries message messages";
/// Words by which it is not clear how others belong together, or that say how many or in what order.
const JOINING: &str = "and or but nor not no than more most less least fewer if unless except only newest oldest latest recent \
    sorted unique distinct per";

/// The words that a line has to have; `None` where it is not clear how they belong together.
pub(super) fn terms(said: &str, quotes: &[String]) -> Option<Vec<String>> {
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let mut terms = Vec::new();
    for word in said.split_whitespace() {
        let quoted = (0..quotes.len()).find(|at| word == mark(*at));
        if let Some(at) = quoted {
            terms.push(quotes[at].clone());
            continue;
        }
        if word.ends_with(',') || is_in(JOINING, &word.to_lowercase()) {
            return None;
        }
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() && !is_in(SMALL, &word.to_lowercase()) {
            terms.push(word.to_lowercase());
        }
    }
    (Turned::of(said).is_none() && !terms.is_empty()).then_some(terms)
}

/// Whether a line has all of these, as one or as many, in any letters.
pub(super) fn has_all(line: &str, terms: &[String]) -> bool {
    let line = line.to_lowercase();
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
    terms.iter().all(|term| {
        let term = term.to_lowercase();
        let mut places = line.match_indices(&term);
        let is_word = |word: &&str| are_one(word, &term);
        words.iter().any(is_word)
            || places.any(|(at, _)| names::is_words(&line, at..at + term.len()))
    })
}

/// Whether two words are one, as one or as many: `passwords`, `password`.
fn are_one(one: &str, other: &str) -> bool {
    let is_plural = |many: &str, single: &str| {
        let ending = many.strip_prefix(single);
        single.len() > 2 && ending.is_some_and(|ending| ["s", "es"].contains(&ending))
    };
    one == other || is_plural(one, other) || is_plural(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_as_one_or_as_many() {
        let line = "Failed password for root from 203.0.113.1 port 22";
        let has = |said: &str| terms(said, &[]).map(|terms| has_all(line, &terms));
        for said in [
            "the failed passwords for root",
            "Failed root from 203.0.113.1",
        ] {
            assert_eq!(has(said), Some(true), "{said}");
        }
        for said in ["failed logins", "failed passwords for roo", "passwordless"] {
            assert_eq!(has(said), Some(false), "{said}");
        }
        for said in [
            "failed and accepted passwords",
            "passwords not for root",
            "the lines",
        ] {
            assert_eq!(has(said), None, "{said}");
        }
    }
}
