//! `cargo xtask bless`: writes the snapshots anew, for a person to read the difference.

use crate::steps::{Steps, output, root, say, show};
use crate::tests;
use anyhow::Result;

/// Runs the tests that hold snapshots, told to write what they see.
///
/// # Errors
/// When a test fails for another reason than a changed snapshot.
pub fn run(steps: &mut Steps) -> Result<()> {
    steps.run(
        "snapshots",
        "The test it names fails for another reason.",
        || {
            let mut command = tests::runner(None, &["--workspace", "--exclude", "engine"]);
            show(
                command
                    .arg("snapshot")
                    .env("INSTA_UPDATE", "always")
                    .env("CARL_BLESS", "1"),
            )
        },
    )?;
    let mut status = std::process::Command::new("git");
    status.args(["status", "--short"]).current_dir(root());
    say("\nChanged now; read `git diff` before you commit:");
    say(&output(&mut status)?);
    Ok(())
}
