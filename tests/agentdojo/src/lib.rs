//! Tool tables for the suites of AgentDojo, a public benchmark of prompt injection.
//!
//! What it is: four tables as a user of those tools would write them, and the test that they can be
//! used. README.md says how the benchmark is played against them.
//! What it owns: `tables/`.
//! What it never does: name a task, an attack or a value of the benchmark. A table says what a tool
//! is; product code knows nothing of the benchmark.
//! Where to start: README.md, then `tables/banking.yaml`.

use tooltable::{Error, Table};

/// Every table with the name of its suite, parsed.
///
/// # Errors
/// The first table that cannot be used.
pub fn tables() -> Result<Vec<(&'static str, Table)>, Error> {
    [
        ("banking", include_str!("../tables/banking.yaml")),
        ("slack", include_str!("../tables/slack.yaml")),
        ("travel", include_str!("../tables/travel.yaml")),
        ("workspace", include_str!("../tables/workspace.yaml")),
    ]
    .into_iter()
    .map(|(suite, yaml)| Ok((suite, Table::parse(yaml, &format!("{suite}.yaml"))?)))
    .collect()
}
