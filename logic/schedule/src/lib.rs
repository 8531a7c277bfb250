//! Which of the requests that wait for a model server runs next.
//!
//! What it is: the queue of one provider as a state machine. Requests arrive, give up, answer and
//! end; [`Schedule::next`] says which starts now. It groups requests by model, because loading
//! another model into a graphics card takes longer than most answers, and it bounds what that
//! grouping may cost any one of them.
//! What it owns: the order of waiting requests, what is known of the models in memory, and the
//! bounds ([`Bounds`]).
//! What it never does: look at a clock (the time is an argument), talk to a server, or leave a slot
//! empty while a request waits, unless its model would stop another's answer.
//! Where to start: [`Schedule::next`].
//!
//! What it promises, each proved over random histories in `tests/properties.rs`:
//! - No more than [`Bounds::max_parallel`] requests run at one time.
//! - No request is passed by more than [`Bounds::passes`] later ones of its own priority.
//! - The oldest request of a priority is passed for at most [`Bounds::batch`] starts in a row, and
//!   for no longer than [`Bounds::batch_time`].
//! - While a request of a lower priority waits, at most [`Bounds::turns`] + 1 of others start before
//!   one of its priority does; of the highest, at most two.
//! - So a request with `n` older ones of its priority before it starts after at most
//!   `n` + [`Bounds::passes`] others of its priority, whatever else arrives.

mod bounds;
mod queue;

pub use bounds::Bounds;
pub use queue::{Ahead, Ended, Full, Place, Schedule, Start};
