//! The house's own tasks: `cargo xtask <task>`.
//!
//! Start with [`tests`] (what continuous integration runs) and [`first_run`] (what a newcomer
//! runs); [`setup`] provides what both need.

mod bench;
mod bless;
mod check;
mod first_run;
mod setup;
mod steps;
mod tests;

use clap::Parser;
use std::process::ExitCode;

/// Tasks of Housecarl's workshop
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Fetch the build tools and the small models, and build the engine
    Setup(setup::Options),
    /// Set up, build, and let Housecarl answer a question and make an edit on a sample folder
    Try,
    /// Set up for tests, then run every check and test that continuous integration runs
    Test(tests::Options),
    /// Fetch the texts that the firewall is measured on
    Corpora,
    /// Formatting, lints, architecture, documentation, dependencies
    Check,
    /// Write the snapshots anew: help texts, protocol schema, configuration reference, error list, crate graph
    Bless,
    /// Measure the whole program; prints a table and writes target/bench.json
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let task = Task::parse();
    let mut steps = steps::Steps::default();
    let done = match task {
        Task::Setup(options) => setup::main(options),
        Task::Try => first_run::run(&mut steps),
        Task::Test(options) => tests::run(&mut steps, options),
        Task::Corpora => setup::corpora::run().map(|_folder| ()),
        Task::Check => {
            setup::run(setup::Options::default()).and_then(|_paths| check::run(&mut steps))
        }
        Task::Bless => bless::run(&mut steps),
        Task::Bench(options) => bench::run(&mut steps, options),
    };
    steps.summary();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            steps::say(&format!("\nerror: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
