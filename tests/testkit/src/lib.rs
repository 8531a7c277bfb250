//! testkit: charter to be written.
