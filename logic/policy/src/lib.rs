//! policy: charter to be written.
