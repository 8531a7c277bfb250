//! The policy as its callers use it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test is allowed to fail loudly"
)]

mod decisions;
mod flow;
mod flow_laws;
mod flow_requests;
mod flow_words;
mod lineage;
mod lists;
mod pages;
mod rights;
mod support;
