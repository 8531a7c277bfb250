//! Questions that wait for the user: related ones are put as one.

use domain::event::ConfirmationRequest;
use domain::id::{BatchId, ConfirmationId};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// How long a question waits for another of its batch after the last one came. Only one that was
/// withdrawn never comes; on a busy machine the others may take their time.
pub const GATHERING: Duration = Duration::from_secs(3);
/// How long questions wait after a yes for the session, for the broker to say which of them it covers.
pub const COVERING: Duration = Duration::from_millis(500);

/// Whether to wait for what belongs to a question and has not come yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Wait.
    Left,
    /// What is there has to do.
    Gone,
}

/// The questions of one request, in the order in which they came, whoever asks.
#[derive(Debug, Default)]
pub struct Questions {
    waiting: VecDeque<ConfirmationRequest>,
    /// How many questions of a batch came so far, and how many there are to be.
    batches: HashMap<BatchId, (u32, u32)>,
    /// Questions that the user wants to see by themselves: which of how many each is, from 1.
    apart: HashMap<ConfirmationId, (usize, usize)>,
}

impl Questions {
    /// Takes a question in.
    pub fn put(&mut self, question: ConfirmationRequest) {
        if let Some(batch) = question.batch {
            let (came, size) = self.batches.entry(batch.batch_id).or_default();
            *came += 1;
            *size = (*size).max(batch.size);
        }
        self.waiting.push_back(question);
    }

    /// Takes questions back, to be put one by one and before all others.
    pub fn part(&mut self, questions: Vec<ConfirmationRequest>) {
        let count = questions.len();
        for (index, question) in questions.into_iter().enumerate().rev() {
            // One of those that were parted before stays which it was.
            let place = (index + 1, count);
            self.apart.entry(question.confirmation_id).or_insert(place);
            self.waiting.push_front(question);
        }
    }

    /// Which of how many a question is that is put by itself.
    pub fn place_of(&self, question: &ConfirmationRequest) -> Option<(usize, usize)> {
        self.apart.get(&question.confirmation_id).copied()
    }

    /// Takes a question out that was answered elsewhere; whether it waited here.
    pub fn close(&mut self, confirmation_id: ConfirmationId) -> bool {
        let before = self.waiting.len();
        self.waiting
            .retain(|question| question.confirmation_id != confirmation_id);
        self.waiting.len() < before
    }

    /// Whether there is anything to ask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What to ask next: a question, or all that wait of its batch. `None` when there is nothing,
    /// or more of a batch is still to come.
    pub fn next(&mut self, patience: Patience) -> Option<Vec<ConfirmationRequest>> {
        let first = self.waiting.front()?;
        let Some(batch) = first
            .batch
            .filter(|_| !self.apart.contains_key(&first.confirmation_id))
        else {
            return self.waiting.pop_front().map(|question| vec![question]);
        };
        let counted = self.batches.get(&batch.batch_id);
        let is_whole = counted.is_none_or(|(came, size)| came >= size);
        if !is_whole && patience == Patience::Left {
            return None;
        }
        let belongs = |question: &ConfirmationRequest| {
            question
                .batch
                .is_some_and(|other| other.batch_id == batch.batch_id)
                && !self.apart.contains_key(&question.confirmation_id)
        };
        let (mut together, rest): (Vec<_>, Vec<_>) = self
            .waiting
            .drain(..)
            .partition(|question| belongs(question));
        self.waiting = rest.into();
        together.sort_by_key(|question| question.batch.map(|batch| batch.position));
        Some(together)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::event::{Batch, ConfirmationKind};
    use domain::hash::Digest;
    use domain::lineage::AgentType;
    use domain::tool::EffectClass;
    use uuid::Uuid;

    fn question(id: u128, batch: Option<(u128, u32, u32)>) -> ConfirmationRequest {
        ConfirmationRequest {
            confirmation_id: ConfirmationId::from_uuid(Uuid::from_u128(id)),
            kind: ConfirmationKind::Call,
            agent_type: AgentType::new("coder").unwrap(),
            lineage: Vec::new(),
            batch: batch.map(|(id, position, size)| Batch {
                batch_id: BatchId::from_uuid(Uuid::from_u128(id)),
                position,
                size,
            }),
            effect: EffectClass::SharedWrite,
            reason: String::new(),
            rendering: String::new(),
            diff: None,
            steps: Vec::new(),
            binding: Digest::of(b""),
            expires: Timestamp::UNIX_EPOCH,
        }
    }

    fn ids(asked: Option<Vec<ConfirmationRequest>>) -> Vec<u128> {
        let asked = asked.unwrap_or_default().into_iter();
        asked
            .map(|q| q.confirmation_id.as_uuid().as_u128())
            .collect()
    }

    #[test]
    fn a_batch_waits_until_it_is_whole_and_comes_in_order() {
        let mut questions = Questions::default();
        questions.put(question(2, Some((9, 1, 2))));
        assert!(questions.next(Patience::Left).is_none());
        questions.put(question(5, None));
        questions.put(question(1, Some((9, 0, 2))));
        assert_eq!(ids(questions.next(Patience::Left)), [1, 2]);
        assert_eq!(ids(questions.next(Patience::Left)), [5]);
        assert!(questions.is_empty());
        // One that joins later is put by itself.
        questions.put(question(3, Some((9, 2, 3))));
        assert_eq!(ids(questions.next(Patience::Left)), [3]);
    }

    #[test]
    fn what_does_not_come_is_not_waited_for_without_end() {
        let mut questions = Questions::default();
        questions.put(question(1, Some((9, 0, 3))));
        questions.put(question(2, Some((9, 1, 3))));
        assert!(questions.next(Patience::Left).is_none());
        assert_eq!(ids(questions.next(Patience::Gone)), [1, 2]);
    }

    #[test]
    fn what_was_parted_comes_one_by_one_and_first() {
        let mut questions = Questions::default();
        questions.put(question(1, Some((9, 0, 2))));
        questions.put(question(2, Some((9, 1, 2))));
        let together = questions.next(Patience::Left).unwrap();
        questions.put(question(3, None));
        let parted = together.clone();
        questions.part(together);
        let places = parted.iter().map(|one| questions.place_of(one));
        assert_eq!(places.collect::<Vec<_>>(), [Some((1, 2)), Some((2, 2))]);
        assert!(questions.close(ConfirmationId::from_uuid(Uuid::from_u128(2))));
        assert!(!questions.close(ConfirmationId::from_uuid(Uuid::from_u128(2))));
        assert_eq!(ids(questions.next(Patience::Left)), [1]);
        let alone = questions.next(Patience::Left).unwrap();
        assert_eq!(questions.place_of(&alone[0]), None);
        assert_eq!(ids(Some(alone)), [3]);
    }
}
