//! The context: what a model is shown of a conversation, and how much of it fits.
//!
//! What it is: pure bookkeeping over messages, and the text of the standing prompt.
//! What it owns: [`ContextManager`] with its forms [`Lasting`] (an agent's whole conversation) and
//! [`SlidingWindow`] (the simplest); the marks, what stands for what has left the view and what of a
//! model's summary is believed; the token estimate and its drift, the budget, the wording and order
//! of the prompt layers.
//! What it never does: read a file or a clock, ask a model, change the session log. A context is a
//! view; what it leaves out is still in the log.
//! Where to start: [`Lasting`]; then `rebuild.rs` for how it is made smaller, `summary.rs` for what
//! stands for the rest, [`prompt`] for what a model reads before the user's words.

mod board;
mod budget;
mod entry;
mod estimate;
mod lasting;
mod marks;
mod notes;
mod noting;
pub mod prompt;
mod rebuild;
mod show;
pub mod summary;
mod view;
mod window;
mod words;

pub use budget::Budget;
pub use entry::Speaker;
pub use estimate::TokenEstimator;
pub use lasting::{JOURNAL_NUDGE, Lasting};
pub use marks::{Burn, Marks, Pressure, Shape};
pub use notes::{JournalEntry, heading};
pub use rebuild::{Compacted, Plan, Why};
pub use show::transcript;
pub use view::{Checkpoint, ContextManager, TrimmedSince, Trimming};
pub use window::SlidingWindow;
