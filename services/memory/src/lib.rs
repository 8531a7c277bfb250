//! Memory: keeps curated memories and captured engrams, and finds them again.
//!
//! What it is: the service behind [`api::memory::Memory`] and [`api::memory::Curator`].
//! What it owns: the store (SQLite, the truth), the indexes derived from it (words and vectors), the
//! stages of a query, the gate of writing, the cache.
//! What it never does: decide who may ask (the broker does), trust an index over the store, destroy
//! an entry except by the user's forgetting, hand out a text without its label.
//! Where to start: `service.rs`, then `store/mod.rs` (what is kept) and `retrieval/mod.rs` (how it
//! is found).

mod entry;
mod error;
mod record;
mod store;

pub use error::Error;
