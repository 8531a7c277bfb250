//! What a person meets in the first hour of ordinary work, with a scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::{Outcome, Scene};
use serde_json::json;
use testkit::Reply;

const OPEN: [&str; 4] = ["--allow-write", ".", "--yes", "write"];

fn write(path: &str) -> Reply {
    let arguments = json!({"path": path, "content": "hello\n", "mode": "create"});
    Reply::call("write_file", arguments)
}

fn opened(scene: &Scene) -> Outcome {
    scene.run(&[&OPEN[..], &["do it"]].concat())
}

#[test]
fn a_file_in_a_missing_folder_makes_it_and_undo_takes_both_back() {
    let scene = Scene::new([write("notes/2026/today.md"), Reply::text("Done.")]);
    let carl = scene
        .house
        .ask(["run", "--allow-write", ".", "write a note"]);
    let run = carl.at_terminal(|_, _| "y".to_owned());
    assert_eq!(run.questions.len(), 1, "{run:#?}");
    let folder = scene.house.work().canonicalize().unwrap().join("notes");
    for folder in [folder.clone(), folder.join("2026")] {
        let told = format!("make the folder {}\n", folder.display());
        let shown = run.questions[0].replace('\r', "");
        assert!(shown.contains(&told), "{told}: {shown}");
    }
    assert_eq!(scene.house.read("notes/2026/today.md"), "hello\n");
    assert!(scene.told().contains("Made the folder"), "{}", scene.told());
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!scene.house.has("notes"));
}

#[test]
fn undo_leaves_a_made_folder_that_holds_something_else() {
    let scene = Scene::new([write("notes/today.md"), Reply::text("Done.")]);
    opened(&scene).assert_ends(0, "success");
    scene.house.write("notes/mine.md", "mine");
    scene.house.ask(["undo", "--yes", "write"]).run().expect(0);
    assert!(!scene.house.has("notes/today.md"));
    assert_eq!(scene.house.read("notes/mine.md"), "mine");
}

#[test]
fn a_missing_folder_is_made_only_within_what_is_open() {
    for path in ["../out/a.txt", ".git/hooks/pre-commit", ".ssh/a"] {
        let scene = Scene::new([write(path), Reply::text("Done.")]);
        let outcome = opened(&scene);
        assert_eq!(outcome.calls()[0]["status"], "denied", "{path}");
        let top = path.split('/').next().unwrap();
        assert!(!scene.house.has(top) || top == "..", "{path}");
        assert!(!scene.house.has("../out"));
    }
}
