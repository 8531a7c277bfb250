//! engine: charter to be written.
