//! domain: charter to be written.
