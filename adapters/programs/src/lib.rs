//! The built-in tools that run programs, run once the broker has permitted a call.
//!
//! What it is: an [`api::executor::Executor`] for code, commands, package installs and jobs in the
//! background, and the [`api::documents::Documents`] and source files that are read by a program of ours.
//! What it owns: what a program is given to run with, the guard of protected places while it runs, and
//! the jobs of each session.
//! What it never does: decide whether a call may run, start a program outside the sandbox, open a
//! network connection.
//! Where to start: [`ProgramTools`], then `runner.rs`.

mod background;
mod code;
mod command;
mod conceal;
mod config;
mod guard;
mod jobs;
mod listing;
mod long;
mod notes;
mod office;
mod output;
mod package;
mod reader;
pub mod record;
mod runner;
mod scratch;
mod service;
mod session_scope;
mod shown;
mod sight;
mod sources;
mod table;
mod toolchain;
mod trial;
mod turns;

pub use config::Config;
pub use jobs::Jobs;
pub use reader::{READER_ENTRY, enter as read_document_entry};
pub use service::ProgramTools;
pub use sources::{SOURCES_ENTRY, enter as read_sources_entry};
pub use trial::{Outcome, Tried};
