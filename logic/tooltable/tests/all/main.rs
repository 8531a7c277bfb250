//! Tool tables.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod agreement;
mod classification;
mod format;
mod mistakes;
