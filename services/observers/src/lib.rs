//! Observers: watch the events on the bus and never hold up a turn.
//!
//! What it is: what happens after an answer. Capture makes an engram of every answered question.
//! What it owns: what is understood of a question (intent, entities), and that no answer is missed:
//! a note on disk of each session with a request that is not captured yet ([`record`]).
//! What it never does: change a conversation, call a tool, keep a turn waiting, remember a session
//! that ran while capture was off.
//! Where to start: [`Capture`].

mod capture;
mod config;
mod engram;
pub mod record;
mod understanding;

pub use capture::{Capture, House};
pub use config::{Clock, Config};
