//! Memory: keeps curated memories and captured engrams, and finds them again.
//!
//! What it is: the service behind [`api::memory::Memory`] and [`api::memory::Curator`].
//! What it owns: the store (SQLite, the truth), the indexes derived from it (words and vectors), the
//! stages of a query, the gate of writing, the cache, the form of an export.
//! What it never does: decide who may ask (the broker does), trust an index over the store, destroy
//! an entry except by the user's forgetting, hand out a text without its label.
//! Where to start: `service.rs`, then `store/mod.rs` (what is kept) and `retrieval/mod.rs` (how it
//! is found).

mod cache;
pub mod config;
mod curator;
mod embedding;
mod entry;
mod error;
mod finder;
mod folder;
mod forget;
mod gate;
mod index;
mod lazy;
mod ledger;
mod record;
mod retrieval;
mod said;
mod service;
mod store;

pub use config::Config;
pub use error::Error;
pub use lazy::Lazy;
pub use ledger::Clock;
pub use service::Service;

use api::models::Models;
use finder::Finder;
use std::sync::Arc;

/// What finds entries in a store.
async fn finding(
    store: &store::Store,
    models: Arc<dyn Models>,
    config: &Config,
    clock: Clock,
) -> Result<Arc<dyn Finder>, Error> {
    let config = config.finding.clone();
    let found = self::retrieval::Retrieval::open(store.clone(), models, config, clock).await?;
    Ok(Arc::new(found))
}
