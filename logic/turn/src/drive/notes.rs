//! What is put on record of decisions, and how often.

use domain::Timestamp;
use domain::drive::{DriveReason, DriveState};
use std::collections::BTreeMap;

/// How long the same decision to do nothing is not put on record again, seconds.
const SILENCE_SECONDS: i64 = 3_600;

/// When each decision to do nothing was last put on record. As many as there are reasons and states.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    last: BTreeMap<(DriveState, DriveReason), (Timestamp, u32)>,
}

impl Notes {
    /// Takes a decision; how often it was taken, when it is to be put on record now.
    pub(super) fn decided(
        &mut self,
        state: DriveState,
        reason: DriveReason,
        now: Timestamp,
    ) -> Option<u32> {
        match self.last.get_mut(&(state, reason)) {
            Some((noted, since)) if now.as_second() - noted.as_second() < SILENCE_SECONDS => {
                *since = since.saturating_add(1);
                None
            }
            Some((noted, since)) => {
                *noted = now;
                Some(std::mem::take(since).saturating_add(1))
            }
            None => {
                self.last.insert((state, reason), (now, 0));
                Some(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_decision_is_on_record_once_an_hour_with_its_number() {
        let mut notes = Notes::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut said = Vec::new();
        for heartbeat in 0..25 {
            said.extend(notes.decided(
                DriveState::Resting,
                DriveReason::NothingNew,
                at(heartbeat * 300),
            ));
        }
        assert_eq!(said, [1, 12, 12]);
        let other = notes.decided(DriveState::Resting, DriveReason::BudgetUsed, at(7_201));
        assert_eq!(other, Some(1));
    }
}
