//! What ratings are worth to a search: the same questions with their share of the order and without it.

use crate::ask::{Among, Asked, ask};
use crate::conversation::Text;
use crate::kept::Filled;
use crate::measures::{Mean, mean};
use anyhow::Result;
use api::memory::{Annotation, Curator as _, Memory as _};
use api::models::Models;
use generated::dialogue::Conversation;
use generated::random::Random;
use memory::Config;
use std::path::Path;
use std::sync::Arc;

/// The seed of who rates what.
const SEED: u64 = 21;
/// Of ten answers so many are rated.
const RATED: usize = 6;
/// Of ten ratings so many say the truth.
const TRUE: usize = 8;

/// Two answers to each question, in nearly the same words: what was said of it, and the same with another
/// end. No search can tell by its words which is right.
#[must_use]
pub fn good_and_bad(conversations: &[Conversation]) -> Vec<Text> {
    let mut random = Random::new(SEED);
    let mut texts = Vec::new();
    for (place, conversation) in conversations.iter().enumerate() {
        for question in &conversation.questions {
            let said = |turn: usize| conversation.turns[turn].said();
            let answer = |turns: Vec<usize>, corpus: String| Text {
                conversation: place,
                turns,
                name: String::new(),
                corpus,
                goes_on: false,
                question: Some(question.text.clone()),
            };
            let right: Vec<String> = question.evidence.iter().map(|turn| said(*turn)).collect();
            let right = right.join("\n");
            let wrong = altered(&right, &said(random.below(conversation.turns.len())));
            let (good, bad) = (
                answer(question.evidence.clone(), right),
                answer(Vec::new(), wrong),
            );
            // Neither is always the newer one.
            match random.below(2) {
                0 => texts.extend([good, bad]),
                _ => texts.extend([bad, good]),
            }
        }
    }
    texts
}

/// A text with the last word of another in the place of its own.
fn altered(text: &str, other: &str) -> String {
    let last = |text: &str| text.trim_end().rfind(' ').map_or(0, |at| at + 1);
    format!("{}{}", &text[..last(text)], &other[last(other)..])
}

/// Each turn that has one behind it in its session, as a question with its answer.
#[must_use]
pub fn turns_in_pairs(conversations: &[Conversation]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (place, conversation) in conversations.iter().enumerate() {
        for (number, pair) in conversation.turns.windows(2).enumerate() {
            if let [asks, answers] = pair
                && asks.session == answers.session
            {
                texts.push(Text {
                    conversation: place,
                    turns: vec![number, number + 1],
                    name: String::new(),
                    corpus: answers.said(),
                    goes_on: false,
                    question: Some(format!("[{}] {}", asks.date, asks.said())),
                });
            }
        }
    }
    texts
}

/// What ratings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ratings {
    /// What is so, four times of five.
    Informed,
    /// Anything: they know nothing of the answer.
    Random,
}

/// Rates six of ten entries. An entry is good where it has what answers a question.
///
/// # Errors
/// When memory fails.
pub async fn rate(filled: &Filled, ratings: Ratings) -> Result<()> {
    let mut random = Random::new(SEED + 1);
    for (text, id) in filled.texts.iter().zip(&filled.ids) {
        let (is_rated, is_true) = (random.below(10) < RATED, random.below(10) < TRUE);
        let Some(id) = id.filter(|_| is_rated) else {
            continue;
        };
        let is_good = match ratings {
            Ratings::Informed => text.turns.is_empty() != is_true,
            Ratings::Random => random.below(2) == 0,
        };
        let score = if is_good { 100 } else { -100 };
        let annotation = Annotation::Feedback(score);
        filled.memory.annotate(None, id, annotation).await?;
    }
    Ok(())
}

/// The same questions with ratings and without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// Mean discounted gain of the first ten with ratings.
    pub with: Mean,
    /// Without.
    pub without: Mean,
    /// What ratings added, question by question.
    pub gained: Mean,
    /// How many questions.
    pub questions: usize,
}

/// Asks all questions of texts that are rated, with the weight of ratings as configured and without any.
///
/// # Errors
/// When memory fails.
pub async fn compare(
    folder: &Path,
    models: &Arc<dyn Models>,
    conversations: &[Conversation],
    (texts, ratings): (Vec<Text>, Ratings),
) -> Result<Compared> {
    let config = Config::default();
    let filled = Filled::new(folder, &config, Arc::clone(models), conversations, texts).await?;
    rate(&filled, ratings).await?;
    filled.memory.reindex().await?;
    // Opened anew, so that both are asked of the same indexes.
    let filled = filled.again(&config, Arc::clone(models)).await?;
    let with = gains(&ask(&filled, conversations, Among::Own).await?.asked);
    let mut unweighted = Config::default();
    unweighted.finding.weights.standing = 0.0;
    let filled = filled.again(&unweighted, Arc::clone(models)).await?;
    let without = gains(&ask(&filled, conversations, Among::Own).await?.asked);
    let gained: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    Ok(Compared {
        with: mean(&with),
        without: mean(&without),
        gained: mean(&gained),
        questions: gained.len(),
    })
}

fn gains(asked: &[Asked]) -> Vec<f64> {
    asked.iter().map(|one| one.worth.ndcg_10).collect()
}

impl Compared {
    /// As a line for people.
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        let part = |mean: Mean| format!("{:.3} ({:.3} to {:.3})", mean.mean, mean.low, mean.high);
        format!(
            "{name}, {} questions: nDCG@10 {} with ratings, {} without; gained {}\n",
            self.questions,
            part(self.with),
            part(self.without),
            part(self.gained),
        )
    }
}
