//! Everyday tasks that a model works on through the shipped program, each judged by what it left.
//!
//! What it is: a list of tasks as data (`data/tasks.json`), a run of each in a home and a folder of
//! its own, and a judge that looks at files, printed lines and the answer.
//! What it owns: the list, its split into a half for tuning and a half for publishing.
//! What it never does: ask a model whether something is right, or look at how it was done.
//! Where to start: `task.rs`; `main.rs` is what `cargo xtask bench tasks` runs.

pub mod attempt;
pub mod judge;
pub mod report;
pub mod task;
