//! The log on a real disk.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod arbitrary;
mod contract;
mod damage;
mod hostile;
mod kill;
mod log;
mod place;
