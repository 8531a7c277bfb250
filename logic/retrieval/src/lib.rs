//! What makes an entry answer a question: decisions without a store or an index.
//!
//! What it is: the reading of questions, fusion of what the legs found, facts in a text, the cutting
//! of segments, and what makes two questions the same.
//! What it owns: the weights and their defaults, the list of words that say nothing.
//! What it never does: input or output, calling a model, knowing a store.
//! Where to start: `fusion.rs`, for the order of entries; `question.rs`, for what is asked.

//!
//! How the parts fit: an entry is embedded in segments of [`segments::EMBEDDED_TOKENS`]. A query is
//! read ([`question::read`]), every leg gives its best as a [`fusion::Leg`], and [`fusion::Fusion`]
//! goes through its stages in the order of its methods; [`facts`] and [`speech`] say what the closer
//! look at the best candidates sees. Legs should be deep, some hundreds: what a leg leaves out is
//! unknown to the other.

pub mod extract;
pub mod facts;
pub mod fusion;
pub mod near;
mod phrases;
pub mod question;
pub mod relevance;
pub mod repeats;
pub mod segments;
pub mod speech;
pub mod words;
