//! Where a session's drive stands, and whether an auto session is over.

use crate::background::Background;
use domain::drive::{DriveDecision, DriveReason, DriveState, Origin};
use domain::event::{Event, EventBody, QueryStatus};

/// The drive of a session as its events tell it: a fold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DriveProgress {
    last: Option<(DriveState, Option<DriveReason>)>,
    /// Signals that are a reason to act and that no turn has taken up.
    waiting: u32,
    /// How the last request ended.
    status: Option<QueryStatus>,
    outcome: Option<QueryStatus>,
}

impl DriveProgress {
    /// Takes the next event of the log, with what runs in the background after it.
    pub fn apply(&mut self, event: &Event, background: &Background) {
        match &event.body {
            EventBody::SignalReceived { signal } if signal.is_reason() => {
                self.waiting = self.waiting.saturating_add(1);
                self.outcome = None;
            }
            EventBody::QueryReceived { origin, .. } => {
                if *origin == Origin::Drive {
                    self.waiting = 0;
                }
                self.outcome = None;
            }
            EventBody::QueryFinished { status, .. } => self.status = Some(*status),
            EventBody::DriveState(decision) => {
                self.last = Some((decision.state, decision.cause));
                self.outcome = self.rested(decision, background);
            }
            _ => {}
        }
    }

    fn rested(&self, decision: &DriveDecision, background: &Background) -> Option<QueryStatus> {
        let limits = [DriveReason::TurnsUsed, DriveReason::BudgetUsed];
        if decision.cause.is_some_and(|cause| limits.contains(&cause)) {
            return Some(QueryStatus::Partial);
        }
        let rests = matches!(decision.state, DriveState::Resting | DriveState::Quiet);
        let is_over = rests && self.waiting == 0 && !background.is_running();
        // Resting is also where it begins, before anybody has said anything.
        self.status.filter(|_| is_over)
    }

    /// The state that it is in; `None` when it was never switched on.
    #[must_use]
    pub fn state(&self) -> Option<DriveState> {
        self.last.map(|(state, _)| state)
    }

    /// Why it is in that state.
    #[must_use]
    pub fn cause(&self) -> Option<DriveReason> {
        self.last.and_then(|(_, cause)| cause)
    }

    /// How the work went, when the last decision of the drive ended it: it rests or has met a
    /// limit, no timer and no job runs, and nothing waits. A rest until a signal ends nothing.
    #[must_use]
    pub const fn outcome(&self) -> Option<QueryStatus> {
        self.outcome
    }
}
