//! The part of a text that answers a question.

use crate::question::Question;
use crate::segments::sentences;
use crate::words::held;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The part of a text that answers, and how well.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Where it stands in the text, bytes.
    pub range: Range<usize>,
    /// The share of the question's words in it, 0 to 1, rarer words counting more.
    pub score: f32,
}

/// The run of whole sentences of at most `max_bytes` that holds most of the question's words.
/// A text that fits is its own answer; of equals the first. `None` for a text of nothing.
#[must_use]
pub fn answering(text: &str, question: &Question, max_bytes: usize) -> Option<Segment> {
    let sentences = sentences(text);
    let held: Vec<BTreeSet<String>> = sentences
        .iter()
        .map(|range| held(&text[range.clone()]))
        .collect();
    let weights = rarity(&held, question);
    let total: f32 = weights.values().sum();
    let mut best: Option<Segment> = None;
    for (first, range) in sentences.iter().enumerate() {
        let mut covered = BTreeSet::new();
        let mut end = range.end;
        for (next, words) in sentences[first..].iter().zip(&held[first..]) {
            if next.end - range.start > max_bytes && next.start != range.start {
                break;
            }
            end = next.end;
            covered.extend(words.iter().filter(|word| weights.contains_key(*word)));
        }
        let weight: f32 = covered.iter().filter_map(|word| weights.get(*word)).sum();
        let score = if total > 0.0 { weight / total } else { 0.0 };
        if best.as_ref().is_none_or(|known| score > known.score) {
            best = Some(Segment {
                range: range.start..end,
                score,
            });
        }
    }
    best.map(|segment| shortened(text, segment, max_bytes))
}

/// The question's words with what each counts: one that few sentences have counts more.
fn rarity(held: &[BTreeSet<String>], question: &Question) -> BTreeMap<String, f32> {
    let count = held.len() as f32;
    question
        .words
        .iter()
        .map(|word| {
            let with = held.iter().filter(|words| words.contains(word)).count() as f32;
            (word.clone(), (1.0 + (count + 0.5) / (with + 0.5)).ln())
        })
        .collect()
}

/// Cuts a single sentence that is too long by itself.
fn shortened(text: &str, mut segment: Segment, max_bytes: usize) -> Segment {
    if segment.range.len() > max_bytes {
        let end = text.floor_char_boundary(segment.range.start + max_bytes);
        segment.range.end = end.max(segment.range.start);
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::read;
    use proptest::prelude::*;

    const TEXT: &str = "We met in spring. Ada keeps bees in her garden. The honey is dark. \
                        Bo paints boats.";

    #[test]
    fn the_sentence_that_answers_is_cut() {
        let cases = [
            ("What does Ada keep?", "Ada keeps bees in her garden."),
            ("Who paints a boat?", "Bo paints boats."),
            ("What else?", "We met in spring."),
        ];
        for (question, expected) in cases {
            let segment = answering(TEXT, &read(question), 30).unwrap();
            assert_eq!(&TEXT[segment.range], expected, "{question}");
        }
        assert!(answering("", &read("What?"), 30).is_none());
    }

    #[test]
    fn a_text_that_fits_is_its_own_answer() {
        let segment = answering(TEXT, &read("What does Ada keep?"), 1_000).unwrap();
        assert_eq!(segment.range, 0..TEXT.len());
        assert_eq!(segment.score, 1.0);
    }

    proptest! {
        #[test]
        fn what_is_cut_is_text_within_the_limit(
            text in "[ a-f.?\n日😀]{0,80}", question in "[ a-f?]{0,20}", most in 0_usize..40,
        ) {
            if let Some(segment) = answering(&text, &read(&question), most) {
                prop_assert!(text.get(segment.range.clone()).is_some());
                prop_assert!(segment.range.len() <= most);
                prop_assert!((0.0..=1.0001).contains(&segment.score));
            }
        }
    }
}
