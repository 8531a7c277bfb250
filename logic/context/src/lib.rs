//! The context: what a model is shown of a conversation, and how much of it fits.
//!
//! What it is: pure bookkeeping over messages, and the text of the standing prompt.
//! What it owns: [`Conversation`], an agent's conversation folded from the session log, and its
//! [`View`], what a model is shown of it; the thresholds, what stands for what has left the view and
//! what of a model's summary is believed; the token estimate and its drift, the budget, the wording
//! and order of the prompt layers; how far a project's notes in them may be trusted.
//! What it never does: read a file or a clock, ask a model, change the session log. A view leaves
//! things out; all of them are still in the log.
//! Where to start: [`Conversation`] and [`View`]; then `render.rs` for how it is sent, `rebuild.rs` for how it is made
//! smaller, `summary.rs` for what stands for the rest, [`prompt`] for what a model reads before the
//! user's words.

mod budget;
mod changing;
mod closing;
mod conversation;
mod covered;
mod elided;
mod entry;
mod estimate;
mod heuristics;
pub mod journal;
pub mod notes;
pub mod prompt;
mod rebuild;
mod render;
mod request;
mod standing;
pub mod summary;
mod task_board;
mod thresholds;
mod view;
mod words;

pub use budget::Budget;
pub use closing::{Closing, Ends, stopped};
pub use conversation::{Conversation, NextPrompt};
pub use covered::{Covered, Said};
pub use elided::JournalEntry;
pub use entry::Speaker;
pub use estimate::TokenEstimator;
pub use rebuild::{Compacted, Plan, Why};
pub use render::transcript;
pub use request::{Received, picture_caption};
pub use standing::{AgentCard, GlobalNotes, Sources, StandingText};
pub use thresholds::{Burn, Pressure, Shape, Thresholds};
pub use view::{JOURNAL_NUDGE, View};
