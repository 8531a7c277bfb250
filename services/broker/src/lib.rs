//! The broker: the single point where any tool runs.
//!
//! What it is: the service behind [`api::broker::Broker`] and [`api::broker::Control`]. It looks
//! callers up by token, has `policy` judge every call, asks the user where that is needed, records
//! everything in the audit log, and hands a sealed permission to the executor.
//! What it owns: agent tokens and lineages, sessions' ceilings, open questions, approved plans,
//! stored values, the manifest file's form, and the only [`api::authority::Authority`] there is.
//! What it never does: decide by itself (that is `policy`), touch a file a tool asked for (that is
//! the executor), run anything that could not be recorded first, or show a model the manifest.
//! Where to start: [`Service::new`], then `call` for the path of one call.

mod approvals;
mod asking;
mod batch;
mod call;
pub mod config;
mod control;
mod credentials;
mod differences;
mod discovery;
pub mod error;
mod filling;
mod foreseen;
mod inner;
mod judging;
mod ledger;
mod lock;
mod manifest;
mod origins;
mod own_calls;
mod pinned;
mod plan;
mod programs;
mod question;
mod reach;
mod render;
pub mod replay;
mod running;
mod running_calls;
mod service;
mod starting;
mod state;
pub mod values;

pub use config::{Clock, Config};
pub use credentials::KnownSecrets;
pub use error::Error;
pub use manifest::SHIPPED as SHIPPED_AGENTS;
pub use service::Service;
