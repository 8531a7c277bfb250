//! Which of many tools are offered for a task.
//!
//! What it is: a ranking over names, descriptions and arguments, and a bound on what is offered.
//! What it owns: the bound, the words that mean the same, and the order of tools.
//! What it never does: decide what may be used (the broker passes in only that), or ask a model.
//! Where to start: [`offer`], and [`OfferedTools`] for an agent that asks again.

mod lean;
mod offer;
mod offered;
mod rank;
mod words;

pub use lean::lean;
pub use offer::{
    Holding, MOST_FOUND, OFFER_TOKENS, Offer, Presence, offer, room_for, search, tokens,
};
pub use offered::OfferedTools;
pub use rank::Index;
