//! How far an approved plan is.

use domain::event::{CallStatus, Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::plan::Action;

/// How a step of a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It has not begun.
    Left,
    /// It is worked on.
    AtWork,
    /// It has ended.
    Ended(CallStatus),
}

/// A plan and how its steps stand.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanProgress {
    query_id: Option<QueryId>,
    agent_id: Option<AgentId>,
    steps: Vec<(Action, StepState)>,
    is_approved: bool,
}

impl PlanProgress {
    /// The plan that an event proposes, if it does.
    #[must_use]
    pub fn proposed(event: &Event) -> Option<Self> {
        let EventBody::PlanProposed { plan, .. } = &event.body else {
            return None;
        };
        let steps = plan.actions.iter().cloned();
        Some(Self {
            query_id: event.query_id,
            agent_id: event.agent_id,
            steps: steps.map(|step| (step, StepState::Left)).collect(),
            is_approved: false,
        })
    }

    /// Whether an event is of the same work.
    #[must_use]
    pub fn is_of(&self, event: &Event) -> bool {
        event.query_id == self.query_id && event.agent_id == self.agent_id
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        if event.query_id != self.query_id {
            return;
        }
        match &event.body {
            EventBody::QueryFinished { .. } => self.stops(),
            _ if event.agent_id != self.agent_id => {}
            EventBody::PlanApproved { .. } => {
                self.is_approved = true;
                self.begins(0);
            }
            EventBody::PlanStep { index, status, .. } => {
                let at = usize::try_from(*index).unwrap_or(usize::MAX);
                if let Some((_, state)) = self.steps.get_mut(at) {
                    *state = StepState::Ended(*status);
                }
                // A plan goes on until one of its steps is not done.
                if *status == CallStatus::Ok {
                    self.begins(at.saturating_add(1));
                }
            }
            _ => {}
        }
    }

    fn begins(&mut self, at: usize) {
        if let Some((_, state)) = self.steps.get_mut(at) {
            *state = StepState::AtWork;
        }
    }

    /// Nobody works on it any more.
    fn stops(&mut self) {
        let states = self.steps.iter_mut().map(|(_, state)| state);
        let at_work = states.filter(|state| **state == StepState::AtWork);
        at_work.for_each(|state| *state = StepState::Left);
    }

    /// Its steps, each with how it stands.
    #[must_use]
    pub fn steps(&self) -> &[(Action, StepState)] {
        &self.steps
    }

    /// The place of the step that is worked on, from 0; `None` where none is.
    #[must_use]
    pub fn at_work(&self) -> Option<usize> {
        let mut steps = self.steps.iter();
        steps.position(|(_, state)| *state == StepState::AtWork)
    }

    /// Whether it runs, or ran.
    #[must_use]
    pub const fn is_approved(&self) -> bool {
        self.is_approved
    }
}
