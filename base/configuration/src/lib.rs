//! Configuration from a file and the environment: read, with where each value is from.
//!
//! What it is: what any program does that takes its configuration from a TOML file and from variables,
//! and owes its user the line, the variable and the nearest right key of each mistake.
//! What it owns: the wording of such mistakes, and that no line about a key or token is shown again.
//! What it never does: know a key, what keys look like, a program's name or a default.
//! Where to start: [`parse_toml`] for a file, [`Variables`] for the environment.

mod error;
mod lines;
mod parse;
mod variables;

pub use error::Error;
pub use parse::{FILE_BYTES, IsKey, hint, nearest, parse_toml};
pub use variables::{Variables, flattened};
