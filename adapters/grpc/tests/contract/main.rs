//! The promises of the contracts, kept through every transport.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod conformance;
mod endpoints;
mod hostile;
mod secrets;
mod support;
