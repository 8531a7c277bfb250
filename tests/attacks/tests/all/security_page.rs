//! docs/security.md names tests that exist, and every test of this package stands in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of the tests in a file.
fn tests_in(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut is_test = false;
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        let name = line.trim_start_matches("async ").strip_prefix("fn ");
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((name, _)) = name.and_then(|rest| rest.split_once('('))
            && std::mem::take(&mut is_test)
        {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The names `file::test` and `folder/file::test` in the page, with the file of each.
fn named(page: &str) -> Vec<(String, String)> {
    let words = page.split('`').filter_map(|word| word.split_once("::"));
    words
        .filter(|(file, test)| !file.contains([' ', '\n']) && !test.contains([' ', '\n']))
        .map(|(file, test)| (file.to_owned(), test.to_owned()))
        .collect()
}

/// A folder of tests, and the programs in it that several files make together.
fn groups(tests: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(tests).into_iter().flatten().flatten();
    let folders = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    std::iter::once(tests.to_owned()).chain(folders)
}

#[test]
fn the_page_and_the_tests_agree() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().unwrap().parent().unwrap();
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let named = named(&page);
    assert!(named.len() > 60, "{}", named.len());
    for (file, test) in &named {
        let (tests, file) = match file.rsplit_once('/') {
            Some((folder, file)) => (root.join(folder).join("tests"), file),
            None => (here.join("tests"), file.as_str()),
        };
        let is_there = groups(&tests).any(|group| {
            let path = group.join(format!("{file}.rs"));
            tests_in(&path).contains(test)
        });
        assert!(is_there, "{file}::{test} is no test");
    }
    for entry in fs::read_dir(here.join("tests/all")).unwrap().flatten() {
        let file = entry
            .path()
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        if file == "security_page" {
            continue;
        }
        for test in tests_in(&entry.path()) {
            let pair = (file.clone(), test);
            assert!(
                named.contains(&pair),
                "{}::{} does not stand in docs/security.md",
                pair.0,
                pair.1
            );
        }
    }
}
