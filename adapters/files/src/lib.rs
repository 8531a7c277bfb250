//! The built-in tools over files, run once the broker has permitted a call.
//!
//! What it is: an [`api::executor::Executor`] for looking at and changing files.
//! What it owns: how a path is reached (through descriptors only, beneath the roots of the call),
//! atomic writes, the matching of edits, and each session's undo history on disk.
//! What it never does: decide whether a call may run, run a program, follow a link out of a root, open
//! a file twice by name, read a document whose format is attacked.
//! Where to start: `beneath.rs` (how a path is reached), then [`FileTools`].

mod arguments;
mod atomic;
mod attributes;
mod beneath;
mod change;
mod changes;
mod checkpoint;
mod config;
mod contents;
mod context;
mod difference;
mod encoding;
mod error;
mod failure;
mod fitting;
mod form;
mod found;
mod ground;
mod history;
mod identity;
mod job;
mod journal;
mod links;
mod look;
mod matching;
mod merging;
mod occurrences;
mod pattern;
pub mod record;
mod reindent;
mod service;
mod session_diff;
mod spelling;
mod table;
mod typography;
mod walk;

pub use config::Config;
pub use error::Error;
pub use history::{
    CallChanges, Left, LeftFile, UndoStep, before_last_change, forget as forget_history,
    has_change_beside, last_changed, left_so, next_undone, of_calls, pass_over, pass_over_changed,
    undo_steps,
};
pub use service::FileTools;
pub use session_diff::{NetChange, net_changes};
