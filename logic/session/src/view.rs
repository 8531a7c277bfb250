//! The whole of a session, folded from its events.

use crate::agents::AgentTree;
use crate::background::Background;
use crate::costs::Costs;
use crate::drive::DriveProgress;
use crate::exchange::{Exchange, Exchanges};
use crate::given::{Given, YesEnded};
use crate::plan::PlanProgress;
use crate::second::{Second, Seconds};
use crate::work::AtWork;
use domain::event::{ConfirmationRequest, Event, EventBody};
use domain::fault::PROCESS_ENDED_CODE;
use domain::id::{ConfirmationId, QueryId, SessionId};
use domain::model::Usage;
use domain::settings::SessionProfile;
use std::collections::BTreeSet;

/// A question to the user that nobody has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Which.
    pub confirmation_id: ConfirmationId,
    /// The request that asks.
    pub query_id: Option<QueryId>,
    /// The event it was asked with.
    pub asked_seq: u64,
}

/// What a session has come to: a pure fold over its log. Equal logs give equal views.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionView {
    last_seq: u64,
    profile: Option<SessionProfile>,
    profile_seq: u64,
    forked_from: Option<(SessionId, u64)>,
    exchanges: Exchanges,
    questions: Vec<Question>,
    given: Given,
    cut_off: Option<QueryId>,
    all_cut_off: BTreeSet<QueryId>,
    pinned: BTreeSet<u64>,
    background: Background,
    agents: AgentTree,
    drive: DriveProgress,
    used: Usage,
    costs: Costs,
    work: AtWork,
    plan: Option<PlanProgress>,
    seconds: Seconds,
}

impl SessionView {
    /// That of a whole log.
    #[must_use]
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut view = Self::default();
        for event in events {
            view.apply(event);
        }
        view
    }

    /// The session that it is a copy of, and the last event that it has of that one.
    #[must_use]
    pub const fn forked_from(&self) -> Option<(SessionId, u64)> {
        self.forked_from
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        self.last_seq = event.seq;
        self.exchanges.apply(event);
        self.background.apply(event);
        self.agents.apply(event);
        self.drive.apply(event, &self.background);
        let is_root = self.agents.depth(event.agent_id) == 0;
        self.work.apply(event, is_root);
        self.planned(event, is_root);
        self.costs.apply(event);
        self.seconds.apply(event);
        let settings = self.profile.as_ref().map(|profile| &profile.settings);
        self.given.apply(event, settings);
        match &event.body {
            EventBody::SessionOpened {
                profile,
                forked_from,
            } => {
                self.forked_from = *forked_from;
                self.configured(event, profile);
            }
            EventBody::SessionConfigured { profile } => self.configured(event, profile),
            EventBody::SessionResumed { profile } => {
                self.configured(event, profile);
                // Nobody waits for answers to a process that is no more.
                self.questions.clear();
            }
            EventBody::QueryReceived { .. } | EventBody::Rewound { .. } => self.cut_off = None,
            EventBody::QueryFinished { error, .. } => {
                self.questions.retain(|one| one.query_id != event.query_id);
                let fault = error.as_ref();
                if fault.is_some_and(|fault| fault.code == PROCESS_ENDED_CODE) {
                    self.cut_off = event.query_id.or(self.cut_off);
                    self.all_cut_off.extend(event.query_id);
                }
            }
            EventBody::ConfirmationAsked(request) => self.questions.push(Question {
                confirmation_id: request.confirmation_id,
                query_id: event.query_id,
                asked_seq: event.seq,
            }),
            EventBody::ConfirmationAnswered {
                confirmation_id, ..
            } => self
                .questions
                .retain(|one| one.confirmation_id != *confirmation_id),
            EventBody::Pinned { seq, pinned: true } => {
                self.pinned.insert(*seq);
            }
            EventBody::Pinned { seq, pinned: false } => {
                self.pinned.remove(seq);
            }
            EventBody::ModelAnswered { usage, .. } => self.used = self.used.plus(*usage),
            _ => {}
        }
    }

    fn configured(&mut self, event: &Event, profile: &SessionProfile) {
        self.profile = Some(profile.clone());
        self.profile_seq = event.seq;
    }

    /// Follows the root agent's newest plan while it is worked on.
    fn planned(&mut self, event: &Event, is_root: bool) {
        if let Some(plan) = &mut self.plan {
            plan.apply(event);
        }
        match &event.body {
            EventBody::PlanProposed { .. } if is_root => {
                self.plan = PlanProgress::proposed(event);
            }
            EventBody::QueryFinished { .. } => {
                self.plan = self.plan.take().filter(|plan| plan.at_work().is_some());
            }
            EventBody::SessionResumed { .. } => self.plan = None,
            _ => {}
        }
    }

    /// The second answer to a request that was asked for last.
    #[must_use]
    pub fn second(&self, query_id: QueryId) -> Option<&Second> {
        self.seconds.get(query_id)
    }

    /// The plan of the root agent's that is worked on: it was approved, and a step of it runs.
    #[must_use]
    pub fn plan_at_work(&self) -> Option<&PlanProgress> {
        let plan = self.plan.as_ref();
        plan.filter(|plan| plan.at_work().is_some())
    }

    /// The last event that was taken; 0 for none.
    #[must_use]
    pub const fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// What the session was last opened with or changed to; `None` for a log without a beginning.
    #[must_use]
    pub const fn profile(&self) -> Option<&SessionProfile> {
        self.profile.as_ref()
    }

    /// The event that the profile came with; 0 for none.
    #[must_use]
    pub const fn profile_seq(&self) -> u64 {
        self.profile_seq
    }

    /// The requests that count.
    #[must_use]
    pub const fn exchanges(&self) -> &Exchanges {
        &self.exchanges
    }

    /// The requests that run or wait, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = &Exchange> {
        let standing = self.exchanges.standing().iter();
        standing.filter(|one| one.finished_seq.is_none())
    }

    /// A request, if it runs or waits.
    #[must_use]
    pub fn open_request(&self, query_id: QueryId) -> Option<&Exchange> {
        let found = self.exchanges.find(query_id);
        found.filter(|one| one.finished_seq.is_none())
    }

    /// The questions that nobody has answered, oldest first.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// What ended the yes for the session that would have answered a question, if there was one.
    #[must_use]
    pub fn ended_yes(&self, question: &ConfirmationRequest) -> Option<YesEnded> {
        self.given.ended(question)
    }

    /// The newest request, if it ended because the process that worked on it had.
    #[must_use]
    pub fn cut_off(&self) -> Option<&Exchange> {
        self.cut_off.and_then(|id| self.exchanges.find(id))
    }

    /// A request that counts, if it ended because the process that worked on it had, whatever was asked
    /// since.
    #[must_use]
    pub fn as_cut_off(&self, query_id: QueryId) -> Option<&Exchange> {
        let found = self.exchanges.find(query_id);
        found.filter(|one| self.all_cut_off.contains(&one.query_id))
    }

    /// The events whose messages are pinned.
    #[must_use]
    pub const fn pinned(&self) -> &BTreeSet<u64> {
        &self.pinned
    }

    /// Timers, jobs and watched paths.
    #[must_use]
    pub const fn background(&self) -> &Background {
        &self.background
    }

    /// The agents that others started.
    #[must_use]
    pub const fn agents(&self) -> &AgentTree {
        &self.agents
    }

    /// Where the drive stands.
    #[must_use]
    pub const fn drive(&self) -> &DriveProgress {
        &self.drive
    }

    /// The calls under way, and the model that answers.
    #[must_use]
    pub const fn work(&self) -> &AtWork {
        &self.work
    }

    /// What the model calls of the session used, by who answered them.
    #[must_use]
    pub const fn costs(&self) -> &Costs {
        &self.costs
    }

    /// What every model call of the session cost together.
    #[must_use]
    pub const fn used(&self) -> Usage {
        self.used
    }
}
