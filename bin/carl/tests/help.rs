//! What people read when they ask for help, held as snapshots.

#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use std::process::Command;

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_carl"))
        .args(arguments)
        .arg("--help")
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_reads_as_agreed() {
    let commands: [&[&str]; 24] = [
        &[],
        &["run"],
        &["chat"],
        &["doctor"],
        &["models"],
        &["tools", "classify"],
        &["tools", "check"],
        &["policy", "explain"],
        &["policy", "serve"],
        &["session"],
        &["session", "show"],
        &["session", "context"],
        &["session", "fork"],
        &["session", "export"],
        &["undo"],
        &["audit", "tail"],
        &["memory"],
        &["memory", "search"],
        &["memory", "add"],
        &["secret"],
        &["secret", "set"],
        &["init"],
        &["config", "show"],
        &["serve"],
    ];
    let all: String = commands
        .iter()
        .map(|command| format!("$ carl {}\n{}\n", command.join(" "), help(command)))
        .collect();
    insta::assert_snapshot!("help", all);
}
