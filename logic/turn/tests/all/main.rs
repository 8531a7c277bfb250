//! The turn and the drive.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod drive;
mod model;
mod trail;
