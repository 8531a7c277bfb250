//! architecture: charter to be written.
