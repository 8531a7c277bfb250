//! scenarios: charter to be written.
