//! The built-in tools, run once the broker has permitted a call.
//!
//! What it is: an [`api::executor::Executor`] for looking at and changing files, and, given a
//! sandbox, for running programs in it; one over memory, one over the web, and one that joins them.
//! What it owns: how a path is reached (through descriptors only, beneath the roots of the call),
//! atomic writes, the matching of edits, each session's undo history on disk, and what a program is
//! given to run with.
//! What it never does: decide whether a call may run, open a network connection, start a program
//! outside the sandbox, follow a link out of a root, open a file twice by name.
//! Where to start: `beneath.rs` (how a path is reached), then [`FileTools`]; for programs
//! `run/mod.rs`; [`MemoryTools`], [`WebTools`] and [`Executors`] for the others.

mod arguments;
mod atomic;
mod beneath;
mod change;
mod config;
mod context;
mod error;
mod executors;
mod failure;
mod found;
mod ground;
mod job;
mod journal;
mod links;
mod look;
mod matching;
mod memory;
pub mod record;
mod run;
mod service;
mod table;
mod walk;
mod web;

pub use config::Config;
pub use error::Error;
pub use executors::Executors;
pub use journal::{before_last_change, open_changes};
pub use memory::MemoryTools;
pub use run::{Jobs, READER_ENTRY, Sandboxed, read_document_entry};
pub use service::FileTools;
pub use web::WebTools;
