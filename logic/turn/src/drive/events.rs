//! What the drive is told, and what it asks for.

use super::budget::Spent;
use super::signals::Waiting;
use domain::Timestamp;
use domain::drive::{DriveReason, DriveState, Origin, Signal};

/// What is known of earlier when a session is taken up again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Turns of the drive since the user last spoke.
    pub turns: u32,
    /// When the drive last spent something, and what it spent that day.
    pub spent: Option<(Timestamp, Spent)>,
    /// When it last dreamt.
    pub dreamt: Option<Timestamp>,
    /// Requests since it last dreamt.
    pub news: u32,
    /// Signals that no turn has taken up, oldest first.
    pub signals: Vec<Signal>,
}

/// How a request ended, as far as the drive is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself.
    Done,
    /// It failed.
    Failed,
    /// It was stopped, by the user or by [`Action::Cut`].
    Stopped,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The drive is switched on.
    Began,
    /// It is switched off.
    Ended,
    /// The user's request is in.
    UserSpoke,
    /// A model call of the drive's own turn was paid for.
    Paid(Spent),
    /// The agent chose to wait.
    Yielded {
        /// Until a signal, and not for a heartbeat.
        until_signal: bool,
    },
    /// A turn of the drive asks the user something.
    Asked,
    /// The session did not take the turn that [`Action::Act`] asked for: the user was first.
    Declined,
    /// A request is over.
    Finished {
        /// Whose it was.
        origin: Origin,
        /// Whether tools were called.
        called_tools: bool,
        /// How.
        ending: Ending,
    },
    /// Something that may be a reason to act.
    Signalled(Signal),
    /// The hours in which nobody is to be told anything begin or end.
    QuietHours(bool),
    /// Time has passed.
    Tick,
}

/// Why a turn begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The turn before called tools and did not say that it is done.
    Momentum,
    /// Something came in.
    Signals,
    /// There is time to put things in order.
    Dream,
}

/// What a turn is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// Why it begins.
    pub why: Why,
    /// The state it begins in.
    pub state: DriveState,
    /// Which turn in a row without the user it is, from 1.
    pub turn: u32,
    /// What came in since the last turn.
    pub waiting: Waiting,
}

/// What the user is told outside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// The drive has worked and rests now.
    Rested,
    /// It has used all turns that it has without the user.
    TurnsUsed,
    /// It has used what it may spend today.
    BudgetUsed,
    /// A question waits for an answer.
    Question,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Begin a turn; then say [`Event::Declined`] or, at its end, [`Event::Finished`].
    Act(Brief),
    /// Put on record what was decided, also when that is to do nothing.
    Note {
        /// The state from now on.
        state: DriveState,
        /// Why.
        reason: DriveReason,
        /// How often this was decided since it was last put on record, 1 or more.
        times: u32,
    },
    /// Tell the user, who may be elsewhere.
    Tell(Notification),
    /// Stop the drive's turn that runs: the day's budget is used up.
    Cut,
}
