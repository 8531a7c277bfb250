//! The audit log: what was decided and done, appended and never changed.
//!
//! What it is: the service behind [`api::audit::Audit`], over one file of JSON lines.
//! What it owns: the file's form ([`record`]), its sequence and hash chain, its lock, and when an
//! append counts as safe.
//! What it never does: read the log for a caller. No method of the service reads; [`record::read`]
//! is for the user's own command on the user's own file. It never writes a tool's arguments.
//! Where to start: [`Service::open`], then `writer` for what happens to an entry.

pub mod config;
pub mod error;
pub mod record;
mod service;
mod tail;
mod writer;

pub use config::Config;
pub use error::Error;
pub use service::Service;
