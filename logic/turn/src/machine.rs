//! The machine: states, events, actions.

use crate::ending::{Ending, Reason, Tally, reason_of};
use crate::nudge::Nudge;
use crate::reply::BrokenCall;
use domain::event::CallStatus;
use domain::id::CallId;
use domain::limits;
use domain::model::FinishReason;
use domain::tool::EffectClass;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing is asked.
    Idle,
    /// The request is in; its context is being put together.
    Receiving,
    /// The model is asked, or its context is being made smaller.
    Generating,
    /// Calls run one after the other and some have not begun.
    Dispatching,
    /// Every call has begun; some have not ended.
    AwaitingTools,
    /// The end is being told.
    Publishing,
}

/// How much a turn may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most model calls that offer tools, 1 or more. One without tools may follow.
    pub model_calls: u32,
    /// Most tool calls one reply may carry.
    pub calls_per_reply: usize,
    /// Most times a reply is asked again that was empty, or nothing but a call that cannot be one.
    pub nudges: u32,
    /// Most times a context that does not fit is made smaller.
    pub compactions: u32,
    /// Replies with a call that was refused as a repetition, or with nothing but tools that nobody has
    /// after the first of these, after which tools are off.
    pub circles: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model_calls: limits::TOOL_ITERATIONS,
            calls_per_reply: limits::TOOL_CALLS_PER_REPLY,
            nudges: limits::EMPTY_REPLY_NUDGES,
            compactions: limits::OVERFLOW_COMPACTIONS,
            circles: limits::CIRCLING_REPLIES,
        }
    }
}

/// A tool call a model asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Which.
    pub call_id: CallId,
    /// What the tool does to the world; `None` when the tool is not known.
    pub effect: Option<EffectClass>,
}

/// What matters of a model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Whether there is visible text.
    pub has_text: bool,
    /// Whether the text says that something was done which no call did.
    pub is_untrue: bool,
    /// Whether it was nothing but a call that cannot be one.
    pub broken_call: Option<BrokenCall>,
    /// Why it ended.
    pub finish: FinishReason,
    /// The calls it asked for, in order.
    pub calls: Vec<Call>,
}

/// What happened. One that does not belong to the state (a late result, say) changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A request is in.
    Received,
    /// Its context is put together.
    Assembled,
    /// The model answered.
    Answered(Answer),
    /// The prompt did not fit the model's context.
    Overflowed,
    /// The context was made smaller, or could not be.
    Compacted {
        /// Whether it is smaller now.
        shrunk: bool,
    },
    /// A tool call ended.
    CallEnded {
        /// Which.
        call_id: CallId,
        /// How.
        status: CallStatus,
        /// Whether it was refused by the limits on repetition, number and rate, or asked again
        /// for what this turn was refused before.
        circles: bool,
        /// Whether the calls so far did all that was asked for.
        completes: bool,
    },
    /// Something failed that this turn cannot mend.
    Failed,
    /// The user wants it to stop.
    Interrupted,
    /// The end is told.
    Published,
}

/// Whether a model call offers tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolUse {
    /// It does.
    Offered,
    /// It does not: this is the last one.
    Withheld,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Put the context together, then say [`Event::Assembled`].
    Assemble,
    /// Speak to the model in the user's place; nothing is awaited.
    Nudge(Nudge),
    /// Ask the model, then say [`Event::Answered`], [`Event::Overflowed`] or [`Event::Failed`].
    AskModel(ToolUse),
    /// Make the context smaller, then say [`Event::Compacted`].
    Compact,
    /// Run these at the same time, then say [`Event::CallEnded`] for each.
    Run(Vec<CallId>),
    /// Answer these without running them: the reply carried too many. Nothing is awaited.
    RefuseExcess(Vec<CallId>),
    /// Stop the model's stream and every running tool.
    Stop,
    /// Tell the end, then say [`Event::Published`].
    Publish(Ending),
}

/// One turn after the other.
#[derive(Debug, Clone)]
pub struct Turn {
    limits: Limits,
    state: State,
    tools: ToolUse,
    model_calls: u32,
    nudges: u32,
    /// Whether it was told that no call bears out what it said.
    corrected: bool,
    compactions: u32,
    circles: u32,
    circled: bool,
    /// Replies that asked for nothing but tools that nobody has.
    unknown: u32,
    /// The last reply was nothing but a repetition.
    repeated: bool,
    compacting: bool,
    last_reason: Option<Reason>,
    waiting: VecDeque<Call>,
    running: BTreeMap<CallId, Option<EffectClass>>,
    seen: BTreeSet<CallId>,
    tally: Tally,
}

impl Turn {
    /// An idle machine.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Idle,
            tools: ToolUse::Offered,
            model_calls: 0,
            nudges: 0,
            corrected: false,
            compactions: 0,
            circles: 0,
            circled: false,
            unknown: 0,
            repeated: false,
            compacting: false,
            last_reason: None,
            waiting: VecDeque::new(),
            running: BTreeMap::new(),
            seen: BTreeSet::new(),
            tally: Tally::default(),
        }
    }

    /// Where it stands.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Takes an event and says what to do, in order.
    pub fn on(&mut self, event: Event) -> Vec<Action> {
        match (self.state, event) {
            (State::Idle, Event::Received) => {
                *self = Self::new(self.limits);
                self.state = State::Receiving;
                vec![Action::Assemble]
            }
            (State::Publishing, Event::Published) => {
                self.state = State::Idle;
                Vec::new()
            }
            (State::Idle | State::Publishing, _) => Vec::new(),
            (_, Event::Interrupted) => self.stop(Reason::Interrupted),
            (_, Event::Failed) => self.stop(Reason::Failed),
            (State::Receiving, Event::Assembled) => self.generate(),
            (State::Generating, Event::Answered(answer)) if !self.compacting => {
                self.answered(answer)
            }
            (State::Generating, Event::Overflowed) if !self.compacting => self.overflowed(),
            (State::Generating, Event::Compacted { shrunk }) if self.compacting => {
                self.compacting = false;
                if shrunk {
                    vec![Action::AskModel(self.tools)]
                } else {
                    self.publish(Reason::DoesNotFit)
                }
            }
            (
                State::Dispatching | State::AwaitingTools,
                Event::CallEnded {
                    call_id,
                    status,
                    circles,
                    completes,
                },
            ) => self.call_ended(call_id, status, (circles, completes)),
            _ => Vec::new(),
        }
    }

    fn answered(&mut self, answer: Answer) -> Vec<Action> {
        let reason = reason_of(answer.finish);
        if self.tools == ToolUse::Withheld {
            // Why there are no more calls is why it ends, also when nothing was said.
            return self.publish(self.last_reason.unwrap_or(Reason::NoAnswer));
        }
        if !answer.calls.is_empty() {
            return self.dispatch(answer.calls);
        }
        let is_whole = answer.has_text && reason == Reason::Answered;
        if is_whole && answer.is_untrue && !self.corrected && self.has_calls_left() {
            self.corrected = true;
            return self.nudged(match self.tally.is_refused() {
                true => Nudge::Refused,
                false => Nudge::NotDone,
            });
        }
        if answer.has_text || reason == Reason::Withheld {
            return self.publish(reason);
        }
        if answer.finish == FinishReason::Repetition {
            // Asked the same again it would repeat itself again: tools are what it stumbled over.
            self.repeated = true;
            return self.generate();
        }
        if self.nudges < self.limits.nudges && self.has_calls_left() {
            self.nudges += 1;
            let nudge = match (reason, answer.broken_call) {
                (Reason::Cut, _) => Nudge::CutReply,
                (_, Some(BrokenCall::Cut)) => Nudge::CutCall,
                (_, Some(BrokenCall::NotOffered)) => Nudge::UnknownTool,
                (_, None) => Nudge::EmptyReply,
            };
            return self.nudged(nudge);
        }
        self.publish(match (reason, answer.broken_call) {
            (Reason::Cut, _) => Reason::Cut,
            (_, Some(_)) => Reason::BrokenCalls,
            (_, None) => Reason::NoAnswer,
        })
    }

    const fn has_calls_left(&self) -> bool {
        self.model_calls < self.limits.model_calls
    }

    fn nudged(&mut self, nudge: Nudge) -> Vec<Action> {
        let mut actions = vec![Action::Nudge(nudge)];
        actions.extend(self.generate());
        actions
    }

    fn dispatch(&mut self, calls: Vec<Call>) -> Vec<Action> {
        let mut calls: Vec<Call> = calls
            .into_iter()
            .filter(|call| self.seen.insert(call.call_id))
            .collect();
        let excess = calls.split_off(calls.len().min(self.limits.calls_per_reply));
        let mut actions = Vec::new();
        if !excess.is_empty() {
            actions.push(Action::RefuseExcess(
                excess.iter().map(|call| call.call_id).collect(),
            ));
        }
        let is_unknown = !calls.is_empty() && calls.iter().all(|call| call.effect.is_none());
        self.unknown += u32::from(is_unknown);
        // The first time it is told which tools there are.
        self.circled = is_unknown && self.unknown > 1;
        let looks_only = calls
            .iter()
            .all(|call| call.effect == Some(EffectClass::Read));
        if calls.is_empty() {
            actions.extend(self.generate());
        } else if looks_only {
            self.running = calls
                .iter()
                .map(|call| (call.call_id, call.effect))
                .collect();
            self.state = State::AwaitingTools;
            actions.push(Action::Run(calls.iter().map(|call| call.call_id).collect()));
        } else {
            self.waiting = calls.into();
            actions.extend(self.run_next());
        }
        actions
    }

    fn run_next(&mut self) -> Option<Action> {
        let call = self.waiting.pop_front()?;
        self.running.insert(call.call_id, call.effect);
        self.state = if self.waiting.is_empty() {
            State::AwaitingTools
        } else {
            State::Dispatching
        };
        Some(Action::Run(vec![call.call_id]))
    }

    fn call_ended(
        &mut self,
        call_id: CallId,
        status: CallStatus,
        (circles, completes): (bool, bool),
    ) -> Vec<Action> {
        let Some(effect) = self.running.remove(&call_id) else {
            return Vec::new();
        };
        self.tally.note(effect, status);
        self.circled |= circles && status == CallStatus::Denied;
        if !self.running.is_empty() {
            return Vec::new();
        }
        if let Some(next) = self.run_next() {
            return vec![next];
        }
        if completes {
            return self.publish(Reason::Done);
        }
        self.circles += u32::from(self.circled);
        self.generate()
    }

    /// The next model call: with tools while there are steps left, else the last one.
    fn generate(&mut self) -> Vec<Action> {
        self.state = State::Generating;
        let mut actions = Vec::new();
        let last = if self.circles >= self.limits.circles {
            Some((Nudge::GoingInCircles, Reason::WentInCircles))
        } else if self.repeated {
            Some((Nudge::RepeatedReply, Reason::WentInCircles))
        } else if self.model_calls >= self.limits.model_calls {
            Some((Nudge::IterationsUsed, Reason::IterationsUsed))
        } else {
            None
        };
        if let Some((nudge, reason)) = last {
            self.tools = ToolUse::Withheld;
            self.last_reason = Some(reason);
            actions.push(Action::Nudge(nudge));
        }
        self.model_calls += 1;
        actions.push(Action::AskModel(self.tools));
        actions
    }

    fn overflowed(&mut self) -> Vec<Action> {
        if self.compactions >= self.limits.compactions {
            return self.publish(Reason::DoesNotFit);
        }
        self.compactions += 1;
        self.compacting = true;
        vec![Action::Compact]
    }

    fn stop(&mut self, reason: Reason) -> Vec<Action> {
        self.waiting.clear();
        self.running.clear();
        let mut actions = vec![Action::Stop];
        actions.extend(self.publish(reason));
        actions
    }

    fn publish(&mut self, reason: Reason) -> Vec<Action> {
        self.state = State::Publishing;
        vec![Action::Publish(self.tally.ending(reason))]
    }
}
