//! api: charter to be written.
