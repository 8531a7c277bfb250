//! A tiny model in loop mode: what it is not asked again, and what it may not change.

use scenarios::Scene;
use serde_json::json;
use testkit::Reply;

const OPEN: [&str; 6] = ["--mode", "loop", "--allow-write", ".", "--yes", "write"];

fn creates(path: &str) -> Reply {
    let arguments = json!({"path": path, "content": "hi", "mode": "create"});
    Reply::call("write_file", arguments)
}

#[test]
fn a_tiny_model_is_not_asked_again_once_all_that_was_asked_for_is_done() {
    let order = "create hello.txt with the text hi";
    let replies = [creates("hello.txt"), Reply::text("It is there.")];
    let scene = Scene::of_class("tiny", replies.clone());
    let outcome = scene.run(&[&OPEN[..], &[order]].concat());
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "Created hello.txt, now 2 bytes.");
    assert_eq!(scene.server.chats().len(), 1);
    assert_eq!(scene.house.read("hello.txt"), "hi");
    // The conversation has it as the answer.
    let id = outcome.text("session_id").to_owned();
    let next = scene.run(&["--mode", "loop", "--session-id", &id, "thanks"]);
    assert_eq!(next.text("answer"), "It is there.");
    let told = scene.server.chats()[1].body["messages"].to_string();
    let answer = r#"{"role":"assistant","content":"Created hello.txt, now 2 bytes."}"#;
    assert!(told.contains(answer), "{told}");
    // People see it where they read.
    let printed = Scene::of_class("tiny", replies.clone());
    let run = printed.house.ask(["run"]).args(OPEN).arg(order);
    assert_eq!(
        run.run().expect(0).stdout,
        "Created hello.txt, now 2 bytes.\n"
    );
    // A larger model is asked what came of it.
    let larger = Scene::of_class("small", replies);
    let outcome = larger.run(&[&OPEN[..], &[order]].concat());
    assert_eq!(outcome.text("answer"), "It is there.");
}

#[test]
fn a_tiny_model_goes_on_where_more_was_asked_for() {
    for (order, path) in [
        (
            "create hello.txt with hi and tell me what it says",
            "hello.txt",
        ),
        ("create hello.txt and b.txt with hi", "hello.txt"),
        ("write a greeting to a file", "hello.txt"),
    ] {
        let scene = Scene::of_class("tiny", [creates(path), Reply::text("There is more.")]);
        let outcome = scene.run(&[&OPEN[..], &[order]].concat());
        assert_eq!(outcome.text("answer"), "There is more.", "{order}");
    }
}

#[test]
fn a_tiny_model_edits_no_other_file_than_the_request_names() {
    let edit = |path: &str| {
        let change = json!({"path": path, "old": "one", "new": "two"});
        Reply::call("edit_file", change)
    };
    let order = "change one to two in notes.md";
    let wipes = json!({"path": "other.md", "content": "wiped", "mode": "overwrite"});
    for other in [edit("other.md"), Reply::call("write_file", wipes)] {
        let replies = [other, edit("notes.md"), Reply::text("Changed.")];
        let scene = Scene::of_class("tiny", replies);
        scene.house.write("other.md", "one\n");
        scene.house.write("notes.md", "one\n");
        let outcome = scene.run(&[&OPEN[..], &[order]].concat());
        outcome.assert_ends(0, "success");
        assert_eq!(scene.house.read("other.md"), "one\n");
        assert_eq!(scene.house.read("notes.md"), "two\n");
        let told = scene.told();
        assert!(told.contains("and not `other.md`"), "{told}");
    }
}

#[test]
fn a_tiny_model_writes_no_more_than_so_much_at_a_time() {
    let on_and_on: String = (0..700).map(|at| format!("on {at} and ")).collect();
    let scene = Scene::of_class("tiny", [Reply::text(on_and_on).finishing("length")]);
    let outcome = scene.run(&["--mode", "loop", "--context-tokens", "32000", "go on"]);
    outcome.assert_ends(3, "partial");
    let asked = &scene.server.chats()[0].body;
    assert_eq!(asked["max_tokens"], 1_024, "{asked:#}");
    let why = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(why.contains("fewer than a billion parameters"), "{why}");
}
