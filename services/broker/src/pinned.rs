//! The approved plans of a session: which call is a plan's next step, and what each step stands for.

use crate::foreseen::Foreseen;
use domain::hash::Digest;
use domain::id::{AgentId, PlanId};
use std::collections::VecDeque;
use std::path::PathBuf;

/// Approved plans a session remembers; the oldest is forgotten first.
const PLANS: usize = 32;

/// An approved plan: its calls, each to run once, in order.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) agent_id: AgentId,
    pub(crate) steps: Vec<Step>,
    pub(crate) next: usize,
}

/// A step of an approved plan.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Tool and arguments.
    pub(crate) key: Digest,
    /// What the user was shown of it; `None` where nobody was asked, and for what only looks.
    pub(crate) shown: Option<Foreseen>,
    /// The folder that it may write in although it is not open, since the user approved the plan.
    pub(crate) opens: Option<PathBuf>,
    /// Whether the user typed it.
    pub(crate) is_typed: bool,
}

/// The plans of one session.
#[derive(Debug, Default)]
pub(crate) struct Plans(VecDeque<(PlanId, Pinned)>);

impl Plans {
    pub(crate) fn pin(&mut self, id: PlanId, plan: Pinned) {
        if self.0.len() >= PLANS {
            self.0.pop_front();
        }
        self.0.push_back((id, plan));
    }

    /// Whether the call is the plan's next step.
    pub(crate) fn is_next_step(&self, id: PlanId, agent_id: AgentId, step: &Digest) -> bool {
        self.find(id, agent_id).is_some_and(|plan| {
            let next = plan.steps.get(plan.next);
            next.is_some_and(|next| next.key == *step)
        })
    }

    /// Whether the call is a step of the plan that the user typed.
    pub(crate) fn is_typed(&self, id: PlanId, agent_id: AgentId, step: &Digest) -> bool {
        self.find(id, agent_id).is_some_and(|plan| {
            let mut steps = plan.steps.iter();
            steps.any(|one| one.is_typed && one.key == *step)
        })
    }

    /// Uses up the plan's next step, if the call is that.
    pub(crate) fn claim_step(
        &mut self,
        id: PlanId,
        agent_id: AgentId,
        step: &Digest,
    ) -> Option<Step> {
        let (_, plan) = self.0.iter_mut().find(|(plan_id, _)| *plan_id == id)?;
        let next = plan.steps.get(plan.next);
        let claimed = next
            .filter(|next| plan.agent_id == agent_id && next.key == *step)?
            .clone();
        plan.next += 1;
        Some(claimed)
    }

    fn find(&self, id: PlanId, agent_id: AgentId) -> Option<&Pinned> {
        let mut plans = self.0.iter();
        let (_, plan) = plans.find(|(plan_id, _)| *plan_id == id)?;
        (plan.agent_id == agent_id).then_some(plan)
    }
}
