//! Secrets by name, for those who may have them.
//!
//! What it is: the service behind [`api::secrets::Secrets`], in front of the store that the user
//! chose.
//! What it owns: `[secrets]` in the configuration, the time a store may take, and that every
//! reading is on record before the value is given.
//! What it never does: list, write, choose a store by itself, use a weaker one in its place, ask
//! the user anything, or keep a value.
//! Where to start: [`Service`]; the stores are in `adapters/keyring`.

pub mod config;
pub mod error;
mod service;

pub use config::{Backend, Config};
pub use error::Error;
pub use service::Service;
