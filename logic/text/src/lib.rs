//! text: charter to be written.
