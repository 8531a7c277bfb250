//! Whether a judge prefers its own answers: what it says of comparisons in which one of both answers is its
//! own and the other is not, beside what the user says of them.

use crate::last_words::{answer_of, last_words};
use crate::statistics::{Interval, share};
use domain::model::ModelRef;
use domain::quality::{Observation, Winner, Worth};
use std::collections::BTreeMap;

/// How often an answer of the judge's own was better than one of another model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Preferred {
    /// Its own was.
    pub own: usize,
    /// The other was.
    pub other: usize,
}

impl Preferred {
    const fn take(&mut self, is_own: Option<bool>) {
        match is_own {
            Some(true) => self.own += 1,
            Some(false) => self.other += 1,
            None => {}
        }
    }

    /// The share of its own, ties left out; `None` where there is nothing but ties.
    #[must_use]
    pub fn share(&self) -> Option<Interval> {
        share(self.own, self.own + self.other)
    }
}

/// A judge's comparisons of its own answers with those of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAnswers {
    /// The judge.
    pub judge: ModelRef,
    /// As it says, in both orders.
    pub judged: Preferred,
    /// As the user says, of answers that it compared.
    pub chosen: Preferred,
}

/// The same of all judges in these observations, in any order. Of two answers the last word of each counts.
pub(crate) fn own_answers(observations: &[Observation]) -> Vec<OwnAnswers> {
    let chosen: BTreeMap<_, Winner> = last_words(observations)
        .filter_map(|one| match &one.worth {
            Worth::Chosen { winner, second } => Some(((answer_of(one), second), *winner)),
            _ => None,
        })
        .collect();
    let mut all: BTreeMap<&ModelRef, (Preferred, Preferred)> = BTreeMap::new();
    for one in last_words(observations) {
        let Worth::Compared {
            winner,
            second,
            judge,
        } = &one.worth
        else {
            continue;
        };
        let is_first = one.model.as_ref() == Some(judge);
        if is_first == (second == judge) {
            continue;
        }
        let own = |winner: Winner| match winner {
            Winner::Tie => None,
            Winner::A => Some(is_first),
            Winner::B => Some(!is_first),
        };
        let (by_judge, by_user) = all.entry(judge).or_default();
        by_judge.take(own(*winner));
        if let Some(winner) = chosen.get(&(answer_of(one), second)) {
            by_user.take(own(*winner));
        }
    }
    let own = |(judge, (judged, chosen)): (&ModelRef, _)| OwnAnswers {
        judge: judge.clone(),
        judged,
        chosen,
    };
    all.into_iter().map(own).collect()
}
