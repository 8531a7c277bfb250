//! plan: charter to be written.
