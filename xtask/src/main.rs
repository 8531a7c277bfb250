//! Development tasks: `cargo xtask <task>`.

mod setup;

use clap::Parser;
use std::io::Write as _;
use std::process::ExitCode;

/// Development tasks of Housecarl.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Fetch the build tools and the small models, and build the engine
    Setup(setup::Options),
}

fn main() -> ExitCode {
    let result = match Task::parse() {
        Task::Setup(options) => setup::main(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; then there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
