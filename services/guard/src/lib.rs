//! The guard: the policy as a service to other programs that run their own tools.
//!
//! What it is: conversations. The program tells what the user said, which tools there
//! are and what they returned; before each call it asks, and the guard allows, has the user asked,
//! or denies.
//! What it owns: the lines that are exchanged over standard input and output ([`wire`]) and the
//! state of a conversation ([`Guard`]).
//! What it never does: it runs nothing, it opens nothing, and it believes of a tool only what the
//! user's table says.
//! Where to start: [`serve`] (lines) and [`Service`] (the contract), then [`Guard::check`].

mod conversation;
mod guard;
mod reading;
mod service;
mod stdio;
pub mod wire;

pub use guard::{Guard, Problem, Rules};
pub use service::Service;
pub use stdio::{ServeError, serve};
