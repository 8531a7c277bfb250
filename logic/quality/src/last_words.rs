//! The last word of each on an answer: what was graded, rated or compared again counts once.

use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::quality::{Observation, Worth};
use std::collections::BTreeMap;

/// An answer: of a request, by a model. A second answer that was taken over is another one than the first, also
/// where the same model gave both.
pub(crate) type Answer<'a> = (SessionId, QueryId, Option<&'a ModelRef>, bool);

/// The answer that an observation speaks of.
pub(crate) const fn answer_of(one: &Observation) -> Answer<'_> {
    let model = one.model.as_ref();
    (one.session_id, one.query_id, model, one.is_second)
}

/// Of each answer, and of each second answer that it was compared with, the last word of the user and that of
/// judges, in any order.
pub(crate) fn last_words(observations: &[Observation]) -> impl Iterator<Item = &Observation> {
    /// An answer, whether it is the user's word, whether it is of two answers, and who gave the second.
    type Key<'a> = (Answer<'a>, bool, bool, Option<&'a ModelRef>);
    let mut last: BTreeMap<Key<'_>, &Observation> = BTreeMap::new();
    for one in observations {
        let is_users = judge_of(&one.worth).is_none();
        let (is_of_two, second) = match &one.worth {
            Worth::Judge { .. } | Worth::User { .. } => (false, None),
            Worth::Compared { second, .. } | Worth::Chosen { second, .. } => (true, Some(second)),
        };
        let key = (answer_of(one), is_users, is_of_two, second);
        let known = last.entry(key).or_insert(one);
        if known.seq <= one.seq {
            *known = one;
        }
    }
    last.into_values()
}

/// The judge whose word it is; `None` for the user's.
pub(crate) const fn judge_of(worth: &Worth) -> Option<&ModelRef> {
    match worth {
        Worth::Judge { judge, .. } | Worth::Compared { judge, .. } => Some(judge),
        Worth::User { .. } | Worth::Chosen { .. } => None,
    }
}
