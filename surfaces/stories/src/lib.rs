//! Acceptance stories: what somebody does with Housecarl and what has to come of it, run over HTTP against
//! a server that is really there.
//!
//! What it is: the form of a story (YAML: given, when, then), and how one is run and told.
//! What it owns: the stories that come along ([`shipped`], in `tests/stories`), and while one runs a server,
//! a state folder and a folder to work in, all of them temporary.
//! What it never does: look into a service. It is a client of the HTTP interface, as every program is.
//! Where to start: [`Story`] for the form, [`run`] for what is done with one.

mod checks;
mod client;
mod error;
mod finding;
mod pages;
mod record;
mod report;
mod runner;
mod search_server;
mod stack;
mod timeline;

pub use error::Error;
pub use finding::{below, chosen, shipped};
pub use record::{Page, Said, Story};
pub use report::{Outcome, Ran, Report};
pub use runner::{Options, run};
pub use stack::{Chosen, Reached};
