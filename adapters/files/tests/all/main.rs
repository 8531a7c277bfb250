//! The file tools.
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

mod attacks;
mod changing;
mod looking;
mod outlines;
mod patches;
mod plans;
mod support;
mod swaps;
