//! The built-in tools over memory and the web, and all executors as one.
//!
//! What it is: an [`api::executor::Executor`] over memory, one over the web, and one that joins
//! several.
//! What it owns: how memories, claims and pages are told to a model.
//! What it never does: decide whether a call may run, open a network connection, touch a file.
//! Where to start: [`MemoryTools`], [`WebTools`]; [`Executors`] for the joining.

mod error;
mod executors;
mod memory;
mod web;

pub use error::Error;
pub use executors::Executors;
pub use memory::MemoryTools;
pub use web::WebTools;
