//! The nouns of Housecarl: ids, labels, messages, tools, decisions, events, plans, reports, limits.
//!
//! What it is: the vocabulary that every other crate speaks.
//! What it owns: the JSON form of [`event::Event`], [`message::Message`], [`plan::Plan`] and
//! [`report::Report`]. The session log, `carl run --events` and every stream use that one form, so
//! it is a promise and is snapshot-tested.
//! What it never does: input or output, reading a clock, drawing randomness, deciding anything.
//! Where to start: [`event`] (what happens in a session), [`tool`] and [`decision`] (what the
//! broker judges), [`limits`] (how large anything may get).

pub mod arguments;
pub mod context;
pub mod decision;
pub mod drive;
pub mod event;
pub mod fault;
pub mod guarded;
pub mod hash;
pub mod id;
pub mod label;
pub mod limits;
pub mod lineage;
pub mod message;
pub mod model;
pub mod notes;
pub mod picture;
pub mod plan;
pub mod quality;
pub mod report;
pub mod rights;
pub mod schema;
pub mod settings;
pub mod source;
pub mod task;
pub mod token;
pub mod tool;

pub use jiff::Timestamp;
