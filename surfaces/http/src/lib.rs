//! The HTTP server: sessions for programs.
//!
//! What it is: a surface. It takes requests over HTTP on this machine, shows a session's events as
//! they stand in its log, and passes the user's answers on.
//! What it owns: access tokens and their file ([`tokens`]), who may ask for what ([`access`]), and the
//! JSON of requests and answers ([`wire`]).
//! What it never does: build a service, decide what an agent may do, keep a fact about a session that
//! its log does not have, or answer a request without a token, but for `/health`.
//! Where to start: [`routes`] (every path, with the scope it needs), then [`access`] and [`server`].

mod access;
mod app;
mod connections;
mod conversations;
mod document;
mod error;
mod events;
mod held;
mod host;
pub mod limits;
mod lookup;
mod metrics;
mod openai;
mod problem;
mod query;
mod rates;
mod requests;
mod route;
mod routes;
mod seed;
mod server;
mod sessions;
mod stalls;
pub mod tokens;
mod wire;
mod work;

pub use error::Error;
pub use host::{Ceiling, Host, Wanted};
pub use server::{DEFAULT_ADDRESS, Parts, Server};
