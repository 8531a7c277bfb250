//! The orchestration of one request: which task starts when, and where each ends.
//!
//! All that is kept of a task are the agents that were started on it and what they reported. Where
//! it stands follows from that, so that a killed orchestration goes on from its log as if nothing
//! had happened: what is done stays done, and what was cut short is one failed try.

use crate::claims::files_of;
use crate::confidence::{Evidence, Files, Next, Try, Work, Worth, next_step};
use crate::failed::failed_report;
use crate::refusal::Refusal;
use domain::lineage::AgentType;
use domain::report::{Report, ReportStatus};
use domain::task::{Task, TaskStatus};
use std::collections::BTreeMap;

/// What was cut short when the process died.
const CUT_SHORT: &str =
    "cut short; whether it took effect is not known: look first, then do what is missing";
const BUDGET: &str = "the token budget is used up";
const INTERRUPTED: &str = "interrupted";
/// What marks an agent that checks a task, after the task's id.
const CHECK: &str = "/check";

/// What an orchestration may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most agents at work at the same time, 1 or more.
    pub at_once: usize,
    /// Tokens that may be used in all; `None`: as many as it takes. What runs is not stopped when
    /// they are used up; nothing more is begun.
    pub tokens: Option<u64>,
    /// The type that looks at a result a second time, if there is one.
    pub checker: Option<AgentType>,
    /// For each type the one that takes over when it was refused something, if there is one.
    pub stand_ins: BTreeMap<AgentType, AgentType>,
}

/// An agent that was started according to a session log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// As in [`Start::label`].
    pub label: String,
    /// Its type.
    pub agent_type: AgentType,
    /// What came of it; `None` when the log ends before its report.
    pub outcome: Option<Evidence>,
}

/// An agent to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The task.
    pub task_id: String,
    /// What goes into the log for it: the task's id, for a second look with `/check` behind it.
    pub label: String,
    /// The type to start.
    pub agent_type: AgentType,
    /// What for.
    pub work: Work,
    /// Why the try before failed, when this is the second.
    pub again: Option<String>,
}

/// How an orchestration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every task is done, and nothing stands against any.
    Complete,
    /// Some are, or something does: a part is missing, or nothing shows that it is right.
    Partial,
    /// None is.
    Nothing,
    /// It was stopped.
    Interrupted,
}

/// What to do next, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Say where a task stands.
    Move {
        /// Which.
        task_id: String,
        /// Where.
        status: TaskStatus,
        /// Why; may be empty.
        reason: String,
    },
    /// Start an agent.
    Start(Start),
    /// Nothing is left to do. Comes once, last.
    Finish(Ending),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Budget,
    Interrupted,
}

/// How a task ended.
#[derive(Debug, Clone)]
struct End {
    status: TaskStatus,
    reason: String,
    worth: Worth,
}

impl End {
    const fn of(status: TaskStatus, reason: String) -> Self {
        let worth = Worth::Whole;
        Self {
            status,
            reason,
            worth,
        }
    }
}

/// A report that another task builds on.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Whose report it is.
    pub task_id: &'a str,
    /// The report.
    pub report: &'a Report,
    /// How far it goes.
    pub worth: Worth,
}

#[derive(Debug, Clone)]
struct Part {
    task: Task,
    tries: Vec<Try>,
    end: Option<End>,
}

impl Part {
    fn is_running(&self) -> bool {
        self.end.is_none() && self.tries.last().is_some_and(|t| t.outcome.is_none())
    }

    /// Where it ended; `None` while it has not.
    fn status(&self) -> Option<TaskStatus> {
        self.end.as_ref().map(|end| end.status)
    }

    /// Who worked on it last.
    fn doer(&self) -> Option<&AgentType> {
        let mut done = self.tries.iter().rev().filter(|t| t.work == Work::Do);
        done.next().map(|t| &t.agent_type)
    }

    fn report(&self) -> Option<&Report> {
        let done = self.tries.iter().rev().filter(|t| t.work == Work::Do);
        let mut reports = done.filter_map(|t| t.outcome.as_ref().map(|o| &o.report));
        reports.next()
    }
}

/// One request's tasks and where they stand.
#[derive(Debug, Clone)]
pub struct Orchestration {
    parts: Vec<Part>,
    limits: Limits,
    spent: u64,
    stop: Option<Stop>,
    finished: bool,
}

impl Orchestration {
    /// Takes checked tasks (see [`crate::check`]).
    #[must_use]
    pub fn new(tasks: Vec<Task>, limits: Limits) -> Self {
        let part = |task| Part {
            task,
            tries: Vec::new(),
            end: None,
        };
        Self {
            parts: tasks.into_iter().map(part).collect(),
            limits,
            spent: 0,
            stop: None,
            finished: false,
        }
    }

    /// Takes up an orchestration where its log ends. `limits` are what is left now: what its agents
    /// have used is not counted again. `begun` are its agents in the order they were
    /// started. Whoever has no report was cut short, which is one failed try.
    #[must_use]
    pub fn rebuilt(tasks: Vec<Task>, limits: Limits, begun: Vec<Begun>) -> Self {
        let mut whole = Self::new(tasks, limits);
        for one in begun {
            let (task_id, work) = match one.label.strip_suffix(CHECK) {
                Some(id) => (id, Work::Check),
                None => (one.label.as_str(), Work::Do),
            };
            let Some(part) = whole.parts.iter_mut().find(|p| p.task.id == task_id) else {
                continue;
            };
            let cut_short = || Evidence {
                report: failed_report(CUT_SHORT),
                refused: Refusal::Nothing,
            };
            let outcome = one.outcome.unwrap_or_else(cut_short);
            part.tries.push(Try {
                work,
                agent_type: one.agent_type,
                outcome: Some(outcome),
            });
        }
        whole
    }

    /// What to do now: at the beginning, and when it was rebuilt.
    #[must_use]
    pub fn begin(&mut self) -> Vec<Action> {
        self.advance()
    }

    /// An agent has reported. `label` as in [`Start::label`]; `tokens` is what it used. A report
    /// for which nobody was started changes nothing.
    #[must_use]
    pub fn reported(&mut self, label: &str, outcome: Evidence, tokens: u64) -> Vec<Action> {
        let task_id = label.strip_suffix(CHECK).unwrap_or(label);
        let work = if task_id == label {
            Work::Do
        } else {
            Work::Check
        };
        let part = self.parts.iter_mut().find(|p| p.task.id == task_id);
        let open = part
            .filter(|part| part.is_running())
            .and_then(|part| part.tries.last_mut())
            .filter(|last| last.work == work);
        let Some(open) = open else {
            return Vec::new();
        };
        open.outcome = Some(outcome);
        self.spent = self.spent.saturating_add(tokens);
        self.advance()
    }

    /// The user stopped it: what runs is failed, what waits is skipped.
    #[must_use]
    pub fn interrupt(&mut self) -> Vec<Action> {
        if !self.finished {
            self.stop = Some(Stop::Interrupted);
        }
        self.advance()
    }

    /// The tasks with where they stand, why, and the report that counts, in planned order.
    pub fn standing(&self) -> impl Iterator<Item = (&Task, TaskStatus, &str, Option<&Report>)> {
        self.parts.iter().map(|part| {
            let (status, reason) = match &part.end {
                Some(end) => (end.status, end.reason.as_str()),
                None if part.is_running() => (TaskStatus::Running, ""),
                None => (TaskStatus::Waiting, ""),
            };
            (&part.task, status, reason, part.report())
        })
    }

    /// Tasks that have ended and are not done whole, each with why, in planned order.
    pub fn short(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| {
            let end = part.end.as_ref()?;
            let is_whole = end.status == TaskStatus::Done && end.worth == Worth::Whole;
            (!is_whole).then_some((part.task.id.as_str(), end.reason.as_str()))
        })
    }

    /// A task and the reports of those it needs, in the order it names them.
    #[must_use]
    pub fn with_inputs(&self, task_id: &str) -> Option<(&Task, Vec<Input<'_>>)> {
        let part = self.parts.iter().find(|p| p.task.id == task_id)?;
        let inputs = part.task.depends_on.iter().filter_map(|id| {
            let needed = self.parts.iter().find(|p| p.task.id == *id)?;
            Some(Input {
                task_id: id,
                report: needed.report()?,
                worth: needed.end.as_ref().map_or(Worth::Whole, |end| end.worth),
            })
        });
        Some((&part.task, inputs.collect()))
    }

    /// The report of a task that counts, if there is one.
    #[must_use]
    pub fn report(&self, task_id: &str) -> Option<&Report> {
        let part = self.parts.iter().find(|p| p.task.id == task_id)?;
        part.report()
    }

    /// Tokens used by its agents so far.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.spent
    }

    /// Tokens left for its agents; `None` without a budget.
    #[must_use]
    pub fn left(&self) -> Option<u64> {
        self.limits.tokens.map(|all| all.saturating_sub(self.spent))
    }

    fn advance(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.finished {
            return actions;
        }
        if self.stop.is_none() && self.left() == Some(0) {
            self.stop = Some(Stop::Budget);
        }
        // A task that ends may end or free others before it in the list, so this goes on until
        // nothing moves.
        while (0..self.parts.len()).any(|index| self.settle(index, &mut actions)) {}
        for index in 0..self.parts.len() {
            self.start(index, &mut actions);
        }
        if self.parts.iter().all(|part| part.end.is_some()) {
            self.finished = true;
            actions.push(Action::Finish(self.ending()));
        }
        actions
    }

    /// Ends a task when it has come to an end; whether it did.
    fn settle(&mut self, index: usize, actions: &mut Vec<Action>) -> bool {
        let part = &self.parts[index];
        if part.end.is_some() {
            return false;
        }
        let Some(end) = self.end_of(part) else {
            return false;
        };
        actions.push(Action::Move {
            task_id: part.task.id.clone(),
            status: end.status,
            reason: end.reason.clone(),
        });
        self.parts[index].end = Some(end);
        true
    }

    fn end_of(&self, part: &Part) -> Option<End> {
        let was_begun = !part.tries.is_empty();
        if self.stop == Some(Stop::Interrupted) && (part.is_running() || !was_begun) {
            let status = if was_begun {
                TaskStatus::Failed
            } else {
                TaskStatus::Skipped
            };
            return Some(End::of(status, INTERRUPTED.to_owned()));
        }
        if !was_begun && let Some(missing) = self.missing(&part.task) {
            return Some(End::of(TaskStatus::Skipped, missing));
        }
        let why = match self.stop {
            Some(Stop::Budget) => BUDGET,
            Some(Stop::Interrupted) | None => INTERRUPTED,
        };
        match (self.next_of(part), self.stop) {
            (Next::Use { worth, note }, _) => Some(End {
                worth,
                ..End::of(TaskStatus::Done, note)
            }),
            (Next::GiveUp(reason), _) => Some(End::of(TaskStatus::Failed, reason)),
            (Next::Do, Some(_)) => Some(End::of(TaskStatus::Skipped, why.to_owned())),
            (Next::Again { reason, .. }, Some(_)) => {
                let reason = format!("{reason}; not tried again: {why}");
                Some(End::of(TaskStatus::Failed, reason))
            }
            (Next::Check, Some(_)) => Some(Self::unchecked(part, why)),
            (Next::Do | Next::Again { .. } | Next::Check | Next::Wait, _) => None,
        }
    }

    /// The end of a task whose result nobody looks at any more.
    fn unchecked(part: &Part, why: &str) -> End {
        let is_part = part
            .report()
            .is_some_and(|report| report.status == ReportStatus::Partial);
        let (worth, note) = match is_part {
            true => (
                Worth::Part,
                format!("only part of it is done; not verified: {why}"),
            ),
            false => (Worth::Unverified, format!("not verified: {why}")),
        };
        End {
            worth,
            ..End::of(TaskStatus::Done, note)
        }
    }

    /// What a task needs and will not get.
    fn missing(&self, task: &Task) -> Option<String> {
        let lost = self.parts.iter().find(|other| {
            let is_lost = matches!(
                other.status(),
                Some(TaskStatus::Failed | TaskStatus::Skipped)
            );
            is_lost && task.depends_on.contains(&other.task.id)
        })?;
        let word = match lost.status() {
            Some(TaskStatus::Skipped) => "was not begun",
            _ => "failed",
        };
        Some(format!("needs `{}`, which {word}", lost.task.id))
    }

    fn next_of(&self, part: &Part) -> Next {
        let id = &part.task.id;
        let is_needed = self.parts.iter().any(|p| p.task.depends_on.contains(id));
        let is_leaf = |p: &Part| {
            !self
                .parts
                .iter()
                .any(|q| q.task.depends_on.contains(&p.task.id))
        };
        let leaves = self.parts.iter().filter(|p| is_leaf(p)).count();
        let files = part.report().map_or(Files::NoneDue, |report| {
            files_of(report, &part.task.expected_artifacts)
        });
        let can_check = self.limits.checker.is_some();
        let next = next_step(&part.tries, is_needed || leaves == 1, &files, can_check);
        let has_stand_in = || {
            let doer = part.doer();
            doer.is_some_and(|doer| self.limits.stand_ins.contains_key(doer))
        };
        match next {
            Next::Again { reason, refused } => match refused.in_vain(has_stand_in()) {
                Some(why) => Next::GiveUp(format!("{reason}; not tried again: {why}")),
                None => Next::Again { reason, refused },
            },
            next => next,
        }
    }

    fn start(&mut self, index: usize, actions: &mut Vec<Action>) {
        let running = self.parts.iter().filter(|part| part.is_running()).count();
        let part = &self.parts[index];
        let is_ready = part.task.depends_on.iter().all(|id| {
            let needed = self.parts.iter().find(|p| p.task.id == *id);
            needed.is_some_and(|p| p.status() == Some(TaskStatus::Done))
        });
        if part.end.is_some() || !is_ready || running >= self.limits.at_once.max(1) {
            return;
        }
        let Some(start) = self.start_of(part, self.next_of(part)) else {
            return;
        };
        let reason = match (&start.again, start.work) {
            (Some(reason), _) => format!("once more: {reason}"),
            (None, Work::Check) => format!("checked by {}", start.agent_type),
            (None, Work::Do) => String::new(),
        };
        actions.push(Action::Move {
            task_id: part.task.id.clone(),
            status: TaskStatus::Running,
            reason,
        });
        self.parts[index].tries.push(Try {
            work: start.work,
            agent_type: start.agent_type.clone(),
            outcome: None,
        });
        actions.push(Action::Start(start));
    }

    fn start_of(&self, part: &Part, next: Next) -> Option<Start> {
        let id = &part.task.id;
        // A type was checked when the tasks were; one that is none cannot be started anyway.
        let own = AgentType::new(part.task.agent_type.clone()).ok();
        let (agent_type, work, again) = match next {
            Next::Do => (own?, Work::Do, None),
            Next::Again { reason, refused } => {
                let before = part.doer().cloned().or(own)?;
                let other = self.limits.stand_ins.get(&before);
                let other = other.filter(|_| refused != Refusal::Nothing);
                (other.cloned().unwrap_or(before), Work::Do, Some(reason))
            }
            Next::Check => (self.limits.checker.clone()?, Work::Check, None),
            Next::Wait | Next::Use { .. } | Next::GiveUp(_) => return None,
        };
        let label = match work {
            Work::Do => id.clone(),
            Work::Check => format!("{id}{CHECK}"),
        };
        Some(Start {
            task_id: id.clone(),
            label,
            agent_type,
            work,
            again,
        })
    }

    fn ending(&self) -> Ending {
        if self.stop == Some(Stop::Interrupted) {
            return Ending::Interrupted;
        }
        let is_done = |p: &&Part| p.status() == Some(TaskStatus::Done);
        match self.parts.iter().filter(is_done).count() {
            done if done == self.parts.len() && self.short().next().is_none() => Ending::Complete,
            0 => Ending::Nothing,
            _ => Ending::Partial,
        }
    }
}
