//! The sandbox, with real programs.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod bounds;
mod reach;
mod rights;
mod support;
