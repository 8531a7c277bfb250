//! The audit log: what was decided and done, appended and never changed.
//!
//! What it is: the service behind [`api::audit::Audit`], and the reading side of the same files
//! for the user's own commands.
//! What it owns: the form of the log on disk (`segment`, `frame`, [`record`]), its chain and
//! Merkle tree, its signed checkpoints ([`checkpoint`]), its lock, and when an append counts as
//! safe. docs/audit.md has the form to the byte, and what it proves.
//! What it never does: read the log for a caller. No method of [`Service`] reads; [`read`],
//! [`verify`] and [`shown`] are for the user's commands on the user's own files. It never writes a tool's
//! arguments.
//! Where to start: [`Service::open`], then `writer` for what happens to an entry, and
//! [`verify::verify`] for what is checked afterwards.

pub mod anchor;
pub mod checkpoint;
pub mod config;
mod disk;
pub mod error;
mod frame;
mod key;
mod left;
mod notes;
mod place;
pub mod read;
pub mod record;
mod segment;
mod service;
pub mod shown;
mod tail;
mod tree;
pub mod verify;
mod writer;

pub use config::Config;
pub use error::Error;
pub use frame::Flaw;
pub use service::{Service, is_let_go};
