//! Everyday tasks that a model works on through the shipped program, each judged by what it left.
//!
//! What it is: a list of tasks as data (`data/tasks.json`), projects to be repaired (`data/repairs`),
//! a run of each in a home and a folder of its own, and a judge that looks at files, printed lines, the
//! answer, and what a project's own tests say.
//! What it owns: the list, its split into a half for tuning and a half for publishing; the projects.
//! What it never does: ask a model whether something is right, or look at how it was done.
//! Where to start: `task.rs`, `repair.rs`; `main.rs` is what `cargo xtask bench tasks` runs.

pub mod attempt;
pub mod judge;
pub mod repair;
pub mod report;
pub mod task;
