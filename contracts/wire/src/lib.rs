//! wire: charter to be written.
