//! Which of many tools are offered for a task.
//!
//! What it is: a ranking over names, descriptions and arguments, and a bound on what is offered.
//! What it owns: the bound, the words that mean the same, and the order of tools.
//! What it never does: decide what may be used (the broker passes in only that), ask a model, or
//! change a definition it offers whole.
//! Where to start: [`offer`], and [`OfferedTools`] for an agent that asks again.

mod offer;
mod offered;
mod rank;
mod words;

pub use offer::{Holding, MOST_FOUND, OFFER_TOKENS, Offer, Presence, offer, tokens};
pub use offered::OfferedTools;
pub use rank::Index;
