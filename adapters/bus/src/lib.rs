//! The bus within one process.
//!
//! What it is: an [`api::bus::Bus`] over channels.
//! What it owns: how far a slow subscriber may lag.
//! What it never does: wait for a subscriber, keep events, reach another process.
//! Where to start: `LocalBus`.
