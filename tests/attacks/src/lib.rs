//! The attacks that broker, sandbox and log must survive, played against the shipped `carl`.
//!
//! What it is: one test file for each kind of attack, and the few things they share: a hijacked
//! model with its honest twin ([`script`]), a conversation with `carl policy serve` ([`guarded`]),
//! and code that is run both in the sandbox and outside it ([`probe`]).
//! What it owns: `data/`, the tool table of the guarded program.
//! What it never does: call a service of Housecarl. Every attack has a positive control: the same
//! probe works where it should.
//! Where to start: docs/security.md lists every case with its test; then `tests/all/paths.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

pub mod guarded;
pub mod index;
pub mod probe;
pub mod script;
