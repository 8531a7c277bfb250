//! One order of entries from what several legs found.
//!
//! The steps of [`Fusion`] are the stages of a query, in the order of its methods. Each adds to
//! scores or takes a bounded share of them; none drops an entry that a leg found.

use std::collections::BTreeMap;

/// An entry and what a leg or a stage gave it. Higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The entry's number in its store.
    pub number: u64,
    /// Of any scale within a leg; between legs it is not compared.
    pub score: f32,
}

/// What each leg found, in any order. An entry may be in some and missing in others; where a leg
/// names it more than once, as for several segments, its best counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Legs {
    /// BM25 of words. All scores are 0 and up.
    pub lexical: Vec<Hit>,
    /// Cosine of the question and the text's segments.
    pub vector: Vec<Hit>,
    /// Cosine of the question and name or description.
    pub description: Vec<Hit>,
    /// BM25 of extracted facts, by the entry that they point back to.
    pub fact_lexical: Vec<Hit>,
    /// Cosine of the question and extracted facts, by the entry that they point back to.
    pub fact_vector: Vec<Hit>,
}

/// How much each cue counts. Tuned by `cargo xtask bench memory`, not by hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The share of words against vectors, 0 to 1. Where a leg found nothing, the other has all.
    pub lexical: f32,
    /// Of a description as near as the nearest, 0 to 1.
    pub description: f32,
    /// The share of a score that goes to entries that belong with it, and again to those that
    /// belong with them, 0 to 1.
    pub neighbour: f32,
    /// How many steps it goes, 0 to 8.
    pub neighbour_steps: u8,
    /// Of an entry in which the one that the question is about speaks.
    pub speaker: f32,
    /// Of the best fact against the text itself.
    pub facts: f32,
    /// The most that critic, winner and feedback add or take.
    pub standing: f32,
    /// The most that being the newest adds, for questions about now.
    pub recency: f32,
    /// The share of its score that an entry from outside keeps, 0 to 1.
    pub external: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            lexical: 0.5,
            description: 0.1,
            neighbour: 0.5,
            neighbour_steps: 4,
            speaker: 0.15,
            facts: 0.3,
            standing: 0.1,
            recency: 0.2,
            external: 0.8,
        }
    }
}

/// What is known of an entry besides its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// Whether the one that the question is about speaks in it.
    pub speaks: bool,
    /// What critic, winner and feedback say, -1 to 1; 0 for nothing. See [`standing`].
    pub standing: f32,
    /// How old it is, days.
    pub age_days: f32,
    /// Whether it came from outside.
    pub external: bool,
}

/// Scores on the way from legs to an order.
#[derive(Debug, Clone)]
pub struct Fusion {
    weights: Weights,
    scores: BTreeMap<u64, f32>,
}

impl Fusion {
    /// Words and vectors: each leg scaled to 0 to 1 by its best, then added by their share.
    /// What only a description or a fact matched is a candidate too, with 0.
    #[must_use]
    pub fn of(legs: &Legs, weights: Weights) -> Self {
        let mut scores = mixed(&legs.lexical, &legs.vector, weights.lexical);
        let others = [&legs.description, &legs.fact_lexical, &legs.fact_vector];
        for hit in others.into_iter().flatten() {
            scores.entry(hit.number).or_insert(0.0);
        }
        Self { weights, scores }
    }

    /// Adds the descriptions' share.
    pub fn describe(&mut self, legs: &Legs) {
        self.add(&scaled(&legs.description), self.weights.description);
    }

    /// Adds the facts' share: each entry has the best of its facts.
    pub fn facts(&mut self, legs: &Legs) {
        let facts = mixed(&legs.fact_lexical, &legs.fact_vector, self.weights.lexical);
        self.add(&facts, self.weights.facts);
    }

    /// Lets scores spread to entries that belong together: what is one step away from an entry
    /// adds its score times the neighbour's weight, two steps away times its square, and so on; of
    /// several at one distance, the best adds. `belongs` names the entries next to one.
    pub fn spread<I: IntoIterator<Item = u64>>(&mut self, mut belongs: impl FnMut(u64) -> I) {
        let before = self.scores.clone();
        let mut around: BTreeMap<u64, Vec<f32>> = BTreeMap::new();
        let steps = usize::from(self.weights.neighbour_steps.min(MAX_STEPS));
        let mut next_to: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (&from, &score) in &before {
            let mut seen = std::collections::BTreeSet::from([from]);
            let mut edge = vec![from];
            for step in 0..steps {
                let mut further = Vec::new();
                for number in edge {
                    let next = next_to.entry(number).or_insert_with(|| {
                        belongs(number).into_iter().take(MAX_NEIGHBOURS).collect()
                    });
                    further.extend(next.iter().copied().filter(|&one| seen.insert(one)));
                }
                for &number in &further {
                    let best = around.entry(number).or_insert_with(|| vec![0.0; steps]);
                    if let Some(best) = best.get_mut(step) {
                        *best = best.max(score);
                    }
                }
                edge = further;
            }
        }
        for (number, best) in around {
            let mut share = 1.0;
            let added: f32 = best
                .iter()
                .map(|score| {
                    share *= self.weights.neighbour;
                    share * score
                })
                .sum();
            *self.scores.entry(number).or_insert(0.0) += added;
        }
    }

    /// Adds and takes by what is known of each entry besides its text.
    pub fn weigh(&mut self, about_now: bool, mut traits: impl FnMut(u64) -> Traits) {
        let Weights {
            speaker,
            standing,
            recency,
            external,
            ..
        } = self.weights;
        for (&number, score) in &mut self.scores {
            let known = traits(number);
            if known.speaks {
                *score += speaker;
            }
            *score += standing * known.standing.clamp(-1.0, 1.0);
            if about_now {
                *score += recency * freshness(known.age_days);
            }
            if known.external && *score > 0.0 {
                *score *= external;
            }
        }
    }

    /// Every entry that was found, best first; equals by number, so that the order is one.
    #[must_use]
    pub fn ranked(&self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self
            .scores
            .iter()
            .map(|(&number, &score)| Hit { number, score })
            .collect();
        hits.sort_by(|one, other| {
            let scores = other.score.total_cmp(&one.score);
            scores.then(one.number.cmp(&other.number))
        });
        hits
    }

    /// The numbers of every entry found.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.scores.keys().copied()
    }

    fn add(&mut self, scores: &BTreeMap<u64, f32>, weight: f32) {
        for (&number, score) in scores {
            *self.scores.entry(number).or_insert(0.0) += weight * score;
        }
    }
}

/// Most steps that a score spreads.
pub const MAX_STEPS: u8 = 8;
/// Most entries next to one that are looked at.
pub const MAX_NEIGHBOURS: usize = 32;
/// After how many days a memory is half as fresh.
const HALF_LIFE_DAYS: f32 = 30.0;

/// How fresh an entry is, 0 to 1: half after each [`HALF_LIFE_DAYS`].
fn freshness(age_days: f32) -> f32 {
    (-age_days.max(0.0) / HALF_LIFE_DAYS).exp2()
}

/// What a critic's score (1 to 5), the outcome of a comparison (1 won, 0 tie, -1 lost) and the
/// user's feedback (-100 to 100) say together, -1 to 1: the mean of those that there are.
#[must_use]
pub fn standing(critic_score: Option<u8>, outcome: Option<i8>, feedback: Option<i8>) -> f32 {
    let said: Vec<f32> = [
        critic_score.map(|score| (f32::from(score) - 3.0) / 2.0),
        outcome.map(f32::from),
        feedback.map(|points| f32::from(points) / 100.0),
    ]
    .into_iter()
    .flatten()
    .map(|part| part.clamp(-1.0, 1.0))
    .collect();
    match said.len() {
        0 => 0.0,
        count => said.iter().sum::<f32>() / count as f32,
    }
}

/// Scores as shares of the best, 0 to 1; what is below 0 is 0. An entry's best counts.
fn scaled(hits: &[Hit]) -> BTreeMap<u64, f32> {
    let best = hits
        .iter()
        .map(|hit| hit.score)
        .filter(|score| score.is_finite())
        .fold(0.0, f32::max);
    let mut scores = BTreeMap::new();
    for hit in hits {
        let share = if best > 0.0 && hit.score.is_finite() {
            (hit.score / best).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let known: &mut f32 = scores.entry(hit.number).or_insert(0.0);
        *known = known.max(share);
    }
    scores
}

/// Two legs added by the first's share; alone, either counts whole.
fn mixed(first: &[Hit], second: &[Hit], share: f32) -> BTreeMap<u64, f32> {
    let share = match (first.is_empty(), second.is_empty()) {
        (false, true) => 1.0,
        (true, _) => 0.0,
        (false, false) => share,
    };
    let mut scores = scaled(first);
    for score in scores.values_mut() {
        *score *= share;
    }
    for (number, score) in scaled(second) {
        *scores.entry(number).or_insert(0.0) += (1.0 - share) * score;
    }
    scores
}
