//! Agents that start others, through the shipped program.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod memories;
mod orchestration;
mod plan_mode;
mod refused;
mod shown;
mod subagents;
