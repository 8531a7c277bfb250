//! Information flow: may this content steer this effect, and may these readers learn it?
//!
//! What it is: rules over labels, without a model and without guessing. [`Provenance`] knows where
//! values came from; `judge` holds a call's arguments against it.
//! Where to start: `judge`.

mod changes;
mod counting;
mod disclosure;
mod entities;
mod index;
mod keys;
mod knobs;
mod knowledge;
mod leaves;
mod left_out;
mod moments;
mod naming;
mod normal;
mod numbers;
mod pages;
mod parts;
mod provenance;
mod quotes;
mod records;
mod rules;
mod said;

pub(crate) use entities::{is_whole_lead, leads};
pub(crate) use index::stands_whole;
pub(crate) use knowledge::Flow;
pub use knowledge::{Knowledge, Pinned};
pub use naming::NamedBy;
pub(crate) use normal::{exact, unfolded};
pub use parts::made_of;
pub use provenance::{Found, Provenance, REFERENCE, ReferenceError, Resolved, Traced, said_label};
pub(crate) use quotes::quoted;
pub(crate) use rules::{Judged, judge};
