//! broker: charter to be written.
