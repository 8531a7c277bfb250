//! audit: charter to be written.
