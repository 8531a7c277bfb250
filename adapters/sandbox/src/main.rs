//! The inside of the sandbox as a program of its own, for this crate's tests.

fn main() {
    std::process::exit(sandbox::inside::enter());
}
