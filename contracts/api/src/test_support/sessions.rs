//! Sessions in memory that answer by a script.
