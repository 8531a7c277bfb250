//! One order of entries from what several legs found.
//!
//! The steps of [`Fusion`] are the stages of a query, in the order of its methods. Each adds to
//! scores or takes a bounded share of them; none drops an entry that a leg found.

use std::collections::{BTreeMap, BTreeSet};

/// An entry and what a leg or a stage gave it. Higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The entry's number in its store.
    pub number: u64,
    /// Of any scale within a leg; between legs it is not compared.
    pub score: f32,
}

/// What one leg found, in any order. Where it names an entry more than once, as for several
/// segments, its best counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Leg {
    /// Entries and scores.
    pub hits: Vec<Hit>,
    /// Whether there were more than it names. Its lowest score then counts as nothing (one that
    /// gives all the same says nothing); otherwise 0 does.
    pub cut: bool,
}

/// What the legs found. An entry may be in some and missing in others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Legs {
    /// BM25 of words.
    pub lexical: Leg,
    /// Cosine of the question and the text's segments.
    pub vector: Leg,
    /// Cosine of the question and name or description.
    pub description: Leg,
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
    /// Of an entry in which one speaks whom the question names.
    pub speaker: f32,
    /// Taken from an entry that asks and says nothing.
    pub asking: f32,
    /// Of a fact that covers the whole question.
    pub facts: f32,
    /// The largest share of its own score that critic, winner and feedback add or take, 0 to 1. A share,
    /// since what is good and off the question is not to stand before what answers it.
    pub standing: f32,
    /// The most that being the newest adds, for questions about now.
    pub recency: f32,
    /// The share of its score that an entry from outside keeps, 0 to 1.
    pub external: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            lexical: 0.6,
            description: 0.1,
            neighbour: 0.6,
            neighbour_steps: 4,
            speaker: 0.35,
            asking: 0.1,
            facts: 0.35,
            standing: 0.03,
            recency: 0.2,
            external: 0.8,
        }
    }
}

/// What is known of an entry besides its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// Whether one speaks in it whom the question names.
    pub speaks: bool,
    /// The share of its sentences that ask, 0 to 1. See [`crate::speech::asking`].
    pub asking: f32,
    /// What critic, winner and feedback say, -1 to 1; 0 for nothing. See [`standing`].
    pub standing: f32,
    /// How old it is, days.
    pub age_days: f32,
    /// Whether it came from outside.
    pub external: bool,
    /// Whether the user kept it on purpose, which cannot be rated.
    pub is_kept: bool,
}

/// Scores on the way from legs to an order.
#[derive(Debug, Clone)]
pub struct Fusion {
    weights: Weights,
    scores: BTreeMap<u64, f32>,
}

impl Fusion {
    /// Words and vectors: each leg scaled to 0 to 1 between its lowest and its best, then added by
    /// their share. What only a description matched is a candidate too, with 0.
    #[must_use]
    pub fn of(legs: &Legs, weights: Weights) -> Self {
        let mut scores = mixed(&legs.lexical, &legs.vector, weights.lexical);
        for hit in &legs.description.hits {
            scores.entry(hit.number).or_insert(0.0);
        }
        Self { weights, scores }
    }

    /// Adds the descriptions' share.
    pub fn describe(&mut self, legs: &Legs) {
        self.add(&scaled(&legs.description), self.weights.description);
    }

    /// Lets scores spread to entries that belong together: what is one step away from an entry
    /// gains that entry's score times the neighbour's weight, two steps away times its square, and
    /// so on; of several at one distance, the best one counts. Scores spread from the best
    /// [`SPREAD_FROM`]. `belongs` names the entries next to one, in both directions.
    pub fn spread<I: IntoIterator<Item = u64>>(&mut self, mut belongs: impl FnMut(u64) -> I) {
        let steps = usize::from(self.weights.neighbour_steps.min(MAX_STEPS));
        let mut gained: BTreeMap<u64, Vec<f32>> = BTreeMap::new();
        let mut known: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut next_to = |number: u64| -> Vec<u64> {
            let next = known
                .entry(number)
                .or_insert_with(|| belongs(number).into_iter().take(MAX_NEIGHBOURS).collect());
            next.clone()
        };
        for from in self.ranked().into_iter().take(SPREAD_FROM) {
            for (step, reached) in rings(from.number, steps, &mut next_to).iter().enumerate() {
                for &number in reached {
                    let best = gained.entry(number).or_insert_with(|| vec![0.0; steps]);
                    best[step] = best[step].max(from.score);
                }
            }
        }
        for (number, best) in gained {
            let shares = (1..).map(|step| self.weights.neighbour.powi(step));
            let gain: f32 = best
                .iter()
                .zip(shares)
                .map(|(score, share)| score * share)
                .sum();
            *self.scores.entry(number).or_insert(0.0) += gain;
        }
    }

    /// Adds the facts' share. `covers` says how much of the question an entry's best fact covers, 0
    /// to 1; see [`crate::facts::covered`].
    pub fn facts(&mut self, mut covers: impl FnMut(u64) -> f32) {
        for (&number, score) in &mut self.scores {
            *score += self.weights.facts * covers(number).clamp(0.0, 1.0);
        }
    }

    /// Adds and takes by what is known of each entry besides its text. However many entries were rated well, none
    /// passes what the user kept on purpose and what stood before it.
    pub fn weigh(&mut self, about_now: bool, mut traits: impl FnMut(u64) -> Traits) {
        let Weights {
            speaker,
            asking,
            standing,
            recency,
            external,
            ..
        } = self.weights;
        let (mut raised, mut kept) = (Vec::new(), Vec::new());
        for (&number, score) in &mut self.scores {
            let known = traits(number);
            if known.speaks {
                *score += speaker;
            }
            *score -= asking * known.asking.clamp(0.0, 1.0);
            let gained = standing * known.standing.clamp(-1.0, 1.0) * score.max(0.0);
            let weighed = |mut score: f32| {
                if about_now {
                    score += recency * freshness(known.age_days);
                }
                match known.external && score > 0.0 {
                    true => score * external,
                    false => score,
                }
            };
            let unrated = weighed(*score);
            *score = weighed(*score + gained);
            if known.is_kept {
                kept.push((number, *score));
            } else if *score > unrated {
                raised.push((unrated, *score));
            }
        }
        self.stay_before(kept, &raised);
    }

    /// What was kept goes on standing before entries that stood behind it before they were rated: their scores
    /// without and with that.
    fn stay_before(&mut self, mut kept: Vec<(u64, f32)>, raised: &[(f32, f32)]) {
        kept.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let mut behind = f32::NEG_INFINITY;
        for (number, own) in kept {
            let passing = raised.iter().filter(|(before, _)| *before <= own);
            let highest = passing.map(|(_, after)| *after).fold(behind, f32::max);
            let score = match highest >= own {
                true => highest.next_up(),
                false => own,
            };
            self.scores.insert(number, score);
            behind = score;
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
pub const MAX_NEIGHBOURS: usize = 16;
/// Most entries that one entry's score reaches.
pub const MAX_REACHED: usize = 64;
/// From how many of the best entries scores spread.
pub const SPREAD_FROM: usize = 100;
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

/// The entries one step away from one, two steps away, and so on; each once.
fn rings(from: u64, steps: usize, next_to: &mut impl FnMut(u64) -> Vec<u64>) -> Vec<Vec<u64>> {
    let mut seen = BTreeSet::from([from]);
    let mut rings = Vec::new();
    let mut edge = vec![from];
    for _step in 0..steps {
        let mut further = Vec::new();
        for number in edge {
            for next in next_to(number) {
                if seen.len() <= MAX_REACHED && seen.insert(next) {
                    further.push(next);
                }
            }
        }
        rings.push(further.clone());
        edge = further;
    }
    rings
}

/// Scores on a scale from nothing, 0, to the best, 1. An entry's best counts; what is no number
/// counts as 0.
fn scaled(leg: &Leg) -> BTreeMap<u64, f32> {
    let mut scores: BTreeMap<u64, f32> = BTreeMap::new();
    for hit in &leg.hits {
        let score = if hit.score.is_finite() {
            hit.score
        } else {
            0.0
        };
        let known = scores.entry(hit.number).or_insert(score);
        *known = known.max(score);
    }
    let best = scores.values().copied().fold(f32::NEG_INFINITY, f32::max);
    let lowest = scores.values().copied().fold(f32::INFINITY, f32::min);
    let nothing = if leg.cut { lowest } else { 0.0 };
    for score in scores.values_mut() {
        *score = if best > nothing {
            ((*score - nothing) / (best - nothing)).clamp(0.0, 1.0)
        } else {
            0.0
        };
    }
    scores
}

/// Two legs added by the first's share; alone, either counts whole.
fn mixed(first: &Leg, second: &Leg, share: f32) -> BTreeMap<u64, f32> {
    let share = match (first.hits.is_empty(), second.hits.is_empty()) {
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

#[cfg(test)]
mod tests;
