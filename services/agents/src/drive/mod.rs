//! The drive of one session: what goes on by itself while the session is in auto mode.
//!
//! It lives by the session's own events, as any surface does, and begins turns in the session's own
//! queue. What it says to a model is never among the words that the broker heard of the user.

mod driver;
pub(crate) mod handle;
mod hearing;
pub mod settings;
mod sources;
mod tools;
mod unwritten;

pub(crate) use driver::run;
pub use settings::{Senses, Settings};
pub(crate) use sources::{may_watch, unheard};
pub(crate) use tools::{left_out, offered};
