//! What each step of a plan is shown to change before any of them runs.

#![allow(clippy::unwrap_used)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::Bench;
use api::authority::JudgedCall;
use api::executor::Executor;
use serde_json::json;

#[tokio::test]
async fn each_undo_of_a_plan_shows_the_change_that_it_takes_back() {
    let bench = Bench::new();
    bench.write("a.txt", "one\n");
    for (path, content) in [("a.txt", "two\n"), ("b.txt", "b\n"), ("a.txt", "three\n")] {
        let arguments = json!({"path": path, "content": content, "mode": "overwrite"});
        bench.ok("write_file", arguments).await;
    }
    let preview = async |earlier: &[&str]| {
        let step = |tool: &str| bench.judged(tool, json!({"path": "c.txt", "content": "c"}));
        let mut steps: Vec<JudgedCall> = earlier.iter().map(|tool| step(tool)).collect();
        steps.push(bench.judged("undo", json!({})));
        bench.tools.preview_plan(&steps).await.pop().unwrap()
    };
    for (earlier, change) in [
        (&[][..], "-three\n+two\n"),
        (&["undo"], "-b\n"),
        (&["read_file", "undo", "undo"], "-two\n+one\n"),
    ] {
        let shown = preview(earlier).await.unwrap().unwrap();
        assert!(shown.ends_with(change), "{earlier:?}: {shown}");
    }
    let nothing = preview(&["undo", "undo", "undo"]).await.unwrap_err();
    assert_eq!(nothing.rule, "nothing_to_undo");
    // What the plan itself makes is not there yet.
    assert_eq!(preview(&["write_file"]).await.unwrap(), None);
    assert_eq!(bench.read("a.txt"), "three\n");
}

/// A plan that changes one file several times, by each of the tools.
fn steps_on_one_file() -> Vec<(&'static str, serde_json::Value)> {
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-TWO\n+2\n three\n";
    vec![
        (
            "edit_file",
            json!({"path": "a.txt", "old": "one\n", "new": ""}),
        ),
        (
            "edit_file",
            json!({"path": "a.txt", "old": "two", "new": "TWO"}),
        ),
        ("apply_patch", json!({"patch": patch, "files": ["a.txt"]})),
        (
            "write_file",
            json!({"path": "a.txt", "content": "four\n", "mode": "append"}),
        ),
        (
            "write_file",
            json!({"path": "a.txt", "content": "all new\n", "mode": "overwrite"}),
        ),
        (
            "edit_file",
            json!({"path": "a.txt", "old": "all", "new": "quite"}),
        ),
    ]
}

#[tokio::test]
async fn each_step_of_a_plan_shows_the_change_that_it_makes_after_those_before_it() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let steps = steps_on_one_file();
    let judged =
        |(tool, arguments): &(&str, serde_json::Value)| bench.judged(tool, arguments.clone());
    let plan: Vec<JudgedCall> = steps.iter().map(judged).collect();
    let shown = bench.tools.preview_plan(&plan).await;
    assert_eq!(bench.read("a.txt"), "one\ntwo\nthree\n");
    for ((tool, arguments), shown) in steps.into_iter().zip(shown) {
        let call = bench.judged(tool, arguments.clone());
        let now = bench.tools.preview(&call).await.unwrap();
        assert_eq!(shown.unwrap(), now, "{tool} {arguments}");
        bench.ok(tool, arguments).await;
    }
    assert_eq!(bench.read("a.txt"), "quite new\n");
}

#[tokio::test]
async fn a_step_that_fails_and_a_file_with_two_names_are_shown_as_the_disk_has_them() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\n");
    std::fs::hard_link(bench.work("a.txt"), bench.work("b.txt")).unwrap();
    let edit =
        |path, old, new| bench.judged("edit_file", json!({"path": path, "old": old, "new": new}));
    let plan = [
        edit("a.txt", "one", "1"),
        edit("a.txt", "ten", "10"),
        edit("b.txt", "two", "2"),
    ];
    let shown = bench.tools.preview_plan(&plan).await;
    assert_eq!(shown[1].as_ref().unwrap_err().rule, "no_match");
    // A change of one name leaves the other as it is.
    let other = shown[2].as_ref().unwrap().as_ref().unwrap();
    assert!(other.contains("\n one\n-two\n+2\n"), "{other}");
}
