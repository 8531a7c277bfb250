//! tools: charter to be written.
