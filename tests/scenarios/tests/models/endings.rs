//! How a request ends that came to less than was asked: its status, its reason, and the way on.

use scenarios::Scene;
use serde_json::json;
use std::process::Command;
use testkit::flags::WRITES;
use testkit::{Gate, House, Reply};

#[test]
fn a_request_of_which_some_is_done_and_some_refused_is_partly_done() {
    let write = |path: &str| {
        let arguments = json!({"path": path, "content": "x\n", "mode": "create"});
        Reply::call("write_file", arguments)
    };
    let scene = Scene::new([
        write("a.txt"),
        write("../b.txt"),
        Reply::text("Done so far."),
    ]);
    let outcome = scene.run(&[&WRITES[..], &["write both"]].concat());
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.change_failed");
    let why = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(why.contains("`write_file`, was refused: "), "{why}");
    assert!(scene.house.has("a.txt"));
}

#[test]
fn the_line_that_approves_a_plan_is_in_json_as_well() {
    let house = House::new();
    house.write("notes.md", "draft\n");
    let args = ["run", "--json", "--mode", "deterministic"];
    let task = "replace draft with final in notes.md";
    let refused = house.ask(args).arg(task).run().expect(5);
    let hint = refused.json()["error"]["hint"].as_str().unwrap().to_owned();
    let (_, line) = hint.split_once("\ncarl run --approve ").unwrap();
    let (hash, rest) = line.split_once(' ').unwrap();
    assert_eq!(hash.len(), 64, "{hint}");
    assert!(rest.contains("--allow-write ."), "{hint}");
    assert!(rest.ends_with(&format!("'{task}'")), "{hint}");
}

/// As `timeout -s INT` does it, which signals the child and the group.
#[test]
fn a_run_that_is_interrupted_twice_is_told_as_interrupted() {
    let gate = Gate::new();
    let scene = Scene::new([Reply::text("Begun ").and_wait(&gate).and_text("and done.")]);
    let running = scene.house.ask(["run", "--json", "go"]).spawn();
    scene.server.wait_for_chats(1);
    let interrupt = || {
        let mut kill = Command::new("kill");
        kill.args(["-INT", &running.pid().to_string()]);
        kill.status().unwrap()
    };
    interrupt();
    interrupt();
    let finished = running.finish().expect(130);
    let summary = finished.json();
    assert_eq!(summary["status"], "interrupted", "{summary:#}");
    assert_ne!(summary["duration_ms"], 0, "{summary:#}");
    gate.open();
}

#[test]
fn a_refused_request_says_in_json_what_was_refused() {
    let write = Reply::call("write_file", json!({"path": "a.txt", "content": "x\n"}));
    let scene = Scene::new([write, Reply::text("It is in place.")]);
    let outcome = scene.run(&["put x into place"]);
    outcome.assert_ends(5, "denied");
    assert_eq!(outcome.code(), "agents.refused");
    let error = &outcome.summary["error"];
    let reason = outcome.calls()[0]["reason"].as_str().unwrap();
    let told = format!("`write_file` was refused: {reason}");
    assert_eq!(error["message"], told, "{error:#}");
    assert_ne!(error["hint"], "", "{error:#}");
}

#[test]
fn a_long_error_keeps_its_advice_whole() {
    let long = ["a", "b", "c"].map(|letter| letter.repeat(150)).join("/");
    let write = |path: String| {
        let arguments = json!({"path": path, "content": "x\n", "mode": "create"});
        Reply::call("write_file", arguments)
    };
    let replies = [
        write("a.txt".to_owned()),
        write(format!("../{long}/b.txt")),
        Reply::text("I looked into it."),
    ];
    let scene = Scene::new(replies);
    let outcome = scene.run(&[&WRITES[..], &["look into it"]].concat());
    outcome.assert_ends(3, "partial");
    let reason = outcome.calls()[1]["reason"].as_str().unwrap();
    assert!(reason.len() > 300, "{reason}");
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(reason), "{message}");
}
