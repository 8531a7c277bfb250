//! What is judged, and what grades come to.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

mod cases;
mod measures;
mod reports;
