//! The search service against a site of its own on this machine: the promises of its contract, what
//! it connects to, how it fetches, what it makes of pages, and what hostile pages and models get.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "test code: a broken promise has to fail loudly"
)]

mod addresses;
mod conformance;
mod fetching;
mod hostile;
mod providers;
mod quality;
mod searx;
mod site;
mod tls;
