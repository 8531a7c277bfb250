//! models: charter to be written.
