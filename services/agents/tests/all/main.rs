//! Sessions, agents and the drive, through the contract of Sessions.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod context;
mod contract;
mod drive;
mod driving;
mod holding;
mod jobs;
mod loop_mode;
mod pipeline;
mod recall;
mod resume;
mod rows;
mod sessions;
mod support;
