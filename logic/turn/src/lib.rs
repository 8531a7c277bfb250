//! turn: charter to be written.
