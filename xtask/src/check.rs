//! `cargo xtask check`: everything that can be said about the code without running the product.

use crate::setup;
use crate::steps::{Steps, cargo, has_subcommand, show};
use anyhow::Result;

/// Runs every check. The engine is checked with the profile that it is built with.
///
/// # Errors
/// The first check that fails, with what to do.
pub fn run(steps: &mut Steps) -> Result<()> {
    steps.run("formatting", "Run `cargo fmt --all`.", || {
        show(&mut cargo(&["fmt", "--all", "--", "--check"]))
    })?;
    let fix = "Fix what the messages above name; `cargo clippy --fix` does some of it.";
    steps.run("lints", fix, || {
        let args = [
            "clippy",
            "--workspace",
            "--exclude",
            "engine",
            "--all-targets",
        ];
        show(cargo(&args).args(["--", "-D", "warnings"]))
    })?;
    steps.run("lints of the engine", fix, engine_lints)?;
    steps.run(
        "architecture",
        "The messages name file and rule; CONTRIBUTING.md says what each rule is for.",
        || show(&mut cargo(&["test", "--quiet", "-p", "architecture"])),
    )?;
    let docs = "Fix the links and texts that rustdoc names above.";
    steps.run("documentation", docs, || {
        let args = [
            "doc",
            "--workspace",
            "--exclude",
            "engine",
            "--no-deps",
            "--quiet",
        ];
        show(cargo(&args).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    // Licences, bans and sources are a test of the architecture; advisories need a database from the
    // network, which cargo-deny fetches.
    if has_subcommand("deny") {
        steps.run(
            "advisories",
            "A dependency has a known fault: update it, or say in deny.toml why it does no harm.",
            || {
                show(&mut cargo(&[
                    "deny",
                    "--all-features",
                    "check",
                    "advisories",
                ]))
            },
        )
    } else {
        steps.skip(
            "advisories",
            "cargo-deny is not installed (`cargo install cargo-deny`)",
        );
        Ok(())
    }
}

fn engine_lints() -> Result<()> {
    let profile = setup::ENGINE_PROFILE;
    let mut command = cargo(&["clippy", "--profile", profile, "-p", "engine"]);
    command
        .args(["--all-targets", "--", "-D", "warnings"])
        .envs(setup::engine_environment()?);
    show(&mut command)
}
