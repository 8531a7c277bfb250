//! `cargo xtask bench`: measures the whole program.

use crate::setup;
use crate::steps::{Steps, cargo, root, show};
use anyhow::Result;
use std::path::PathBuf;

/// How to measure.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Where the numbers go, JSON
    #[arg(long, value_name = "FILE", default_value = "target/bench.json")]
    pub out: PathBuf,
    /// A tenth of the rounds: to see that it works
    #[arg(long)]
    pub quick: bool,
}

/// Builds `carl` in release mode and measures it.
///
/// # Errors
/// When it does not build, or a measurement cannot be made.
pub fn run(steps: &mut Steps, options: Options) -> Result<()> {
    let advice = "The compiler's messages are above.";
    steps.run("release build of carl", advice, || {
        show(&mut cargo(&["build", "--release", "-p", "carl"]))
    })?;
    let carl = setup::paths()?.engine.with_file_name("carl");
    steps.run(
        "measurements",
        "The message above names the measurement.",
        || {
            let mut command = cargo(&["run", "--release", "--quiet", "-p", "measure", "--"]);
            command.arg("--out").arg(root().join(&options.out));
            if options.quick {
                command.arg("--quick");
            }
            show(command.env("CARL_PROGRAM", carl))
        },
    )
}
