//! Charter to be written.

fn main() {}
