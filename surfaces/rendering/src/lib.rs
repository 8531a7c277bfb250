//! How things look, for every surface: what people and programs see of a session.
//!
//! What it is: projections of a session's events, and of answers of services, as text. Each could be
//! made anew from the events.
//! What it owns: how events, questions, transcripts and results look; the JSON of `carl run --json`;
//! the reading of an answer to a question and of a typed command.
//! What it never does: begin a request, keep a session, decide.
//! Where to start: [`terminal`] (a session as it goes on), [`confirm`] (a question), [`transcript`] (a
//! session as a document).

pub mod agents;
mod calls;
mod changes;
pub mod completion;
pub mod confirm;
pub mod context;
pub mod costs;
mod delegation;
pub mod difference;
pub mod drive;
pub mod fit;
mod folded;
pub mod foreground;
pub mod in_force;
pub mod links;
pub mod memory;
pub mod messages;
pub mod models;
pub mod moments;
pub mod pager;
mod paint;
pub mod pastes;
mod print;
pub mod quality;
pub mod recalls;
pub mod routes;
pub mod slash;
pub mod summary;
pub mod terminal;
pub mod transcript;
pub mod values;

pub use fit::table;
pub use paint::{Paint, override_warning};
pub use print::{for_terminal, hand_out, print, print_error, print_error_as_it_is};
