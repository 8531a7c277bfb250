//! The drive as a machine: what an agent does when nobody has just spoken to it.
//!
//! Events go in with the time at which they happened, actions come out; [`Drive::wake_at`] says when
//! to look again. A look costs nothing: a turn, which asks a model, begins only where the look finds
//! something (work under way, a signal, something new to dream about), and never beyond the limits.
//!
//! Wakefulness, from the top: Engaged, Working, Foraging, and rest. Rest is Resting; it is Stored when
//! the agent chose to wait for a signal, and Quiet while nobody is to be told anything. A turn with
//! tool calls leads to Working; one without, one step down. Working means that tools ran, so that
//! the step down from Engaged is Foraging.

mod budget;
mod events;
mod notes;
mod pace;
mod price;
mod prompt;
mod quiet;
mod signals;
mod trail;

pub use budget::{Budget, Spent};
pub use events::{Action, Brief, Ending, Event, Notification, Past, Why};
pub use pace::{BACK_OFF, BACK_OFF_MOST, DREAM_AFTER, Dreams, Limits, SETTLING, interval};
pub use price::{Price, Prices};
pub use prompt::compose;
pub use quiet::QuietHours;
pub use signals::{Waiting, is_news, summary};
pub use trail::Trail;

use domain::Timestamp;
use domain::drive::{DriveReason, DriveState, Origin, Presence, Signal};
use notes::Notes;
use pace::back_off;
use std::time::Duration;

/// The drive of one session.
#[derive(Debug, Clone)]
pub struct Drive {
    limits: Limits,
    is_on: bool,
    state: DriveState,
    wake: Option<Timestamp>,
    /// Requests that run or wait, the drive's own included.
    open: u32,
    /// Why the drive's own turn runs; `None` when none does.
    running: Option<Why>,
    /// What that turn was given, to be given again when it fails.
    in_hand: Waiting,
    waiting: Waiting,
    momentum: bool,
    yielded: Option<DriveState>,
    cut: bool,
    turns: u32,
    failures: u32,
    not_before: Option<Timestamp>,
    ledger: budget::Ledger,
    told_turns: bool,
    untold_work: bool,
    locked: bool,
    quiet_hours: bool,
    news: u32,
    dreamt: Option<i64>,
    active: Timestamp,
    notes: Notes,
}

impl Drive {
    /// A drive that is off.
    #[must_use]
    pub fn new(limits: Limits, past: Past, now: Timestamp) -> Self {
        let mut waiting = Waiting::default();
        for signal in past.signals {
            waiting.put(signal);
        }
        Self {
            limits,
            is_on: false,
            state: DriveState::Resting,
            wake: None,
            open: 0,
            running: None,
            in_hand: Waiting::default(),
            waiting,
            momentum: false,
            yielded: None,
            cut: false,
            turns: past.turns,
            failures: 0,
            not_before: None,
            ledger: budget::Ledger::of(past.spent),
            told_turns: false,
            untold_work: false,
            locked: false,
            quiet_hours: false,
            news: past.news,
            dreamt: past.dreamt.map(budget::day_of),
            active: now,
            notes: Notes::default(),
        }
    }

    /// How awake it is.
    #[must_use]
    pub const fn state(&self) -> DriveState {
        self.state
    }

    /// Whether it is switched on.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether nobody is to be told anything.
    #[must_use]
    pub const fn is_quiet(&self) -> bool {
        self.locked || self.quiet_hours
    }

    /// Whether it rests and will go on resting until something happens or a day begins: nothing
    /// that is a reason to act waits, or the limits forbid acting on it.
    #[must_use]
    pub fn is_at_rest(&self, now: Timestamp) -> bool {
        let may = self.may_act(now) && self.waiting.has_reason();
        self.open == 0 && is_rest(self.state) && !may
    }

    fn may_act(&self, now: Timestamp) -> bool {
        self.turns < self.limits.turns && !self.ledger.is_used(&self.limits.day, now)
    }

    /// What it spent on the day of `now`.
    #[must_use]
    pub fn spent(&self, now: Timestamp) -> Spent {
        self.ledger.spent(now)
    }

    /// Turns since the user last spoke.
    #[must_use]
    pub const fn turns(&self) -> u32 {
        self.turns
    }

    /// When to say [`Event::Tick`]; `None`: nothing to do before something happens.
    #[must_use]
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.wake.filter(|_| self.is_on && self.open == 0)
    }

    /// Takes an event and says what to do, in order.
    pub fn on(&mut self, event: Event, now: Timestamp) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            Event::Began if !self.is_on => {
                self.is_on = true;
                self.enter(self.rest(), DriveReason::Began, now, &mut actions);
                self.soon_if_reason(now);
            }
            Event::Ended if self.is_on => {
                self.enter(DriveState::Resting, DriveReason::Ended, now, &mut actions);
                self.momentum = false;
                self.is_on = false;
            }
            Event::UserSpoke => self.user_spoke(now, &mut actions),
            Event::Paid(spent) => self.paid(spent, now, &mut actions),
            Event::Yielded { until_signal } => {
                self.yielded = Some(if until_signal {
                    DriveState::Stored
                } else {
                    DriveState::Resting
                });
            }
            Event::Asked if self.running.is_some() => {
                self.tell(Notification::Question, &mut actions)
            }
            Event::Declined => self.declined(now),
            Event::Finished {
                origin,
                called_tools,
                ending,
            } => self.finished((origin, called_tools, ending), now, &mut actions),
            Event::Signalled(signal) => self.signalled(signal, now, &mut actions),
            Event::QuietHours(begin) => {
                self.quiet_hours = begin;
                self.follow_quiet(now, &mut actions);
            }
            Event::Tick => self.look(now, &mut actions),
            Event::Began | Event::Ended | Event::Asked => {}
        }
        actions
    }

    fn user_spoke(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        self.open += 1;
        self.active = now;
        self.turns = 0;
        self.told_turns = false;
        self.failures = 0;
        self.not_before = None;
        // The user is here and sees what was done.
        self.untold_work = false;
        if self.is_on {
            self.enter(DriveState::Engaged, DriveReason::UserSpoke, now, actions);
        }
    }

    fn paid(&mut self, spent: Spent, now: Timestamp, actions: &mut Vec<Action>) {
        if self.running.is_none() {
            return;
        }
        self.ledger.pay(spent, now);
        if self.ledger.is_used(&self.limits.day, now) && !self.cut {
            self.cut = true;
            actions.push(Action::Cut);
        }
    }

    fn declined(&mut self, now: Timestamp) {
        if self.running.take().is_some() {
            self.open = self.open.saturating_sub(1);
            self.turns = self.turns.saturating_sub(1);
            let taken = std::mem::take(&mut self.in_hand);
            self.waiting.put_back(taken);
            self.wake = Some(after(now, SETTLING));
        }
    }

    fn finished(
        &mut self,
        (origin, called_tools, ending): (Origin, bool, Ending),
        now: Timestamp,
        actions: &mut Vec<Action>,
    ) {
        self.open = self.open.saturating_sub(1);
        self.active = now;
        let yielded = self.yielded.take();
        let why = match origin {
            Origin::User => None,
            Origin::Drive => self.running.take(),
        };
        let was_cut = std::mem::take(&mut self.cut) && why.is_some();
        if why != Some(Why::Dream) {
            self.news = self.news.saturating_add(1);
        }
        let in_hand = match why {
            Some(_) => std::mem::take(&mut self.in_hand),
            None => Waiting::default(),
        };
        if !self.is_on {
            return;
        }
        if why.is_some() && ending == Ending::Failed {
            return self.back_off(in_hand, now, actions);
        }
        self.failures = 0;
        self.not_before = None;
        self.untold_work |= why.is_some() && why != Some(Why::Dream);
        self.momentum =
            called_tools && yielded.is_none() && ending == Ending::Done && why != Some(Why::Dream);
        if self.open > 0 {
            // What the user said meanwhile comes first.
            return;
        }
        if was_cut {
            return self.budget_used(now, actions);
        }
        let (state, reason) = match (ending, yielded) {
            (Ending::Stopped, _) => (self.rest(), DriveReason::Stopped),
            (_, Some(DriveState::Stored)) => (DriveState::Stored, DriveReason::Stored),
            (_, Some(_)) => (self.rest(), DriveReason::Yielded),
            (Ending::Failed, None) => (self.rest(), DriveReason::Failed),
            (Ending::Done, None) if self.momentum => (DriveState::Working, DriveReason::ToolsUsed),
            (Ending::Done, None) if why == Some(Why::Dream) => (self.rest(), DriveReason::Dreamt),
            (Ending::Done, None) => (self.one_down(), DriveReason::NoTools),
        };
        self.enter(state, reason, now, actions);
        self.soon_if_reason(now);
    }

    fn back_off(&mut self, in_hand: Waiting, now: Timestamp, actions: &mut Vec<Action>) {
        self.waiting.put_back(in_hand);
        self.failures = self.failures.saturating_add(1);
        let pause = back_off(self.failures);
        self.not_before = Some(after(now, pause));
        if self.open > 0 {
            return;
        }
        self.enter(self.rest(), DriveReason::BackingOff, now, actions);
        self.wake = self.not_before;
    }

    fn signalled(&mut self, signal: Signal, now: Timestamp, actions: &mut Vec<Action>) {
        if let Signal::Presence { presence } = &signal {
            self.locked = *presence == Presence::Locked;
            self.follow_quiet(now, actions);
        }
        self.waiting.put(signal);
        self.soon_if_reason(now);
    }

    fn follow_quiet(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        let resting = matches!(self.state, DriveState::Resting | DriveState::Quiet);
        if !self.is_on || !resting || self.state == self.rest() {
            return;
        }
        let reason = if self.is_quiet() {
            DriveReason::QuietBegan
        } else {
            DriveReason::QuietEnded
        };
        let wake = self.wake;
        self.enter(self.rest(), reason, now, actions);
        // The heartbeat goes on as before: a screen that locks and unlocks does not put it off.
        self.wake = wake.or(self.wake);
        if !self.is_quiet() {
            self.tell_rest(actions);
        }
    }

    /// The cheap local look, and what it leads to.
    fn look(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        if self.wake_at().is_none_or(|due| now < due) {
            return;
        }
        let why = if self.momentum {
            Some(Why::Momentum)
        } else if self.waiting.has_reason() {
            Some(Why::Signals)
        } else if self.may_dream(now) {
            Some(Why::Dream)
        } else {
            None
        };
        match why {
            None => self.nothing_to_do(now, actions),
            Some(_) if self.turns >= self.limits.turns => self.turns_used(now, actions),
            Some(_) if self.ledger.is_used(&self.limits.day, now) => {
                self.budget_used(now, actions);
            }
            Some(why) => self.act(why, now, actions),
        }
    }

    fn act(&mut self, why: Why, now: Timestamp, actions: &mut Vec<Action>) {
        let (state, reason) = match why {
            Why::Momentum => (DriveState::Working, DriveReason::Momentum),
            Why::Signals if is_rest(self.state) => (DriveState::Foraging, DriveReason::SignalsCame),
            Why::Signals => (self.state, DriveReason::SignalsCame),
            Why::Dream => (DriveState::Dreaming, DriveReason::TimeToDream),
        };
        self.enter(state, reason, now, actions);
        self.turns += 1;
        self.open += 1;
        self.running = Some(why);
        self.momentum = false;
        self.in_hand = self.waiting.take();
        if why == Why::Dream {
            self.dreamt = Some(budget::day_of(now));
            self.news = 0;
        }
        actions.push(Action::Act(Brief {
            why,
            state,
            turn: self.turns,
            waiting: self.in_hand.clone(),
        }));
    }

    fn may_dream(&self, now: Timestamp) -> bool {
        self.limits.dreams == Dreams::Daily
            && matches!(self.state, DriveState::Resting | DriveState::Quiet)
            && self.news > 0
            && self.dreamt != Some(budget::day_of(now))
            && now >= after(self.active, DREAM_AFTER)
    }

    fn nothing_to_do(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        if is_rest(self.state) {
            self.stay(DriveReason::NothingNew, now, actions);
        } else {
            self.enter(self.one_down(), DriveReason::NothingNew, now, actions);
        }
    }

    fn turns_used(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        self.momentum = false;
        self.refuse(DriveReason::TurnsUsed, now, actions);
        if !std::mem::replace(&mut self.told_turns, true) {
            self.untold_work = false;
            self.tell(Notification::TurnsUsed, actions);
        }
    }

    fn budget_used(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        self.momentum = false;
        self.refuse(DriveReason::BudgetUsed, now, actions);
        if self.ledger.tell_once(now) {
            self.untold_work = false;
            self.tell(Notification::BudgetUsed, actions);
        }
    }

    /// Rests although there would be something to do.
    fn refuse(&mut self, reason: DriveReason, now: Timestamp, actions: &mut Vec<Action>) {
        if is_rest(self.state) && self.state != DriveState::Stored {
            self.stay(reason, now, actions);
        } else {
            self.enter(self.rest(), reason, now, actions);
        }
    }

    /// Stays where it is; that is put on record once an hour.
    fn stay(&mut self, reason: DriveReason, now: Timestamp, actions: &mut Vec<Action>) {
        let state = self.state;
        if let Some(times) = self.notes.decided(state, reason, now) {
            actions.push(Action::Note {
                state,
                reason,
                times,
            });
        }
        self.wake = interval(state).map(|pause| after(now, pause));
    }

    fn enter(
        &mut self,
        state: DriveState,
        reason: DriveReason,
        now: Timestamp,
        actions: &mut Vec<Action>,
    ) {
        let came_to_rest = is_rest(state) && !is_rest(self.state);
        self.state = state;
        self.wake = interval(state).map(|pause| after(now, pause));
        actions.push(Action::Note {
            state,
            reason,
            times: 1,
        });
        if came_to_rest {
            let limited = matches!(reason, DriveReason::TurnsUsed | DriveReason::BudgetUsed);
            if !limited && reason != DriveReason::BackingOff && reason != DriveReason::Ended {
                self.tell_rest(actions);
            }
        }
    }

    fn tell_rest(&mut self, actions: &mut Vec<Action>) {
        if self.untold_work && !self.is_quiet() {
            self.untold_work = false;
            self.tell(Notification::Rested, actions);
        }
    }

    fn tell(&self, notification: Notification, actions: &mut Vec<Action>) {
        if !self.is_quiet() {
            actions.push(Action::Tell(notification));
        }
    }

    /// Looks soon when there is a reason to, though not before a pause after a failure is over, and
    /// not while the limits say no: then the heartbeat is soon enough.
    fn soon_if_reason(&mut self, now: Timestamp) {
        let may = self.may_act(now) || self.wake.is_none();
        if !self.waiting.has_reason() || !may {
            return;
        }
        let soon = after(now, SETTLING).max(self.not_before.unwrap_or(now));
        self.wake = Some(self.wake.map_or(soon, |due| due.min(soon)));
    }

    const fn rest(&self) -> DriveState {
        if self.is_quiet() {
            DriveState::Quiet
        } else {
            DriveState::Resting
        }
    }

    const fn one_down(&self) -> DriveState {
        match self.state {
            DriveState::Engaged | DriveState::Working => DriveState::Foraging,
            DriveState::Foraging
            | DriveState::Resting
            | DriveState::Dreaming
            | DriveState::Quiet
            | DriveState::Stored => self.rest(),
        }
    }
}

const fn is_rest(state: DriveState) -> bool {
    matches!(
        state,
        DriveState::Resting | DriveState::Stored | DriveState::Quiet
    )
}

fn after(now: Timestamp, pause: Duration) -> Timestamp {
    now.checked_add(pause).unwrap_or(Timestamp::MAX)
}
