//! The HTTP server: sessions for programs, and the page for people who would rather look than read.
//!
//! What it is: a surface. It takes requests over HTTP, from other machines by TLS alone, shows a session's events as
//! they stand in its log, and passes the user's answers on.
//! What it owns: access tokens and their file ([`tokens`]), logins of browsers ([`login`]), who may ask
//! for what ([`access`]), the JSON of requests and answers ([`wire`]), and the page, which `web/` builds
//! ([`page`]).
//! What it never does: build a service, decide what an agent may do, keep a fact about a session that
//! its log does not have, or tell anything to a request without a token or a login: `/health` and the files
//! of the page tell nothing.
//! Where to start: [`routes`] (every path, with the scope it needs), then [`access`] and [`server`].

mod access;
mod app;
mod connections;
mod conversations;
mod document;
mod error;
mod events;
mod grades;
mod held;
mod history;
mod host;
mod known;
pub mod limits;
mod listing;
mod listings;
mod login;
pub mod login_codes;
mod logins;
mod looks;
mod lookup;
mod memories;
mod metrics;
mod names;
mod openai;
mod page;
mod problem;
mod programs;
mod query;
mod rates;
mod requests;
mod route;
mod routes;
mod secret;
mod seed;
mod server;
mod sessions;
mod stalls;
mod tags;
mod tls;
pub mod tokens;
mod wire;
mod wording;
mod work;

pub use error::Error;
pub use host::{Addition, Ceiling, Host, Known, Wanted};
pub use server::{DEFAULT_ADDRESS, Parts, Server};
pub use tls::Certificate;
