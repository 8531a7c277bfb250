//! The best of many entries, found one by one.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The best so far, the worst of them on top.
pub(super) struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<Scored>>,
}

/// An entry with its score, ordered by score; of equals the older one is better.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scored {
    score: f32,
    number: u32,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Best {
    pub(super) fn of(limit: usize) -> Self {
        Self {
            limit,
            heap: BinaryHeap::with_capacity(limit + 1),
        }
    }

    pub(super) fn offer(&mut self, number: u32, score: f32) {
        self.heap.push(Reverse(Scored { score, number }));
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
    }

    /// The score that the next one must exceed.
    pub(super) fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() >= self.limit => worst.score,
            _ => f32::MIN,
        }
    }

    pub(super) fn sorted(self) -> Vec<(u32, f32)> {
        let sorted = self.heap.into_sorted_vec();
        let pairs = sorted.into_iter();
        pairs.map(|Reverse(one)| (one.number, one.score)).collect()
    }
}
