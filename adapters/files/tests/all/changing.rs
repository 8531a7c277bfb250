//! The tools that change files: what they do, what they refuse, and that all of it can be undone.

#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::{Bench, link};
use domain::limits::FILE_WRITE_BYTES;
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[tokio::test]
async fn a_file_is_created_once_then_overwritten_or_added_to() {
    let bench = Bench::new();
    let data = bench
        .ok("write_file", json!({"path": "a.txt", "content": "one"}))
        .await;
    assert_eq!(data, json!({"path": "a.txt", "created": true, "bytes": 3}));
    let (rule, message) = bench
        .fails("write_file", json!({"path": "a.txt", "content": "x"}))
        .await;
    assert_eq!((rule, bench.read("a.txt").as_str()), ("exists", "one"));
    assert!(message.contains("overwrite"), "{message}");
    bench
        .ok(
            "write_file",
            json!({"path": "a.txt", "content": "two", "mode": "append"}),
        )
        .await;
    assert_eq!(bench.read("a.txt"), "one\ntwo");
    let output = bench
        .call(
            "write_file",
            json!({"path": "a.txt", "content": "new\n", "mode": "overwrite"}),
        )
        .await
        .unwrap();
    assert_eq!(output.data["created"], false);
    assert_eq!(output.artifacts, [bench.work("a.txt").to_str().unwrap()]);
    assert_eq!(bench.read("a.txt"), "new\n");
    bench
        .ok(
            "write_file",
            json!({"path": "b.txt", "content": "b", "mode": "append"}),
        )
        .await;
    assert_eq!(bench.read("b.txt"), "b");
    fs::create_dir(bench.work("sub")).unwrap();
    assert_eq!(
        bench
            .rule("write_file", json!({"path": "sub", "content": ""}))
            .await,
        "is_a_folder"
    );
    assert_eq!(
        bench
            .rule("write_file", json!({"path": ".", "content": ""}))
            .await,
        "is_a_folder"
    );
    bench.assert_no_leftovers();
}

#[tokio::test]
async fn changed_content_runs_as_no_one_else() {
    let bench = Bench::new();
    bench.write("tool", "old");
    fs::set_permissions(bench.work("tool"), Permissions::from_mode(0o6755)).unwrap();
    let edit = json!({"path": "tool", "old": "old", "new": "new"});
    bench.ok("edit_file", edit).await;
    let mode = fs::metadata(bench.work("tool")).unwrap().mode() & 0o7777;
    assert_eq!(mode, 0o755);
}

#[tokio::test]
async fn modes_are_kept_and_new_files_follow_the_umask() {
    let bench = Bench::new();
    bench.write("run.sh", "old");
    fs::set_permissions(bench.work("run.sh"), Permissions::from_mode(0o750)).unwrap();
    bench
        .ok(
            "edit_file",
            json!({"path": "run.sh", "old": "old", "new": "new"}),
        )
        .await;
    assert_eq!(
        fs::metadata(bench.work("run.sh")).unwrap().mode() & 0o7777,
        0o750
    );
    bench
        .ok("write_file", json!({"path": "a", "content": ""}))
        .await;
    let mode = fs::metadata(bench.work("a")).unwrap().mode() & 0o7777;
    assert_eq!(mode & !0o644, 0, "{mode:o}");
    bench.ok("delete_file", json!({"path": "run.sh"})).await;
    bench.ok("undo", json!({})).await;
    assert_eq!(
        fs::metadata(bench.work("run.sh")).unwrap().mode() & 0o7777,
        0o750
    );
    assert_eq!(
        fs::metadata(bench.undo_folder()).unwrap().mode() & 0o777,
        0o700
    );
}

#[tokio::test]
async fn content_at_the_limit_is_written_and_beyond_it_refused() {
    let bench = Bench::new();
    let content = "x".repeat(FILE_WRITE_BYTES);
    bench
        .ok("write_file", json!({"path": "a", "content": content}))
        .await;
    let rule = bench
        .rule(
            "write_file",
            json!({"path": "a", "content": "\n", "mode": "append"}),
        )
        .await;
    assert_eq!(rule, "too_large");
    let rule = bench
        .rule("write_file", json!({"path": "b", "content": content + "x"}))
        .await;
    assert_eq!(rule, "too_large");
    assert!(!bench.work("b").exists());
    bench.assert_no_leftovers();
}

#[tokio::test]
async fn an_edit_replaces_the_text_it_names_or_says_why_not() {
    let bench = Bench::new();
    bench.write("a.rs", "fn a() {\r\n\tone();\r\n\ttwo();\r\n}\r\n");
    let data = bench
        .ok(
            "edit_file",
            json!({"path": "a.rs", "old": "    one();\n    two();", "new": "    three();"}),
        )
        .await;
    assert_eq!(
        data,
        json!({"path": "a.rs", "lines": [2], "exact": false, "typeset": 0})
    );
    assert_eq!(bench.read("a.rs"), "fn a() {\r\n\tthree();\r\n}\r\n");
    bench.write("b.txt", "x\ny\nx\n");
    let edit = |all| json!({"path": "b.txt", "old": "x", "new": "z", "all": all});
    let (rule, message) = bench.fails("edit_file", edit(false)).await;
    assert_eq!(rule, "ambiguous_match");
    assert!(message.contains("lines 1, 3"), "{message}");
    assert_eq!(
        bench.ok("edit_file", edit(true)).await["lines"],
        json!([1, 3])
    );
    let (rule, message) = bench
        .fails(
            "edit_file",
            json!({"path": "a.rs", "old": "threee();", "new": ""}),
        )
        .await;
    assert_eq!(rule, "no_match");
    assert!(
        message.contains("line 2") && message.contains("three();"),
        "{message}"
    );
    bench.write("damaged", b"gr\xc3\xbcn \xff");
    assert_eq!(
        bench
            .rule(
                "edit_file",
                json!({"path": "damaged", "old": "gr", "new": "x"})
            )
            .await,
        "not_utf8"
    );
    assert_eq!(
        bench
            .rule("edit_file", json!({"path": "none", "old": "a", "new": "x"}))
            .await,
        "not_found"
    );
}

#[tokio::test]
async fn a_move_makes_folders_and_none_for_what_is_not_there() {
    let bench = Bench::new();
    bench.write("f", "again");
    bench
        .ok("move_file", json!({"from": "f", "to": "no/deep/x"}))
        .await;
    assert_eq!(bench.read("no/deep/x"), "again");
    bench.ok("undo", json!({})).await;
    assert_eq!(bench.read("f"), "again");
    assert!(!bench.work("no").exists());
    assert_eq!(
        bench
            .rule("move_file", json!({"from": "none", "to": "new/x"}))
            .await,
        "not_found"
    );
    assert!(!bench.work("new").exists());
}

#[tokio::test]
async fn folders_are_made_and_nothing_is_moved_over() {
    let bench = Bench::new();
    assert_eq!(
        bench.ok("make_dir", json!({"path": "a/b/c"})).await["created"],
        true
    );
    assert_eq!(
        bench.ok("make_dir", json!({"path": "a/b"})).await["created"],
        false
    );
    bench.write("f", "f");
    assert_eq!(bench.rule("make_dir", json!({"path": "f"})).await, "exists");
    assert_eq!(
        bench.rule("make_dir", json!({"path": "f/x"})).await,
        "not_a_folder"
    );
    let data = bench
        .ok("move_file", json!({"from": "f", "to": "a/g"}))
        .await;
    assert_eq!(data, json!({"from": "f", "to": "a/g"}));
    bench.write("f", "again");
    assert_eq!(
        bench
            .rule("move_file", json!({"from": "f", "to": "a/g"}))
            .await,
        "exists"
    );
    assert_eq!(
        bench
            .rule("move_file", json!({"from": "f", "to": "a"}))
            .await,
        "exists"
    );
    assert_eq!(
        bench
            .rule("move_file", json!({"from": "no", "to": "x"}))
            .await,
        "not_found"
    );
    assert_eq!(
        bench
            .rule("move_file", json!({"from": "a", "to": "a/b/x"}))
            .await,
        "into_itself"
    );
    assert_eq!(
        bench
            .rule("move_file", json!({"from": ".", "to": "x"}))
            .await,
        "is_a_root"
    );
    assert_eq!(
        (bench.read("f"), bench.read("a/g")),
        ("again".to_owned(), "f".to_owned())
    );
}

#[tokio::test]
async fn files_links_and_empty_folders_are_deleted() {
    let bench = Bench::new();
    bench.write("a/f", "f");
    link(&bench, "l", "a/f");
    assert_eq!(
        bench.rule("delete_file", json!({"path": "a"})).await,
        "not_empty"
    );
    assert_eq!(
        bench.ok("delete_file", json!({"path": "l"})).await["kind"],
        "link"
    );
    assert_eq!(
        bench.ok("delete_file", json!({"path": "a/f"})).await["kind"],
        "file"
    );
    assert_eq!(
        bench.ok("delete_file", json!({"path": "a"})).await["kind"],
        "folder"
    );
    assert_eq!(
        bench.rule("delete_file", json!({"path": "a"})).await,
        "not_found"
    );
    assert_eq!(
        bench.rule("delete_file", json!({"path": "."})).await,
        "is_a_root"
    );
}

#[tokio::test]
async fn every_change_is_undone_in_turn() {
    let bench = Bench::new();
    bench.write("keep.txt", "original\n");
    link(&bench, "l", "keep.txt");
    let steps = [
        (
            "write_file",
            json!({"path": "keep.txt", "content": "over", "mode": "overwrite"}),
        ),
        (
            "edit_file",
            json!({"path": "keep.txt", "old": "over", "new": "edited"}),
        ),
        ("make_dir", json!({"path": "x/y"})),
        ("write_file", json!({"path": "x/y/new", "content": "n"})),
        ("move_file", json!({"from": "x/y/new", "to": "x/moved"})),
        ("delete_file", json!({"path": "x/moved"})),
        ("delete_file", json!({"path": "l"})),
        ("delete_file", json!({"path": "x/y"})),
        (
            "edit_file",
            json!({"path": "keep.txt", "old": "edited", "new": "last"}),
        ),
    ];
    for (tool, arguments) in &steps {
        bench.ok(tool, arguments.clone()).await;
    }
    for (number, (tool, _)) in steps.iter().enumerate().rev() {
        let data = bench.ok("undo", json!({})).await;
        assert_eq!(
            (data["tool"].as_str().unwrap(), &data["left"]),
            (*tool, &json!(number))
        );
    }
    assert_eq!(bench.read("keep.txt"), "original\n");
    assert!(bench.work("l").is_symlink() && !bench.work("x").exists());
    assert_eq!(bench.rule("undo", json!({})).await, "nothing_to_undo");
    bench.assert_no_leftovers();
}

#[tokio::test]
async fn undo_never_loses_what_someone_else_wrote() {
    let bench = Bench::new();
    bench
        .ok("write_file", json!({"path": "a", "content": "mine"}))
        .await;
    bench.write("a", "theirs");
    assert_eq!(bench.rule("undo", json!({})).await, "changed_since");
    assert_eq!(bench.read("a"), "theirs");
    bench.write("a", "mine");
    bench.ok("undo", json!({})).await;
    assert!(!bench.work("a").exists());
    bench.write("d", "d");
    bench.ok("delete_file", json!({"path": "d"})).await;
    bench.write("d", "a new one");
    assert_eq!(bench.rule("undo", json!({})).await, "changed_since");
    assert_eq!(bench.read("d"), "a new one");
}

#[tokio::test]
async fn undo_stays_in_its_session_and_in_what_may_be_written() {
    let mut bench = Bench::new();
    bench
        .ok("write_file", json!({"path": "a", "content": "mine"}))
        .await;
    let mut call = bench.judged("undo", json!({}));
    call.write_roots = vec![bench.outside("")];
    assert_eq!(bench.run(call).await.unwrap_err().rule, "outside_roots");
    let first = bench.session;
    bench.session = domain::id::SessionId::from_uuid(uuid::Uuid::from_u128(2));
    assert_eq!(bench.rule("undo", json!({})).await, "nothing_to_undo");
    bench.session = first;
    bench.ok("undo", json!({})).await;
    assert!(!bench.work("a").exists());
}

#[tokio::test]
async fn what_is_too_large_to_bring_back_is_not_taken_away() {
    let bench = Bench::with_undo_bytes(10);
    bench.write("big", "0123456789a");
    bench.write("fits", "0123456789");
    assert_eq!(
        bench.rule("delete_file", json!({"path": "big"})).await,
        "too_large_to_undo"
    );
    assert_eq!(bench.read("big"), "0123456789a");
    bench.ok("delete_file", json!({"path": "fits"})).await;
    bench.ok("undo", json!({})).await;
    assert_eq!(bench.read("fits"), "0123456789");
}

/// A NUL makes nothing else of it.
#[tokio::test]
async fn a_preview_shows_all_of_what_would_be_written() {
    let bench = Bench::new();
    let script = json!({"path": "s.sh", "content": "#!/bin/sh\n# a\0\nrm -rf x\n"});
    let call = bench.judged("write_file", script);
    let diff = api::executor::Executor::preview(&bench.tools, &call).await;
    let diff = diff.unwrap().unwrap();
    assert!(
        diff.ends_with("+#!/bin/sh\n+# a\\u{0}\n+rm -rf x\n"),
        "{diff}"
    );
}

#[tokio::test]
async fn a_preview_shows_the_change_and_makes_none() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\n");
    let preview = |tool, arguments| {
        let call = bench.judged(tool, arguments);
        let bench = &bench;
        async move { api::executor::Executor::preview(&bench.tools, &call).await }
    };
    let diff = preview(
        "edit_file",
        json!({"path": "a.txt", "old": "two", "new": "2\u{202e}"}),
    )
    .await;
    assert_eq!(
        diff.unwrap().unwrap(),
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\\u{202e}\n"
    );
    let diff = preview("write_file", json!({"path": "n", "content": "x\n"}))
        .await
        .unwrap()
        .unwrap();
    assert!(
        diff.starts_with("--- /dev/null\n+++ b/n\n") && diff.ends_with("+x\n"),
        "{diff}"
    );
    let diff = preview("delete_file", json!({"path": "a.txt"}))
        .await
        .unwrap()
        .unwrap();
    assert!(
        diff.contains("delete a.txt (8 bytes)") && diff.contains("-one\n-two\n"),
        "{diff}"
    );
    let diff = preview("move_file", json!({"from": "a.txt", "to": "b"}))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(diff, "rename from a.txt\nrename to b\n");
    assert_eq!(
        preview("read_file", json!({"path": "a.txt"})).await,
        Ok(None)
    );
    let failure = preview(
        "edit_file",
        json!({"path": "a.txt", "old": "no", "new": "x"}),
    )
    .await;
    assert_eq!(failure.unwrap_err().rule, "no_match");
    assert_eq!(
        (bench.read("a.txt").as_str(), bench.work("b").exists()),
        ("one\ntwo\n", false)
    );
    bench
        .ok(
            "edit_file",
            json!({"path": "a.txt", "old": "two", "new": "2"}),
        )
        .await;
    let diff = preview("undo", json!({})).await.unwrap().unwrap();
    let path = bench.work("a.txt").display().to_string();
    let head = format!("take back what edit_file did to {path}\n--- a{path}\n+++ b{path}\n");
    assert!(diff.starts_with(&head), "{diff}");
    assert!(diff.contains("-2\n+two\n"), "{diff}");
    let diff = preview("delete_file", json!({ "path": path })).await;
    assert!(diff.unwrap().unwrap().contains(&format!("--- a{path}\n")));
}

#[tokio::test]
async fn text_never_takes_the_place_of_a_document() {
    let bench = Bench::new();
    for (name, start) in [
        ("a.docx", &b"PK\x03\x04\xff\xfe."[..]),
        ("b.pdf", b"%PDF-1.7 \xe2\xe3"),
        ("c", b"\0\xff"),
    ] {
        bench.write(name, start);
        for mode in ["overwrite", "append"] {
            let wanted = json!({"path": name, "content": "mine", "mode": mode});
            assert_eq!(bench.rule("write_file", wanted).await, "not_text", "{name}");
        }
        let edit = json!({"path": name, "old": "a", "new": "b"});
        let (_, told) = bench.fails("edit_file", edit).await;
        let is_document = name != "c";
        assert_eq!(
            told.contains("read_document"),
            is_document,
            "{name}: {told}"
        );
        assert_eq!(std::fs::read(bench.work(name)).unwrap(), start);
    }
}

#[tokio::test]
async fn with_nothing_left_the_way_back_further_is_named() {
    let bench = Bench::new();
    let call = bench.judged("undo", json!({}));
    let failure = api::executor::Executor::preview(&bench.tools, &call).await;
    let failure = failure.unwrap_err();
    assert_eq!(failure.rule, "nothing_to_undo");
    assert!(failure.message.contains("`carl undo`"), "{failure}");
}

#[tokio::test]
async fn a_change_that_fails_leaves_no_trace() {
    let bench = Bench::new();
    bench.write("a", "a");
    fs::create_dir(bench.work("b")).unwrap();
    // The history cannot be written, so nothing may be changed.
    fs::remove_dir_all(bench.undo_folder()).unwrap();
    fs::write(bench.undo_folder(), "in the way").unwrap();
    for (tool, arguments) in [
        (
            "write_file",
            json!({"path": "a", "content": "x", "mode": "overwrite"}),
        ),
        ("write_file", json!({"path": "n", "content": "x"})),
        ("delete_file", json!({"path": "a"})),
        ("delete_file", json!({"path": "b"})),
        ("move_file", json!({"from": "a", "to": "c"})),
        ("make_dir", json!({"path": "d"})),
    ] {
        bench.fails(tool, arguments).await;
    }
    assert_eq!(bench.read("a"), "a");
    assert_eq!(fs::read_dir(bench.work("")).unwrap().count(), 2);
    bench.assert_no_leftovers();
}
