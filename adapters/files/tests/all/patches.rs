//! Changes of several files by one patch: all of them or none, and one step for undo.

#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::{Bench, link};
use api::executor::Executor;
use domain::limits::{PATCH_FILES, PATCH_PLACES};
use serde_json::{Value, json};
use std::fs;

/// A patch with the files that it names, as the agents' service gives both.
fn arguments(text: &str) -> Value {
    let files = patch::parse(text).unwrap();
    let files: Vec<&str> = files.iter().map(|file| file.path).collect();
    json!({"patch": text, "files": files})
}

/// The part of an envelope that replaces a line of a file.
fn update(path: &str, old: &str, new: &str) -> String {
    format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n")
}

/// The part of an envelope that makes a file of one line.
fn add(path: &str, line: &str) -> String {
    format!("*** Add File: {path}\n+{line}\n")
}

fn three_files() -> (Bench, String) {
    let bench = Bench::new();
    bench.write("a.txt", "one\ndraft\n");
    bench.write("b.txt", "draft\r\ntwo\r\n");
    let patch = [
        update("a.txt", "draft", "final"),
        update("b.txt", "draft", "final"),
        add("new/deep/c.txt", "three"),
    ];
    (bench, patch.concat())
}

fn assert_as_before(bench: &Bench) {
    assert_eq!(bench.read("a.txt"), "one\ndraft\n");
    assert_eq!(bench.read("b.txt"), "draft\r\ntwo\r\n");
    assert!(!bench.work("new").exists());
}

#[tokio::test]
async fn a_patch_changes_all_its_files_and_undo_takes_all_of_it_back() {
    let (bench, patch) = three_files();
    let done = bench.call("apply_patch", arguments(&patch)).await.unwrap();
    assert_eq!(
        done.data,
        json!({"files": [
            {"path": "a.txt", "created": false},
            {"path": "b.txt", "created": false},
            {"path": "new/deep/c.txt", "created": true},
        ]})
    );
    assert_eq!(
        done.text,
        "Changed a.txt.\nChanged b.txt.\nCreated new/deep/c.txt."
    );
    let files = ["a.txt", "b.txt", "new/deep/c.txt"];
    let real = files.map(|file| bench.work(file).to_str().unwrap().to_owned());
    assert_eq!(done.artifacts, real);
    assert_eq!(bench.read("a.txt"), "one\nfinal\n");
    assert_eq!(bench.read("b.txt"), "final\r\ntwo\r\n");
    assert_eq!(bench.read("new/deep/c.txt"), "three\n");
    let undone = bench.call("undo", json!({})).await.unwrap();
    assert_eq!(undone.artifacts, real);
    assert_eq!(
        undone.data,
        json!({"tool": "apply_patch", "path": real[0], "others": real[1..], "left": 0})
    );
    assert_as_before(&bench);
    assert_eq!(bench.rule("undo", json!({})).await, "nothing_to_undo");
    bench.assert_no_leftovers();
}

#[tokio::test]
async fn a_preview_shows_every_file_of_a_patch_and_changes_none() {
    let (bench, patch) = three_files();
    let call = bench.judged("apply_patch", arguments(&patch));
    let shown = bench.tools.preview(&call).await;
    assert_eq!(
        shown.unwrap().unwrap(),
        format!(
            "make the folder {new}\nmake the folder {new}/deep\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n \
             one\n-draft\n+final\n--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-draft\n+final\n two\n--- \
             /dev/null\n+++ b/new/deep/c.txt\n@@ -0,0 +1 @@\n+three\n",
            new = bench.work("new").display()
        )
    );
    assert_as_before(&bench);
    bench.ok("apply_patch", arguments(&patch)).await;
    let call = bench.judged("undo", json!({}));
    let shown = bench.tools.preview(&call).await;
    let shown = shown.unwrap().unwrap();
    let files = ["a.txt", "b.txt", "new/deep/c.txt"];
    let files = files.map(|file| bench.work(file).to_str().unwrap().to_owned());
    let head = format!("take back what apply_patch did to {}\n", files.join(", "));
    assert!(shown.starts_with(&head), "{shown}");
    assert_eq!(shown.matches("take back").count(), 1, "{shown}");
    assert_eq!(shown.matches("@@ -1").count(), 3, "{shown}");
    let twice = bench.tools.preview_plan(&[call.clone(), call]).await;
    assert_eq!(twice[1].as_ref().unwrap_err().rule, "nothing_to_undo");
}

#[tokio::test]
async fn a_patch_that_fails_on_its_way_leaves_every_file_as_it_was() {
    let (bench, _) = three_files();
    // The third file needs a folder where the second makes a file: only the disk can tell.
    let patch = [
        update("a.txt", "draft", "final"),
        add("new", "a file"),
        add("new/c.txt", "three"),
        update("b.txt", "draft", "final"),
    ];
    let (_, message) = bench.fails("apply_patch", arguments(&patch.concat())).await;
    assert!(message.contains("`new/c.txt`"), "{message}");
    assert!(
        message.ends_with("No file of the patch was changed."),
        "{message}"
    );
    assert_as_before(&bench);
    assert_eq!(bench.rule("undo", json!({})).await, "nothing_to_undo");
    bench.assert_no_leftovers();
    // Without the one that cannot be, the same patch is made.
    let patch = [&patch[0], &patch[1], &patch[3]].map(String::as_str);
    bench.ok("apply_patch", arguments(&patch.concat())).await;
    assert_eq!(bench.read("new"), "a file\n");
}

#[tokio::test]
async fn a_patch_for_which_undo_has_no_room_changes_nothing() {
    let bench = Bench::with_undo_bytes(10);
    for name in ["a", "b", "c", "d"] {
        bench.write(name, "old\n");
    }
    let patch = ["a", "b", "c", "d"].map(|name| update(name, "old", "new"));
    let rule = bench.rule("apply_patch", arguments(&patch.concat())).await;
    assert_eq!(rule, "undo_full");
    for name in ["a", "b", "c", "d"] {
        assert_eq!(bench.read(name), "old\n", "{name}");
    }
    assert_eq!(bench.rule("undo", json!({})).await, "nothing_to_undo");
    let two = arguments(&patch[..2].concat());
    bench.ok("apply_patch", two).await;
}

#[tokio::test]
async fn changes_before_a_patch_and_after_it_are_steps_of_their_own() {
    let (bench, patch) = three_files();
    let edit = |old: &str, new: &str| json!({"path": "a.txt", "old": old, "new": new});
    bench.ok("edit_file", edit("one", "1")).await;
    bench.ok("apply_patch", arguments(&patch)).await;
    bench.ok("edit_file", edit("final", "last")).await;
    bench.ok("undo", json!({})).await;
    assert_eq!(bench.read("a.txt"), "1\nfinal\n");
    assert_eq!(bench.read("b.txt"), "final\r\ntwo\r\n");
    assert_eq!(bench.ok("undo", json!({})).await["left"], 1);
    assert_eq!(bench.read("a.txt"), "1\ndraft\n");
    assert!(!bench.work("new").exists());
    bench.ok("undo", json!({})).await;
    assert_as_before(&bench);
}

#[tokio::test]
async fn a_full_history_merges_no_part_of_a_patch_away() {
    let bench = Bench::with_undo_bytes(20);
    for name in ["a", "b"] {
        bench.write(name, "1111\n");
    }
    let both = |old: &str, new: &str| {
        let patch = [update("a", old, new), update("b", old, new)];
        arguments(&patch.concat())
    };
    bench.ok("apply_patch", both("1111", "2222")).await;
    bench.ok("apply_patch", both("2222", "3333")).await;
    let more = bench.rule("apply_patch", both("3333", "4444")).await;
    assert_eq!(more, "undo_full");
    bench.ok("undo", json!({})).await;
    assert_eq!((bench.read("a"), bench.read("b")), two("2222\n"));
    bench.ok("undo", json!({})).await;
    assert_eq!((bench.read("a"), bench.read("b")), two("1111\n"));
}

fn two(text: &str) -> (String, String) {
    (text.to_owned(), text.to_owned())
}

#[tokio::test]
async fn undo_of_a_patch_takes_back_all_of_it_or_nothing() {
    let (bench, patch) = three_files();
    bench.ok("apply_patch", arguments(&patch)).await;
    bench.write("a.txt", "mine\n");
    let (rule, message) = bench.fails("undo", json!({})).await;
    assert_eq!(rule, "changed_since");
    assert!(message.contains("a.txt"), "{message}");
    assert_eq!(bench.read("b.txt"), "final\r\ntwo\r\n");
    assert!(bench.work("new/deep/c.txt").exists());
    // What somebody put back already is no obstacle.
    bench.write("a.txt", "one\ndraft\n");
    bench.ok("undo", json!({})).await;
    assert_as_before(&bench);
    // Nor may a copy be missing that one of the files needs.
    bench.ok("apply_patch", arguments(&patch)).await;
    let session = fs::read_dir(bench.undo_folder()).unwrap().next().unwrap();
    let copies = fs::read_dir(session.unwrap().path().join("copies")).unwrap();
    for copy in copies.map(|copy| copy.unwrap().path()) {
        if fs::read(&copy).unwrap() == b"one\ndraft\n" {
            fs::remove_file(copy).unwrap();
        }
    }
    assert_eq!(bench.rule("undo", json!({})).await, "copy_damaged");
    assert_eq!(bench.read("b.txt"), "final\r\ntwo\r\n");
}

#[tokio::test]
async fn a_patch_that_does_not_fit_says_where_and_changes_nothing() {
    let (bench, patch) = three_files();
    bench.write("two.txt", "same\nsame\n");
    for (more, rule, part) in [
        (
            "*** Update File: two.txt\n@@\n-same\n+other\n",
            "ambiguous_match",
            "more than once in `two.txt`, at lines 1, 2",
        ),
        (
            "*** Update File: two.txt\n@@\n-same\n-same\n+one\n@@\n-gone\n+two\n",
            "no_match",
            "Change 2 of 2: The text is not in `two.txt`",
        ),
        ("*** Update File: none\n@@\n-a\n+b\n", "not_found", "none"),
        ("*** Add File: two.txt\n+a\n", "exists", "two.txt"),
        ("*** Add File: x.docx\n+a\n", "not_text", "x.docx"),
        (
            "*** Add File: ./new/deep/c.txt\n+a\n",
            "same_file",
            "name it once",
        ),
    ] {
        let patch = format!("{patch}{more}");
        let (found, message) = bench.fails("apply_patch", arguments(&patch)).await;
        assert_eq!(found, rule, "{message}");
        assert!(message.contains(part), "{message}");
        assert_as_before(&bench);
    }
}

#[tokio::test]
async fn what_is_no_patch_or_names_other_files_is_refused() {
    let (bench, patch) = three_files();
    let unread = json!({"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"});
    let (rule, message) = bench.fails("apply_patch", unread).await;
    assert_eq!(rule, "not_a_patch");
    assert!(message.contains("use delete_file"), "{message}");
    for files in [
        json!([]),
        json!(["a.txt", "b.txt"]),
        json!(["b.txt", "a.txt", "new/deep/c.txt"]),
        json!(["a.txt", "b.txt", "new/deep/d.txt"]),
        json!(["a.txt", "b.txt", "new/deep/c.txt", "d.txt"]),
    ] {
        let call = json!({"patch": patch, "files": files});
        assert_eq!(bench.rule("apply_patch", call).await, "files_differ");
        assert_as_before(&bench);
    }
    bench.ok("apply_patch", arguments(&patch)).await;
}

#[tokio::test]
async fn one_file_under_two_names_is_refused() {
    let (bench, _) = three_files();
    fs::create_dir(bench.work("real")).unwrap();
    link(&bench, "name.txt", "a.txt");
    link(&bench, "folder", "real");
    for patch in [
        [update("a.txt", "one", "1"), update("./a.txt", "draft", "2")],
        [
            update("a.txt", "one", "1"),
            update("name.txt", "draft", "2"),
        ],
        [add("real/x/f.txt", "1"), add("folder/x/f.txt", "2")],
    ] {
        let rule = bench.rule("apply_patch", arguments(&patch.concat())).await;
        assert_eq!(rule, "same_file", "{patch:?}");
        bench.ok("apply_patch", arguments(&patch[0])).await;
        bench.ok("undo", json!({})).await;
        assert_as_before(&bench);
    }
}

#[tokio::test]
async fn a_patch_at_its_limits_is_made_and_beyond_them_refused() {
    let bench = Bench::new();
    let many = |count: usize| {
        let files = (0..count).map(|number| add(&format!("f{number}"), "x"));
        arguments(&files.collect::<String>())
    };
    let rule = bench.rule("apply_patch", many(PATCH_FILES + 1)).await;
    assert_eq!(rule, "patch_too_large");
    bench.ok("apply_patch", many(PATCH_FILES)).await;
    let lines = |count: usize| (0..count).map(|number| format!("line {number}\n"));
    bench.write("long", lines(PATCH_PLACES + 1).collect::<String>());
    let hunks = |count: usize| {
        let hunks = lines(count).map(|line| format!("@@\n-{line}+new {line}"));
        let hunks = hunks.collect::<String>();
        arguments(&format!("*** Update File: long\n{hunks}"))
    };
    let rule = bench.rule("apply_patch", hunks(PATCH_PLACES + 1)).await;
    assert_eq!(rule, "patch_too_large");
    bench.ok("apply_patch", hunks(PATCH_PLACES)).await;
    // Ten MiB a file is within the limit of each; of four it is too much.
    let large = "x".repeat((10 << 20) - 10);
    for name in ["l0", "l1", "l2", "l3"] {
        bench.write(name, format!("a\n{large}\n"));
    }
    let four = ["l0", "l1", "l2", "l3"].map(|name| update(name, "a", "b"));
    let rule = bench.rule("apply_patch", arguments(&four.concat())).await;
    assert_eq!(rule, "too_large");
    bench
        .ok("apply_patch", arguments(&four[..3].concat()))
        .await;
}

#[tokio::test]
async fn encodings_marks_and_missing_line_ends_are_kept() {
    let bench = Bench::new();
    bench.write("old", b"caf\xe9\nOld\n");
    bench.write("mark", "\u{feff}Old\nend");
    let patch = [
        update("old", "Old", "gar\u{e7}on"),
        update("mark", "end", "done"),
    ];
    bench.ok("apply_patch", arguments(&patch.concat())).await;
    assert_eq!(
        fs::read(bench.work("old")).unwrap(),
        b"caf\xe9\ngar\xe7on\n"
    );
    assert_eq!(bench.read("mark"), "\u{feff}Old\ndone");
    let other = update("old", "gar\u{e7}on", "\u{4e2d}");
    assert_eq!(
        bench.rule("apply_patch", arguments(&other)).await,
        "not_in_encoding"
    );
}

#[tokio::test]
async fn a_loose_fit_is_told() {
    let bench = Bench::new();
    bench.write("a.rs", "fn f() {\n    go();\n}\n");
    let patch = update("a.rs", "go();", "stop();");
    let done = bench.call("apply_patch", arguments(&patch)).await.unwrap();
    assert_eq!(bench.read("a.rs"), "fn f() {\n    stop();\n}\n");
    assert_eq!(done.data["files"][0]["loose"], 1);
    assert!(
        done.text.contains("white space at line ends"),
        "{}",
        done.text
    );
}
