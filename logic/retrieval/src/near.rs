//! Whether two texts say the same.

use crate::question;
use crate::words::words;
use std::collections::BTreeSet;

/// From here on, two texts are near duplicates.
pub const NEAR: f32 = 0.9;

/// How much two texts share, 0 to 1: the Jaccard measure of their sets of three words in a row;
/// of single words where a text has fewer than three. 0 where names, numbers, dates or denials differ,
/// for one word of these changes what is said.
#[must_use]
pub fn likeness(one: &str, other: &str) -> f32 {
    if question::normalised(one) == question::normalised(other) {
        return 1.0;
    }
    let (read_one, read_other) = (question::read(one), question::read(other));
    let same = read_one.numbers == read_other.numbers
        && read_one.dates == read_other.dates
        && read_one.entities == read_other.entities
        && read_one.negations == read_other.negations;
    if !same {
        return 0.0;
    }
    let (one, other) = (shingles(one), shingles(other));
    let shared = one.intersection(&other).count();
    let all = one.union(&other).count();
    if all == 0 {
        return 0.0;
    }
    shared as f32 / all as f32
}

/// Every three words in a row.
fn shingles(text: &str) -> BTreeSet<String> {
    let lower: Vec<String> = words(text).map(|word| word.text.to_lowercase()).collect();
    if lower.len() < 3 {
        return lower.into_iter().collect();
    }
    lower.windows(3).map(|three| three.join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_is_near_and_what_differs_in_one_fact_is_not() {
        let text = "Ada keeps two hives of bees behind the old barn and sells the honey in autumn";
        assert_eq!(likeness(text, &text.to_uppercase()), 1.0);
        assert!(likeness(text, &format!("{text} to friends")) < 1.0);
        for (from, to) in [("Ada", "Bo"), ("two", "no"), ("keeps", "never keeps")] {
            assert!(
                likeness(text, &text.replace(from, to)) < NEAR,
                "{from} -> {to}"
            );
        }
        assert_eq!(likeness("In 2023 it snowed.", "In 2024 it snowed."), 0.0);
        assert_eq!(likeness("", "a"), 0.0);
    }

    #[test]
    fn one_more_word_in_a_long_text_stays_near() {
        let long: Vec<String> = (0..100)
            .map(|at| format!("word{}", "x".repeat(at)))
            .collect();
        let long = long.join(" ");
        assert!(likeness(&long, &format!("{long} more")) >= NEAR);
    }
}
