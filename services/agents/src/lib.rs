//! Agents: takes what the user asks, works on it with models and tools, and keeps the session log.
//!
//! What it is: the implementation of [`api::sessions::Sessions`] and everything behind it: sessions
//! with their queues, the turn ([`loop_mode`]) and the planned modes ([`pipeline`]).
//! What it owns: the session log, one append-only file of JSON lines a session ([`record`]). It is
//! the truth about a conversation; the context a model sees is a view folded from it.
//! What it never does: run a tool, open a network connection, decide whether a call may run, state
//! its own lineage, read the audit log. It asks the broker and the models and is believed in nothing.
//! Where to start: [`Service`] (what surfaces call), then `session.rs` (one live session), then
//! [`work`] (what one request needs) and [`loop_mode`] (how it is worked on).

mod ask;
mod blocking;
mod commands;
mod compaction;
pub mod config;
mod cut;
mod desk;
pub mod drive;
mod error;
mod holding;
mod input;
mod log;
pub mod loop_mode;
mod next_prompt;
pub mod notes;
mod opening;
mod orchestrated;
pub mod pipeline;
mod prompts;
mod recall;
mod report;
mod reports;
mod service;
mod session;
mod sight;
mod subagent;
pub mod work;

pub use config::{AgentCard, Bridge, Clock, Config, Prompts};
pub use desk::Desk;
pub use error::Error;
pub use service::Service;
pub use work::{Ask, AskError, CallRecord, Outcome, Reply, Visibility, Work};
