//! What is put on record of decisions, and how often.

use domain::Timestamp;
use domain::drive::DriveState;
use std::collections::BTreeMap;

/// How long the same decision to do nothing is not put on record again, seconds.
const SILENCE_SECONDS: i64 = 3_600;

/// Why the drive is in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It was switched on.
    Began,
    /// It was switched off.
    Ended,
    /// The user said something.
    UserSpoke,
    /// The last turn called tools.
    ToolsUsed,
    /// The last turn called none.
    NoTools,
    /// The agent chose to wait.
    Yielded,
    /// The agent chose to wait for a signal.
    Stored,
    /// The last turn was stopped.
    Stopped,
    /// The user's request failed.
    Failed,
    /// The drive's turn failed; the next one waits.
    BackingOff,
    /// Work is under way and goes on.
    Momentum,
    /// Something came in.
    SignalsCame,
    /// There is nothing to do.
    NothingNew,
    /// There is time to put things in order.
    TimeToDream,
    /// Things are in order.
    Dreamt,
    /// All turns without the user are used.
    TurnsUsed,
    /// The day's budget is used.
    BudgetUsed,
    /// Nobody is to be told anything from now on.
    QuietBegan,
    /// Telling is welcome again.
    QuietEnded,
}

impl Reason {
    /// One sentence, for people and logs.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Began => "the drive is on",
            Self::Ended => "the drive is off",
            Self::UserSpoke => "the user wrote",
            Self::ToolsUsed => "the last turn used tools, so there is work under way",
            Self::NoTools => "the last turn used no tools",
            Self::Yielded => "the agent waits",
            Self::Stored => "the agent waits for a signal",
            Self::Stopped => "the last turn was stopped; not going on by itself",
            Self::Failed => "the last request failed; not going on by itself",
            Self::BackingOff => "the last turn failed; waiting before the next try",
            Self::Momentum => "going on with the work under way",
            Self::SignalsCame => "something came in",
            Self::NothingNew => "looked: nothing to do, so no model was asked",
            Self::TimeToDream => "idle for a while, and there is something to put in order",
            Self::Dreamt => "things are in order",
            Self::TurnsUsed => {
                "stopped: all turns without the user are used; write something to go on"
            }
            Self::BudgetUsed => {
                "stopped: what the drive may spend today is used; UTC's next day goes on"
            }
            Self::QuietBegan => "quiet: nobody is told anything",
            Self::QuietEnded => "quiet is over",
        }
    }
}

/// When each decision to do nothing was last put on record. As many as there are reasons and states.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    last: BTreeMap<(DriveState, Reason), (Timestamp, u32)>,
}

impl Notes {
    /// Takes a decision; how often it was taken, when it is to be put on record now.
    pub(super) fn decided(
        &mut self,
        state: DriveState,
        reason: Reason,
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
                Reason::NothingNew,
                at(heartbeat * 300),
            ));
        }
        assert_eq!(said, [1, 12, 12]);
        let other = notes.decided(DriveState::Resting, Reason::BudgetUsed, at(7_201));
        assert_eq!(other, Some(1));
    }
}
