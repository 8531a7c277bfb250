//! What comparisons of two answers to the same request come to, by the models that gave them.

use crate::last_words::last_words;
use crate::statistics::{Interval, share};
use domain::model::ModelRef;
use domain::quality::{Observation, Winner, Worth};
use std::collections::BTreeMap;

/// How often each of two answers was better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wins {
    /// The answer that stood in the conversation.
    pub first: usize,
    /// The second answer.
    pub second: usize,
    /// Neither.
    pub ties: usize,
}

impl Wins {
    const fn take(&mut self, winner: Winner) {
        match winner {
            Winner::A => self.first += 1,
            Winner::B => self.second += 1,
            Winner::Tie => self.ties += 1,
        }
    }

    /// The share that the second answers won, ties left out; `None` where nobody won.
    #[must_use]
    pub fn second_share(&self) -> Option<Interval> {
        share(self.second, self.first + self.second)
    }
}

/// Comparisons of the answers of one model with the second answers of another, or of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    /// Whose answers stood in the conversation; `None` for rules.
    pub first: Option<ModelRef>,
    /// Whose were the second answers.
    pub second: ModelRef,
    /// By judges, where they said the same in both orders.
    pub judged: Wins,
    /// By the user.
    pub chosen: Wins,
}

/// The pairings of these observations, in any order. Of two answers the last word of each counts.
pub(crate) fn pairings(observations: &[Observation]) -> Vec<Pairing> {
    let mut all: BTreeMap<(Option<&ModelRef>, &ModelRef), (Wins, Wins)> = BTreeMap::new();
    for one in last_words(observations) {
        let (second, winner, is_users) = match &one.worth {
            Worth::Compared { second, winner, .. } => (second, *winner, false),
            Worth::Chosen { second, winner } => (second, *winner, true),
            Worth::Judge { .. } | Worth::User { .. } => continue,
        };
        let (judged, chosen) = all.entry((one.model.as_ref(), second)).or_default();
        match is_users {
            true => chosen.take(winner),
            false => judged.take(winner),
        }
    }
    let pairing =
        |((first, second), (judged, chosen)): ((Option<&ModelRef>, &ModelRef), _)| Pairing {
            first: first.cloned(),
            second: second.clone(),
            judged,
            chosen,
        };
    all.into_iter().map(pairing).collect()
}
