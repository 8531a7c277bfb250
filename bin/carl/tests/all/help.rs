//! What people read when they ask for help, held as snapshots.

use std::process::Command;

fn help(arguments: &[&str]) -> String {
    help_within(arguments, "100")
}

fn help_within(arguments: &[&str], columns: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_carl"))
        .args(arguments)
        .arg("--help")
        .env("COLUMNS", columns)
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

/// The commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let list = help.split_once("Commands:\n").map_or("", |split| split.1);
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
    let names = names.map(|(name, _)| name.to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn every_help_has_examples_and_fits_on_80_columns() {
    let mut to_come = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = to_come.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = help_within(&words, "80");
        assert!(help.contains("\nExamples:\n  "), "{command:?}: {help}");
        let wide = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{command:?}");
        to_come.extend(
            listed(&help)
                .into_iter()
                .map(|name| [&command[..], &[name]].concat()),
        );
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}
