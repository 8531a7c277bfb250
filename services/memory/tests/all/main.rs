//! Memory, through its contracts and on a real disk.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod contract;
mod crash;
mod extraction;
mod faults;
mod forget;
mod index;
mod place;
mod record;
mod retrieval;
mod support;
