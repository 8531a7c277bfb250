//! Fakes and conformance suites: one of each for every contract that is built.
