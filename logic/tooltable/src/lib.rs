//! The tool table that users write: what each tool is, so that the broker can judge its calls.
//!
//! What it is: reading the YAML form, and joining an entry with the name, description and JSON
//! Schema that a tool arrives with into a [`domain::tool::ToolSpec`]; and drafting an entry for a
//! tool that nobody has classified.
//! What it owns: the format in docs/tool-tables.md and its JSON Schema.
//! What it never does: read a file, ask a model, decide a call, or believe what a tool says about
//! itself: a description decides nothing.
//! Where to start: [`Table::parse`], then [`Table::spec`]; for drafts [`classify::classify`].

pub mod classify;
pub mod config;
mod entry;
mod error;
mod forms;
mod offer;
mod place;
mod table;
pub mod yaml;

pub use entry::{Argument, DEFAULT_CAPABILITY, Entry, default_audience};
pub use error::Error;
pub use offer::{Offer, offers};
pub use table::{TABLE_BYTES, Table, pin_of};
