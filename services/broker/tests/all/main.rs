//! The broker, through its contracts.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod batches;
mod calls;
mod confirmations;
mod contract;
mod credentials;
mod finding;
mod firewall;
mod flow;
mod plans;
mod spawning;
mod stored;
mod support;
