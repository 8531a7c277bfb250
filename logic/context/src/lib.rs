//! context: charter to be written.
