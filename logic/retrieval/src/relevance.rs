//! How much of a question a text answers: comparable between questions, unlike fused scores.

use crate::question::Question;
use crate::words::informative;
use std::collections::BTreeSet;

/// The share of the question's informative words that the text has, 0 to 1, joined with the cosine
/// of their vectors where there is one: whichever says more.
///
/// A cosine counts from [`COSINE_NOTHING`] (0) to [`COSINE_ALL`] (1), on a straight line.
#[must_use]
pub fn relevance(question: &Question, text: &str, cosine: Option<f32>) -> f32 {
    let near = cosine.map_or(0.0, |cosine| {
        ((cosine - COSINE_NOTHING) / (COSINE_ALL - COSINE_NOTHING)).clamp(0.0, 1.0)
    });
    coverage(question, text).max(near)
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
    let held: BTreeSet<String> = informative(text).into_iter().collect();
    let found = question
        .words
        .iter()
        .filter(|word| held.contains(*word))
        .count();
    found as f32 / question.words.len() as f32
}
