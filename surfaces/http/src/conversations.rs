//! Which conversations of OpenAI clients have a session that goes on with them.

use crate::limits::CONVERSATIONS;
use domain::hash::Digest;
use domain::id::{QueryId, SessionId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Where a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) session_id: SessionId,
    /// The request that came last.
    pub(crate) query_id: QueryId,
    /// Its last event.
    pub(crate) seq: u64,
    /// Whether somebody has gone on from here: whoever comes next goes another way.
    pub(crate) is_taken: bool,
}

/// The conversations by what they are known by; the oldest are forgotten.
#[derive(Debug, Default)]
pub(crate) struct Conversations(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    points: HashMap<Digest, Point>,
    order: VecDeque<Digest>,
}

impl Conversations {
    /// Notes where a conversation stands.
    pub(crate) fn note(&self, key: Digest, point: Point) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.points.insert(key, point).is_none() {
            known.order.push_back(key);
        }
        while known.order.len() > CONVERSATIONS {
            if let Some(oldest) = known.order.pop_front() {
                known.points.remove(&oldest);
            }
        }
    }

    /// Where a conversation stands, and from now on it is taken.
    pub(crate) fn take(&self, key: &Digest) -> Option<Point> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let point = known.points.get_mut(key)?;
        let before = *point;
        point.is_taken = true;
        Some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_second_who_goes_on_from_a_point_hears_that_it_is_taken() {
        let conversations = Conversations::default();
        let point = Point {
            session_id: SessionId::from_uuid(Uuid::from_u128(1)),
            query_id: QueryId::from_uuid(Uuid::from_u128(2)),
            seq: 3,
            is_taken: false,
        };
        let key = |number: usize| Digest::of(number.to_string().as_bytes());
        conversations.note(key(0), point);
        assert_eq!(conversations.take(&key(0)), Some(point));
        assert!(conversations.take(&key(0)).unwrap().is_taken);
        for number in 1..=CONVERSATIONS {
            conversations.note(key(number), point);
        }
        assert_eq!(conversations.take(&key(0)), None);
        assert!(conversations.take(&key(1)).is_some());
    }
}
