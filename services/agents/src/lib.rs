//! agents: charter to be written.
