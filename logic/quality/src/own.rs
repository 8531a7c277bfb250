//! Whether a judge prefers its own answers: what it says of comparisons in which one of both answers is its
//! own and the other is not, beside what the user says of them.

use crate::statistics::{Interval, share};
use domain::id::{QueryId, SessionId};
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

/// The same of all judges in these observations, in any order. Of a request the last word of each counts.
pub(crate) fn own_answers(observations: &[Observation]) -> Vec<OwnAnswers> {
    let (mut judged, mut chosen) = (BTreeMap::new(), BTreeMap::new());
    for one in observations {
        match &one.worth {
            Worth::Compared { .. } => keep_last(&mut judged, one),
            Worth::Chosen { .. } => keep_last(&mut chosen, one),
            Worth::Judge { .. } | Worth::User { .. } => {}
        }
    }
    let mut all: BTreeMap<&ModelRef, (Preferred, Preferred)> = BTreeMap::new();
    for (key, one) in judged {
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
        if let Some(Worth::Chosen { winner, second: of }) = chosen.get(&key).map(|one| &one.worth)
            && of == second
        {
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

fn keep_last<'o>(last: &mut BTreeMap<(SessionId, QueryId), &'o Observation>, one: &'o Observation) {
    let kept = last.entry((one.session_id, one.query_id)).or_insert(one);
    if kept.seq <= one.seq {
        *kept = one;
    }
}
