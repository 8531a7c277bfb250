//! The session log on disk: one append-only file of JSON lines a session, the truth about it.
//!
//! What it is: the file and the one way an event gets into it, streams of what is in it and of what
//! comes, and the listing of a folder of logs.
//! What it owns: the form of the files (`record.rs`, `index/record.rs`, `name.rs`), the lock that lets one
//! process write, and the order: an event is in the log before anybody is shown it, but for those in
//! passing, which are in no log.
//! What it never does: say what an event means. What a log comes to is its caller's [`Fold`].
//! Where to start: [`Emitter`], which writes; [`Lines`], which reads.

mod changed;
mod emitter;
mod file_error;
mod fold;
mod index;
mod lines;
mod name;
mod outline;
mod place;
mod record;
mod said;
mod store;
pub mod stream;
mod summary;

pub use emitter::{Clock, Durability, Emitter, Shown};
pub use fold::{Fold, Scope};
pub use lines::Lines;
pub use name::{name_of, rename};
pub use outline::Outlines;
pub use place::path_of;
pub use record::{Cut, SessionLog, make_folder};
pub use store::{Earlier, Fork, copy, event, folded, has_query, list, reopened};
pub use summary::title_of;
