//! The agent turn: what to do next between a user's request and its answer.
//!
//! What it is: a state machine. Events go in ("the model answered with two calls"), actions come
//! out ("run these at the same time"). `services/agents` performs the actions.
//! What it owns: the order of model calls and tool calls, the limits on both, the recoveries (an
//! empty reply, a call that is none, a prompt that does not fit, a model that goes in circles), the verdict on how a
//! request ended, and what people are told of one that is not done in full ([`cut`], [`unfinished`]).
//! [`drive`] is the outer loop: when a turn begins although nobody has spoken.
//! What it never does: wait, call, read, write, look at a clock, or judge whether a call may run.
//! Where to start: [`Turn::on`] and [`drive::Drive::on`]; [`Outcome`] for what came of a request; the invariants are in `tests/`.

mod claims;
pub mod cut;
pub mod drive;
mod ending;
mod machine;
mod nudge;
mod outcome;
mod programs;
mod reply;
pub mod unfinished;
mod untrue;

pub use claims::{
    claims_change, claims_forgetting, claims_reminder, claims_result, claims_run, claims_success,
};
pub use ending::{Ending, Reason};
pub use machine::{Action, Answer, Call, Event, Limits, State, ToolUse, Turn};
pub use nudge::Nudge;
pub use outcome::{CallRecord, Outcome, nothing_ran};
pub use reply::{BrokenCall, Reply};
pub use untrue::{Missed, Untrue};
