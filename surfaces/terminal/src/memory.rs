//! The user's own side of memory: found, shown, added, forgotten, exported and imported.

mod adding;
mod entries;
mod forget;
mod transfer;

pub use adding::{Addition, Kept, add, instead_of, keep, typed};
pub use entries::{found, list, resolve, search, shown};
pub use forget::forget;
pub use transfer::{Form, export, import};

use api::memory::{Curator, Memory};
use std::sync::Arc;

/// Both sides of memory, wherever it is.
#[derive(Clone)]
pub struct Memories {
    /// What agents' tools and observers use.
    pub memory: Arc<dyn Memory>,
    /// The user's side.
    pub curator: Arc<dyn Curator>,
}
