//! The program, by what it prints.
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

mod doctor;
mod help;
mod memory;
mod offered;
mod tools;
