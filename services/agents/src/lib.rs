//! Agents: takes what the user asks, works on it with models and tools, and keeps the session log.
//!
//! What it is: the implementation of [`api::sessions::Sessions`] and everything behind it.
//! What it owns: what is written to the session log ([`session_log`]), the truth about a conversation,
//! and the reading of it that agents go by (`history`); the context a model sees is a view of that.
//! What it never does: run a tool, open a network connection, decide whether a call may run, state
//! its own lineage, read the audit log. It asks the broker and the models and is believed in nothing.
//! Where to start: [`Service`] (what surfaces call), then `session` (one live session and its queue),
//! then `work` (one request: models, tools, the turn and the planned modes). `delegation` is handing
//! tasks to other agents, `tools` what agents do to their own conversation, `drive` auto mode,
//! `history` the folds of the log. Each needs those before it alone: history, drive, work, delegation,
//! tools, session, service.

mod blocking;
pub mod cards;
mod config;
mod delegation;
pub mod drive;
mod error;
mod history;
pub mod notes;
mod prompts;
mod service;
mod session;
mod tools;
mod work;

pub use config::{Config, Prompts};
pub use context::AgentCard;
pub use error::Error;
pub use service::Service;
pub use session_log::{Clock, Outlines, SessionLog};
pub use tools::AgentTools;
