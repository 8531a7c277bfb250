//! Search: asks a search server, reads the best pages and tells what they claim.
//!
//! What it is: the service behind [`api::search::Search`].
//! What it owns: the providers, fetching with its checks of addresses, the extraction of main text,
//! summaries by a model without tools, the cache of pages, politeness.
//! What it never does: decide whether a page may be read (the broker does), hand a raw page to
//! anyone, connect to an address that it did not check, send cookies or a referrer.
//! Where to start: `service.rs`, then `fetch.rs` and `address.rs` (what is connected to).

mod address;
mod body;
mod cache;
mod config;
mod error;
mod fetch;
mod lazy;
mod ledger;
mod page;
mod polite;
mod providers;
mod quarantine;
mod record;
mod relevance;
mod resolve;
mod robots;
mod service;
mod words;

pub use config::{Clock, Config, Provider, SecretRef, is_loopback};
pub use error::Error;
pub use lazy::{Lazy, Parts};
pub use providers::{listens, stranger_at, try_out};
pub use resolve::Names;
pub use service::Service;
