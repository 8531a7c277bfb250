//! The context: what a model is shown of a conversation, and how much of it fits.
//!
//! What it is: pure bookkeeping over messages, and the text of the standing prompt.
//! What it owns: [`ContextManager`] and its simplest form [`SlidingWindow`], the token estimate and
//! its drift, the budget, the wording and order of the prompt layers.
//! What it never does: read a file or a clock, ask a model, change the session log. A context is a
//! view; what it leaves out is still in the log.
//! Where to start: [`SlidingWindow`]; then [`prompt`] for what a model reads before the user's words.

mod budget;
mod estimate;
pub mod prompt;
mod view;
mod window;

pub use budget::Budget;
pub use estimate::TokenEstimator;
pub use view::{Checkpoint, ContextManager, TrimmedSince, Trimming};
pub use window::SlidingWindow;
