//! Measures how well memory finds what answers a question.
//!
//! What it is: conversations with questions whose answers' turns are known, the product's memory
//! service filled with them in process, and the usual measures of what it finds.
//! What it owns: the reader of a public benchmark's file, the measures.
//! What it never does: hold a text of that benchmark (its licence allows evaluation only), read
//! questions while memory is filled, find anything by itself.
//! Where to start: `ask.rs`; `main.rs` is what `cargo xtask bench memory` runs.

pub mod ask;
pub mod conversation;
pub mod embedder;
pub mod grid;
pub mod kept;
pub mod locomo;
pub mod measures;
pub mod ratings;
pub mod report;
