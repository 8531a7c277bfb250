//! Rates of the log.
fn main() {}
