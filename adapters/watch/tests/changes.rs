//! Real files, the real kernel.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::signals::Watcher;
use domain::drive::Signal;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use watch::{Inotify, NAMED};

/// Longest a test waits for a change. Reached only when none is told.
const PATIENCE: Duration = Duration::from_secs(20);

fn watched(path: &Path) -> BoxStream<'static, Signal> {
    Inotify.watch(vec![path.to_owned()]).unwrap()
}

async fn next(changes: &mut BoxStream<'static, Signal>) -> (Vec<PathBuf>, u32) {
    let signal = tokio::time::timeout(PATIENCE, changes.next()).await;
    match signal.unwrap().unwrap() {
        Signal::FilesChanged { paths, count } => {
            (paths.into_iter().map(PathBuf::from).collect(), count)
        }
        other => panic!("{other:?}"),
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test]
async fn changes_that_come_together_are_one_signal_and_each_path_counts_once() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    let mut changes = watched(folder.path());
    let (one, two) = (folder.path().join("one"), folder.path().join("deep/er/two"));
    for text in ["a", "b", "c"] {
        fs::write(&one, text).unwrap();
        fs::write(&two, text).unwrap();
    }
    assert_eq!(next(&mut changes).await, (vec![two, one.clone()], 2));
    fs::remove_file(&one).unwrap();
    assert_eq!(next(&mut changes).await, (vec![one], 1));
}

#[tokio::test]
async fn what_is_ignored_or_passing_is_no_change() {
    let folder = folder();
    fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
    fs::create_dir_all(folder.path().join("target/debug")).unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::write(
        folder.path().join(".gitignore"),
        "/target\n*.log\n!kept.log\n",
    )
    .unwrap();
    let mut changes = watched(folder.path());
    for name in [
        ".git/index",
        ".git/objects/ab",
        "target/debug/out",
        "run.log",
        "src/.main.rs.swp",
        "src/main.rs~",
        "src/deep.log",
        "src/kept.log",
        "src/main.rs",
    ] {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    let (paths, count) = next(&mut changes).await;
    let wanted = ["src/kept.log", "src/main.rs"].map(|name| folder.path().join(name));
    assert_eq!((paths.as_slice(), count), (&wanted[..], 2));
}

#[tokio::test]
async fn a_new_folder_is_watched_and_a_link_is_not_followed() {
    let (folder, elsewhere) = (folder(), folder());
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
    let mut changes = watched(folder.path());
    let new = folder.path().join("new");
    fs::create_dir(&new).unwrap();
    assert_eq!(next(&mut changes).await.0, std::slice::from_ref(&new));
    fs::write(elsewhere.path().join("hidden"), "x").unwrap();
    fs::write(new.join("file"), "x").unwrap();
    assert_eq!(next(&mut changes).await.0, [new.join("file")]);
}

#[tokio::test]
async fn of_a_single_file_nothing_beside_it_is_told_and_replacing_it_counts() {
    let folder = folder();
    let file = folder.path().join("notes.md");
    fs::write(&file, "x").unwrap();
    let mut changes = watched(&file);
    fs::write(folder.path().join("other"), "x").unwrap();
    fs::write(folder.path().join("fresh"), "y").unwrap();
    fs::rename(folder.path().join("fresh"), &file).unwrap();
    assert_eq!(next(&mut changes).await, (vec![file], 1));
}

#[tokio::test]
async fn of_very_many_a_few_are_named_and_all_counted() {
    let folder = folder();
    let mut changes = watched(folder.path());
    for number in 0..100 {
        fs::write(folder.path().join(number.to_string()), "x").unwrap();
    }
    let (mut named, mut counted) = (0, 0);
    while counted < 100 {
        let (paths, count) = next(&mut changes).await;
        named = named.max(paths.len());
        counted += count;
    }
    assert_eq!((named, counted), (NAMED, 100));
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let missing = folder().path().join("missing");
    let refused = Inotify.watch(vec![missing.clone()]);
    let error = refused.err().unwrap().to_string();
    assert!(error.contains(&missing.display().to_string()), "{error}");
}
