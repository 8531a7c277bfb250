//! Measures what of a long conversation survives when its view is made smaller.
//!
//! What it is: generated conversations with facts that can be looked for word for word, the
//! product's own context, and a count of what is still in view or can be recalled.
//! What it owns: the probes, the table.
//! What it never does: decide what a summary keeps; the context does, with a model's help or
//! without.
//! Where to start: `measure.rs`; `main.rs` is what `cargo xtask bench retention` runs.

pub mod measure;
pub mod summariser;
