//! The gateway, against servers that answer from a script.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod contract;
mod engine;
mod faults;
mod gateway;
mod json_calls;
mod missing;
mod progress;
mod protocols;
mod support;
mod tables;
mod turns;
