//! How long one decision takes: 100 tools, a lineage of four, no stored values.

fn main() {
    divan::main();
}
