//! The terminal surface: line mode.
//!
//! What it is: a surface. It shows a session's events, asks the questions that wait, and takes what
//! is typed. It reads sessions through `api` and folds them with `session::SessionView`.
//! What it owns: the conversation at a prompt; exit codes; the lists of folders and notes that the
//! user said yes to. How things look is `surfaces/rendering`.
//! What it never does: build a service, open a connection, read configuration, or decide what an
//! agent may do. It depends on contracts, logic and rendering alone; `bin/carl` hands it the rest.
//! Where to start: [`chat`] and [`run`] (what a person does), [`request`] (how one request is followed
//! to its end), [`host`] (what `bin/carl` has to offer).

pub mod audited;
pub mod chat;
pub mod commands;
pub mod conversation;
pub mod doctor;
pub mod exit;
pub mod folders;
pub mod guests;
pub mod hidden_input;
pub mod host;
pub mod memory;
pub mod mentions;
pub mod models;
mod new_file;
pub mod notes;
pub mod open_folders;
pub mod pictures;
pub mod printer;
pub mod profile;
pub mod question;
pub mod request;
pub mod rights;
pub mod run;
mod second;
pub mod session_changes;
pub mod session_commands;
pub mod sessions;
pub mod signals;
pub mod taking_back;
pub mod tool_tables;
pub mod undo;
pub mod watcher;
pub mod yes_or_no;
