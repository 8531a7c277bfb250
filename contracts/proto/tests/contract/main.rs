//! What goes over the wire comes back as it was, and the schema changes only on purpose.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod memory;
mod own_calls;
mod programs;
mod round_trip;
mod sample_events;
mod samples;
mod schema;
