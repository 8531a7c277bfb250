//! `carl doctor --sandbox`: whether the toolchains of this machine work where commands run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use testkit::House;

/// The line about a program, if there is one.
fn line<'a>(report: &'a str, name: &str) -> Option<&'a str> {
    report
        .lines()
        .find(|line| line.split_whitespace().nth(1) == Some(name))
}

#[test]
fn each_toolchain_that_is_found_does_something_small_in_the_sandbox() {
    let house = House::new();
    house.give_rust();
    let report = house.ask(["doctor", "--sandbox"]).run().stdout;
    for (name, does) in [
        ("cargo", "builds and runs a test in the sandbox: cargo 1."),
        ("cc", "compiles a program that runs in the sandbox: "),
        ("python3", "runs a test in the sandbox: Python 3."),
        (
            "git",
            "makes a repository and commits in the sandbox: git version ",
        ),
    ] {
        let line = line(&report, name).unwrap();
        assert!(line.starts_with("ok ") && line.contains(does), "{report}");
    }
    let without = house.ask(["doctor"]).run().stdout;
    assert_eq!(line(&without, "cargo"), None, "{without}");
    assert!(!house.has("t"), "a trial wrote to the working folder");
}

#[test]
fn a_toolchain_that_is_found_and_fails_is_bad_and_one_that_is_missing_is_named() {
    let house = House::new();
    let programs = house.home().join(".nvm/versions/node/v99.0.0/bin");
    fs::create_dir_all(&programs).unwrap();
    let node = programs.join("node");
    fs::write(&node, "#!/bin/sh\necho this node is broken >&2\nexit 3\n").unwrap();
    fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).unwrap();
    // One that is there and says what a shell says of a program that is not.
    let npm = programs.join("npm");
    let text = "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' x >&2\nexit 127\n";
    fs::write(&npm, text).unwrap();
    fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).unwrap();
    let report = house.ask(["doctor", "--sandbox"]).run().expect(4).stdout;
    let node = line(&report, "node").unwrap();
    assert!(node.starts_with("bad "), "{report}");
    assert!(
        node.contains("does not work in the sandbox: this node is broken"),
        "{report}"
    );
    let npm = line(&report, "npm").unwrap();
    assert!(npm.starts_with("bad ") && npm.len() < 500, "{npm}");
    let missing = line(&report, "toolchains").unwrap_or_default();
    for name in [
        "cargo", "python3", "pytest", "npm", "pnpm", "uv", "go", "make", "cmake",
    ] {
        let is_missing = missing.split([' ', ',']).any(|word| word == name);
        assert_ne!(
            line(&report, name).is_some(),
            is_missing,
            "{name}\n{report}"
        );
    }
}
