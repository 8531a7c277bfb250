//! Which of many tools are offered for a task.
//!
//! What it is: a ranking over names, descriptions and arguments, a bound on what is offered, and the
//! schemas of what is offered, as a model reads them and as its reply is held to them.
//! What it owns: the bound, the words that mean the same, the order of tools, and what counts as known
//! of the files that a small model works on.
//! What it never does: decide what may be used (the broker passes in only that), or ask a model.
//! Where to start: [`offer`], and [`OfferedTools`] for an agent that asks again.

mod known;
mod lean;
mod narrowed;
mod offer;
mod offered;
mod rank;
mod words;

pub use known::{KnownFiles, Paths, paths, texts_to_replace};
pub use lean::lean;
pub use narrowed::{can_be_narrowed, narrowed};
pub use offer::{
    Holding, MOST_FOUND, OFFER_TOKENS, Offer, Presence, offer, room_for, search, tokens,
};
pub use offered::OfferedTools;
pub use rank::Index;
