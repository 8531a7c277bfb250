//! `carl memory` as it is typed: what is kept is found, corrected, carried elsewhere and forgotten.

#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use std::path::Path;
use std::process::{Command, Output};

fn memory(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carl"))
        .arg("memory")
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("NO_COLOR", "1")
        .env("CARL_MODELS__AIR_GAP", "true")
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text
}

fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_preference_is_kept_found_corrected_and_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let black = "I take my coffee black, without sugar.";
    let id = said(&memory(home, &["add", black])).trim().to_owned();
    let again = memory(home, &["add", "I take my coffee black without sugar"]);
    assert_eq!(said(&again).trim(), id);
    let found = said(&memory(
        home,
        &["search", "How do I like my coffee?", "--explain"],
    ));
    assert!(found.contains(black) && found.contains("stage"), "{found}");

    let milk = "I take my coffee with milk.";
    said(&memory(home, &["add", "--supersedes", &id, milk]));
    let found = said(&memory(home, &["search", "How do I like my coffee?"]));
    assert!(found.contains(milk) && !found.contains(black), "{found}");
    let shown = said(&memory(home, &["show", &id]));
    assert!(shown.contains("corrected by"), "{shown}");

    let secret = memory(home, &["add", "my password is hunter2"]);
    let told = refused(&secret, 2);
    assert!(
        told.contains("carl secret set") && !told.contains("hunter2"),
        "{told}"
    );
    let told = refused(&memory(home, &["forget", &id]), 2);
    assert!(told.contains("--yes"), "{told}");
    let told = said(&memory(home, &["forget", &id, "--yes"]));
    assert!(told.contains("nothing of the text is left"), "{told}");
    refused(&memory(home, &["show", &id]), 4);
}

#[test]
fn an_export_is_imported_elsewhere_and_a_bad_line_imports_nothing() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    said(&memory(
        home.path(),
        &["add", "The gate is green.", "--namespace", "project"],
    ));
    said(&memory(
        home.path(),
        &["add", "The fence is blue.", "--tag", "garden"],
    ));
    let lines = said(&memory(home.path(), &["export"]));
    assert_eq!(lines.lines().count(), 2);

    let file = other.path().join("lines");
    std::fs::write(
        &file,
        format!("{lines}{{\"kind\":\"memory\",\"name\":3}}\n"),
    )
    .unwrap();
    let told = refused(&memory(other.path(), &["import", "lines"]), 2);
    assert!(told.contains("line 3: field `name`"), "{told}");
    assert_eq!(said(&memory(other.path(), &["list"])), "");

    std::fs::write(&file, &lines).unwrap();
    let told = said(&memory(other.path(), &["import", "lines"]));
    assert!(told.contains("2 were kept"), "{told}");
    assert_eq!(said(&memory(other.path(), &["export"])), lines);
    let told = said(&memory(other.path(), &["import", "lines"]));
    assert!(told.contains("2 were there already"), "{told}");
    let found = said(&memory(other.path(), &["search", "fence", "--json"]));
    assert!(found.contains("The fence is blue."), "{found}");
}
