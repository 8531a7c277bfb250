//! The session log: its file, the one way an event gets into it, and what is folded from it.

pub(crate) mod agent;
pub(crate) mod emitter;
mod file_error;
pub(crate) mod history;
mod index;
pub(crate) mod lines;
pub(crate) mod record;
pub(crate) mod store;
pub(crate) mod stream;
mod summary;
