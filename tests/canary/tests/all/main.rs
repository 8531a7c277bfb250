//! Secrets, and every way in which one could get out.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod closed;
mod crashes;
mod leaks;
mod shown;
mod stores;
